//! Those who call the observer from inside the step.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::Command;

use fusebox_supervise::{StepEnd, StepObserver, Stream};
use rustix::fs::{Mode, OFlags};

use crate::support::{run, shell};

const TIMES: usize = 200;

/// Is called through a pipe, and notes how much it had heard by then.
struct Called {
    pipe: File,
    heard: usize,
    /// What was called and not yet answered.
    waiting: Vec<usize>,
    /// What was called, and the lines that were heard before it was answered.
    calls: Vec<(usize, usize)>,
}

impl StepObserver for Called {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        self.heard += bytes.iter().filter(|byte| **byte == b'\n').count();
    }

    fn callers(&self) -> Vec<BorrowedFd<'_>> {
        vec![self.pipe.as_fd()]
    }

    fn hear_callers(&mut self) {
        let mut said = [0; 4096];
        let length = self.pipe.read(&mut said).unwrap();
        let said = std::str::from_utf8(&said[..length]).unwrap();
        let numbers = said.lines().map(|line| line.parse::<usize>().unwrap());
        self.waiting.extend(numbers);
    }

    fn answer_callers(&mut self) {
        let answered = self.waiting.drain(..).map(|number| (number, self.heard));
        self.calls.extend(answered);
    }
}

#[test]
fn what_was_written_before_a_call_is_heard_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut called = Called {
        pipe: rustix::fs::open(&path, flags, Mode::empty())
            .unwrap()
            .into(),
        heard: 0,
        waiting: Vec::new(),
        calls: Vec::new(),
    };
    let script = format!(
        "exec 3> '{}'; n=0; while [ $n -lt {TIMES} ]; do n=$((n + 1)); echo $n; echo $n >&3; done",
        path.display()
    );
    let report = run(&shell(&script), &mut called);
    assert_eq!(report.end, StepEnd::Exited(0));
    let numbers: Vec<usize> = called.calls.iter().map(|(number, _)| *number).collect();
    // The last may come when the step has ended.
    assert!(numbers.len() > TIMES / 2, "{numbers:?}");
    for (number, heard) in called.calls {
        assert!(
            heard >= number,
            "{number} was called when {heard} lines were heard"
        );
    }
}
