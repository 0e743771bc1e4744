//! Which of the systems a project uses, told by the traces they leave.
//!
//! A project may use a system and hold nothing yet that could be taken over, so this asks for
//! less than [`EXISTING`] does.

use fusebox_core::Preset;

use crate::existing::EXISTING;

/// A system that a project uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Companion {
    /// What shows it, below the root of the project.
    pub trace: &'static str,
    /// The way of working that fits.
    pub preset: Preset,
    /// Whether it has left something that can be taken over.
    pub importable: bool,
}

/// What each of them leaves behind, the surest trace first.
const TRACES: [(&str, Preset); 13] = [
    (".cub", Preset::Cub),
    (".cub.json", Preset::Cub),
    (".prp-session", Preset::Prp),
    ("PRPs", Preset::Prp),
    (".liza", Preset::Liza),
    ("_bmad", Preset::Bmad),
    (".bmad-core", Preset::Bmad),
    ("claude-progress.txt", Preset::Bmad),
    ("memory/learned-patterns.md", Preset::Superkit),
    ("memory/improvement-log.md", Preset::Superkit),
    (".ralph", Preset::Native),
    (".ralphrc", Preset::Native),
    (".circuit_breaker_state", Preset::Native),
];

/// The systems that a project uses, each once.
#[must_use]
pub fn companions(is_there: impl Fn(&str) -> bool) -> Vec<Companion> {
    let mut found: Vec<Companion> = Vec::new();
    for (trace, preset) in TRACES {
        if !is_there(trace) || found.iter().any(|known| known.preset == preset) {
            continue;
        }
        let importable = EXISTING
            .iter()
            .filter(|system| system.preset() == preset)
            .any(|system| system.files().iter().any(|file| is_there(file.path)));
        found.push(Companion {
            trace,
            preset,
            importable,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str]) -> Vec<(&'static str, Preset, bool)> {
        companions(|path| paths.contains(&path))
            .into_iter()
            .map(|one| (one.trace, one.preset, one.importable))
            .collect()
    }

    #[test]
    fn a_system_is_known_by_its_traces_and_named_once() {
        assert_eq!(found(&[]), []);
        assert_eq!(found(&[".ralph"]), [(".ralph", Preset::Native, false)]);
        assert_eq!(
            found(&[".ralph", ".ralphrc"]),
            [(".ralph", Preset::Native, true)]
        );
        assert_eq!(
            found(&[".cub", ".cub/config.json", ".liza"]),
            [(".cub", Preset::Cub, true), (".liza", Preset::Liza, false)]
        );
        assert_eq!(
            found(&["memory/improvement-log.md"]),
            [("memory/improvement-log.md", Preset::Superkit, false)]
        );
    }
}
