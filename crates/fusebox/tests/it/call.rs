//! One call of the program, and what came of it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Far longer than anything here takes, even on a crowded machine.
pub(crate) const AGES: Duration = Duration::from_secs(60);

/// A call in the making.
///
/// What it says goes to files and not to pipes: a process that outlives the
/// program cannot keep a test waiting for the end of a file.
pub(crate) struct Call {
    command: Command,
    shown: String,
    stdout: File,
    stderr: File,
}

impl Call {
    /// `program` leads a session of its own, so that no test depends on
    /// whether the person who runs it sits at a terminal.
    pub(crate) fn new(prefix: &[&str], program: &Path, args: &[&str]) -> Self {
        let mut command = Command::new("setsid");
        command.args(prefix).arg(program).args(args);
        let (stdout, stderr) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        command
            .stdin(Stdio::null())
            .stdout(stdout.try_clone().unwrap())
            .stderr(stderr.try_clone().unwrap());
        command.env_clear();
        Self {
            command,
            shown: args.join(" "),
            stdout,
            stderr,
        }
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn inside(mut self, directory: impl AsRef<Path>) -> Self {
        self.command.current_dir(directory);
        self
    }

    pub(crate) fn input(mut self, bytes: impl AsRef<[u8]>) -> Self {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes.as_ref()).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        self.command.stdin(file);
        self
    }

    /// Lets the test write the program's input while it runs.
    pub(crate) fn piped_input(mut self) -> Self {
        self.command.stdin(Stdio::piped());
        self
    }

    pub(crate) fn no_stdout(mut self) -> Self {
        self.command.stdout(Stdio::null());
        self
    }

    /// Has standard output go where there is no room for it.
    pub(crate) fn full_stdout(mut self) -> Self {
        let full = File::options().write(true).open("/dev/full").unwrap();
        self.command.stdout(full);
        self
    }

    /// Has what is printed go into a pipe, which is read when the test does.
    pub(crate) fn into_pipe(mut self) -> (Self, std::io::PipeReader) {
        let (reader, writer) = std::io::pipe().unwrap();
        self.command.stdout(writer);
        (self, reader)
    }

    /// The same for all that is said.
    pub(crate) fn all_into_pipe(mut self) -> (Self, std::io::PipeReader) {
        let (reader, writer) = std::io::pipe().unwrap();
        self.command.stdout(writer.try_clone().unwrap());
        self.command.stderr(writer);
        (self, reader)
    }

    /// Has nobody read what is printed.
    pub(crate) fn closed_pipe(mut self) -> Self {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.command.stdout(writer);
        self
    }

    pub(crate) fn start(mut self) -> Running {
        let child = self.command.spawn().unwrap();
        Running {
            child,
            shown: self.shown,
            stdout: self.stdout,
            stderr: self.stderr,
        }
    }

    pub(crate) fn run(self) -> Finished {
        self.start().finish()
    }
}

/// A call under way. Ended with the test, if nothing else ends it.
pub(crate) struct Running {
    pub(crate) child: Child,
    shown: String,
    stdout: File,
    stderr: File,
}

impl Running {
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits until standard error holds `text`.
    pub(crate) fn wait_to_say(&mut self, text: &str) {
        wait_for(&format!("{text:?} from `{}`", self.shown), || {
            String::from_utf8_lossy(&content(&self.stderr)).contains(text)
        });
    }

    pub(crate) fn finish(mut self) -> Finished {
        drop(self.child.stdin.take());
        let until = Instant::now() + AGES;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                Instant::now() < until,
                "`{}` does not end; it said: {}",
                self.shown,
                String::from_utf8_lossy(&content(&self.stderr))
            );
            std::thread::sleep(Duration::from_millis(2));
        };
        Finished {
            code: code(status),
            shown: std::mem::take(&mut self.shown),
            stdout: content(&self.stdout),
            stderr: content(&self.stderr),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The exit code, or the signal as a negative number.
    pub(crate) code: i32,
    shown: String,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Finished {
    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Fails the test unless it ended with `code`.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            code,
            "`{}` said:\n{}\n{}",
            self.shown,
            self.out(),
            self.err()
        );
        self
    }

    /// Fails the test unless standard error holds `text`.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        let said = self.err();
        assert!(
            said.contains(text),
            "`{}` does not say {text:?} but:\n{said}",
            self.shown
        );
        self
    }

    /// Fails the test unless it complained in one line, hints aside, and gave
    /// no data.
    #[track_caller]
    pub(crate) fn complains_once(self) -> Self {
        assert_eq!(self.out(), "", "`{}` gave data", self.shown);
        self.complains_once_on_stderr()
    }

    /// Fails the test unless standard error holds one complaint.
    #[track_caller]
    pub(crate) fn complains_once_on_stderr(self) -> Self {
        let said = self.err();
        let complaints = said.lines().filter(|line| line.starts_with("error:"));
        assert_eq!(complaints.count(), 1, "`{}`: {said}", self.shown);
        self
    }

    /// Standard output, which must be one JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let lines = self.json_lines();
        assert_eq!(lines.len(), 1, "`{}` said {lines:?}", self.shown);
        lines.into_iter().next().unwrap()
    }

    /// Standard output, which must be one JSON document a line.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let out = String::from_utf8(self.stdout.clone()).unwrap();
        let read = |line: &str| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("`{}`: {error}: {line}", self.shown))
        };
        out.lines().map(read).collect()
    }
}

fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| -signal))
        .unwrap()
}

/// All of a file that a process may still be writing through the same
/// description: reading must not move its position.
fn content(file: &File) -> Vec<u8> {
    let mut bytes = Vec::new();
    let path = PathBuf::from(format!(
        "/proc/self/fd/{}",
        std::os::fd::AsRawFd::as_raw_fd(file)
    ));
    File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Waits until `it` holds.
#[track_caller]
pub(crate) fn wait_for(what: &str, mut it: impl FnMut() -> bool) {
    let until = Instant::now() + AGES;
    while !it() {
        assert!(Instant::now() < until, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
