//! Feeding recordings to readers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fusebox_agents::{AgentEvent, Exit, LineSplitter, Reading, RunEnd, Stream, Totals, by_name};

/// When the recordings are read: 2026-11-15 19:40:00 UTC, the day they were made.
pub(crate) const NOW: i64 = 1_794_771_600_000;

/// What an agent printed in one scenario.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn root() -> Option<PathBuf> {
    let root = std::env::var_os("FUSEBOX_RECORDINGS").map(PathBuf::from);
    if root.is_none() {
        eprintln!("SKIPPED: FUSEBOX_RECORDINGS names no directory with recordings");
    }
    root
}

impl Recording {
    /// The recording, unless there are none at all on this machine.
    pub(crate) fn load(folder: &str, scenario: &str) -> Option<Self> {
        let folder = root()?.join(folder);
        let stdout = std::fs::read(folder.join(format!("{scenario}.stdout")));
        let stderr = std::fs::read(folder.join(format!("{scenario}.stderr")));
        assert!(
            stdout.is_ok() || stderr.is_ok(),
            "{folder:?} has no {scenario}"
        );
        Some(Self {
            name: format!("{}/{scenario}", folder.display()),
            stdout: stdout.unwrap_or_default(),
            stderr: stderr.unwrap_or_default(),
        })
    }
}

/// The names of all recordings in a folder.
pub(crate) fn scenarios(folder: &str) -> BTreeSet<String> {
    let Some(root) = root() else {
        return BTreeSet::new();
    };
    let files = std::fs::read_dir(root.join(folder)).expect("a folder");
    files
        .flatten()
        .filter_map(|file| {
            Some(
                Path::new(&file.file_name())
                    .file_stem()?
                    .to_str()?
                    .to_owned(),
            )
        })
        .collect()
}

/// Every recording of these agents, with the agent's name.
pub(crate) fn recordings_of(agents: &[&str]) -> Vec<(String, Recording)> {
    let Some(root) = root() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root).expect("recordings").flatten() {
        let folder_name = folder.file_name().to_string_lossy().into_owned();
        let agent = folder_name.split('-').next().unwrap_or("");
        if !agents.contains(&agent) {
            continue;
        }
        for file in std::fs::read_dir(folder.path())
            .expect("a folder")
            .flatten()
        {
            let file = file.file_name().to_string_lossy().into_owned();
            if let Some(scenario) = file.strip_suffix(".stdout") {
                let recording = Recording::load(&folder_name, scenario).expect("it is there");
                found.push((agent.to_owned(), recording));
            }
        }
    }
    assert!(!found.is_empty(), "there are recordings of {agents:?}");
    found
}

pub(crate) fn read(agent: &str, recording: &Recording, exit: Exit) -> (Vec<AgentEvent>, RunEnd) {
    read_chunks(agent, &[&recording.stdout], &recording.stderr, exit)
}

/// Reads a run that wrote nothing to standard error.
pub(crate) fn run(agent: &str, stdout: &str, exit: Exit) -> (Vec<AgentEvent>, RunEnd) {
    read_chunks(agent, &[stdout.as_bytes()], b"", exit)
}

pub(crate) fn read_chunks(
    agent: &str,
    stdout: &[&[u8]],
    stderr: &[u8],
    exit: Exit,
) -> (Vec<AgentEvent>, RunEnd) {
    read_resumed(agent, stdout, stderr, exit, None)
}

/// Reads standard error first, as it comes before a failing agent's end.
pub(crate) fn read_resumed(
    agent: &str,
    stdout: &[&[u8]],
    stderr: &[u8],
    exit: Exit,
    earlier: Option<Totals>,
) -> (Vec<AgentEvent>, RunEnd) {
    let agent = by_name(agent).expect("an agent of ours");
    let mut reader = agent.reader(Reading {
        earlier,
        ..Reading::default()
    });
    let mut events = Vec::new();
    for (stream, chunks) in [(Stream::Stderr, &[stderr][..]), (Stream::Stdout, stdout)] {
        let mut lines = LineSplitter::default();
        for chunk in chunks {
            lines.push(chunk, |line| reader.line(stream, line, NOW, &mut events));
        }
        lines.finish(|line| reader.line(stream, line, NOW, &mut events));
    }
    let end = reader.end(exit, NOW);
    (events, end)
}
