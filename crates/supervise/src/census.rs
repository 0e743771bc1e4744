//! What a tree is made of and has done so far, at one moment.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::lineage::Lineage;
use crate::process::{Process, Table, Written, command_words, written_by};

/// Programs whose first argument, if it is a path, is what really runs.
const INTERPRETERS: [&str; 4] = ["node", "bun", "deno", "python"];

/// A look at the whole tree.
pub(crate) struct Census {
    /// All processor time, of the living and of the buried.
    pub(crate) cpu: Duration,
    /// `None` where the system does not tell.
    pub(crate) written: Option<Written>,
    /// Entries in the process table, those of the dead included: they use up
    /// process ids just the same.
    pub(crate) processes: u32,
    /// Living processes that run one of the programs asked for.
    pub(crate) agents: u32,
}

impl Census {
    /// Looks at all below `keeper`, and where orphans are searched for at those
    /// of its `lineage`; `None` if the process table is not to be had.
    pub(crate) fn take(
        keeper: i32,
        lineage: Option<&Lineage>,
        programs: &[String],
    ) -> Option<Self> {
        let table = Table::read().ok()?;
        let tree = match lineage {
            None => table.closure(|process| process.parent == keeper),
            Some(lineage) => table.closure(|process| lineage.holds(process)),
        };
        let mut census = Self {
            cpu: Duration::ZERO,
            written: written_by(keeper),
            processes: 0,
            agents: 0,
        };
        for process in table.iter() {
            if process.id.pid == keeper {
                census.cpu += process.cpu().waited;
            } else if tree.contains(&process.id.pid) {
                let cpu = process.cpu();
                census.cpu += cpu.own + cpu.waited;
                census.count(process, programs);
            }
        }
        Some(census)
    }

    fn count(&mut self, process: &Process, programs: &[String]) {
        self.processes += 1;
        self.agents += u32::from(!process.dead && runs_one_of(process, programs));
        if let (Some(sum), Some(written)) = (&mut self.written, written_by(process.id.pid)) {
            sum.by_calls += written.by_calls;
            sum.to_storage += written.to_storage;
        }
    }
}

fn runs_one_of(process: &Process, programs: &[String]) -> bool {
    !programs.is_empty() && {
        let names = program_names(&process.name, &command_words(process.id.pid));
        programs.iter().any(|program| names.contains(program))
    }
}

/// Under which names a process may be known: the one it goes by, that of its
/// command, and that of the script if the command is an interpreter. Another
/// argument does not count, or `grep codex` would be an agent.
fn program_names(name: &str, words: &[String]) -> Vec<String> {
    let last = |path: &str| Path::new(path).file_name().map(lossy).unwrap_or_default();
    let stem = |path: &str| Path::new(path).file_stem().map(lossy).unwrap_or_default();
    let mut names = vec![name.to_owned()];
    names.extend(words.first().map(|command| last(command)));
    let interpreted = INTERPRETERS
        .iter()
        .any(|word| names[names.len() - 1].starts_with(word));
    let script = words
        .get(1)
        .filter(|script| interpreted && script.contains('/'));
    names.extend(script.map(|script| stem(script)));
    names
}

fn lossy(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_behind_its_interpreter_but_not_as_an_argument() {
        for (name, words, known) in [
            ("codex", vec!["codex", "exec"], true),
            ("node", vec!["/usr/bin/codex"], true),
            ("node", vec!["node", "/usr/local/bin/codex", "exec"], true),
            ("MainThread", vec!["node", "/opt/x/bin/codex.js"], true),
            ("python3", vec!["python3.11", "/usr/bin/codex"], true),
            ("grep", vec!["grep", "codex"], false),
            ("cat", vec!["cat", "/usr/local/bin/codex"], false),
            ("node", vec!["node", "codex"], false),
            ("codex-helper", vec!["codex-helper"], false),
            ("kworker", vec![], false),
        ] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let names = program_names(name, &words);
            assert_eq!(
                names.contains(&"codex".to_owned()),
                known,
                "{name} {words:?}"
            );
        }
    }
}
