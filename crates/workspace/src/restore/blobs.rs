//! Stored contents, one after another from one git process.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};

use crate::child::Running;
use crate::repo::Repo;
use crate::{Budget, Unmeasured};

const DOING: &str = "reading a snapshot";
/// `<id> blob <size>`, with room to spare.
const LONGEST_HEADER: u64 = 256;

pub(super) struct Blobs {
    running: Running,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    largest: u64,
    content: Vec<u8>,
}

impl Blobs {
    pub(super) fn open(repo: &Repo, budget: &Budget) -> Result<Self, Unmeasured> {
        let mut command = repo.command("cat-file");
        command.arg("--batch");
        let mut running = Running::spawn(&mut command, true, DOING, budget.per_command)?;
        let (Some(requests), Some(answers)) = (running.take_stdin(), running.take_stdout()) else {
            return Err(failed("it was started without pipes"));
        };
        Ok(Self {
            running,
            requests,
            answers: BufReader::new(answers),
            largest: budget.hashed_file_bytes,
            content: Vec::new(),
        })
    }

    /// The content of the blob `id`.
    pub(super) fn read(&mut self, id: &str) -> Result<&[u8], Unmeasured> {
        let answered = self.ask(id).map_err(|error| failed(&error.to_string()))?;
        answered.ok_or_else(|| failed("its answer has an unknown form"))?;
        Ok(&self.content)
    }

    fn ask(&mut self, id: &str) -> std::io::Result<Option<()>> {
        writeln!(self.requests, "{id}")?;
        self.requests.flush()?;
        let mut header = String::new();
        self.answers
            .by_ref()
            .take(LONGEST_HEADER)
            .read_line(&mut header)?;
        let size = header
            .strip_prefix(id)
            .and_then(|rest| rest.strip_prefix(" blob "))
            .and_then(|size| size.trim_end().parse::<u64>().ok())
            .filter(|size| *size <= self.largest);
        let Some(size) = size else { return Ok(None) };
        self.content.clear();
        let read = self
            .answers
            .by_ref()
            .take(size + 1)
            .read_to_end(&mut self.content)?;
        let ended = self.content.pop() == Some(b'\n');
        Ok((ended && read as u64 == size + 1).then_some(()))
    }

    pub(super) fn finish(self) -> Result<(), Unmeasured> {
        drop(self.requests);
        self.running.finish()
    }
}

fn failed(said: &str) -> Unmeasured {
    Unmeasured::GitFailed {
        doing: DOING,
        said: said.to_owned(),
    }
}
