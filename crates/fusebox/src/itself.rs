//! This very program, started once more.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// More than it ever says.
const MOST_BYTES: u64 = 1 << 20;
/// How often it is asked whether it has ended.
const POLL: Duration = Duration::from_millis(5);
/// How long the last words of one that has ended are waited for: something that it started may
/// still hold the other end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where this program is.
pub(crate) fn path() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Whether a path leads to this program, by whatever name.
pub(crate) fn is_at(program: &Path) -> io::Result<bool> {
    let (there, here) = (fs::metadata(program)?, fs::metadata(path()?)?);
    Ok((there.dev(), there.ino()) == (here.dev(), here.ino()))
}

/// Starts it, hands it `input`, and waits for its end as long as `patience` lasts.
pub(crate) fn called(
    arguments: &[impl AsRef<OsStr>],
    directory: Option<&Path>,
    input: &[u8],
    patience: Duration,
) -> io::Result<Output> {
    let mut command = Command::new(path()?);
    command.args(arguments);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (stdout, stderr) = (heard(child.stdout.take()), heard(child.stderr.take()));
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // One that does not read what it is handed shows in what it answers.
        thread::spawn(move || stdin.write_all(&input));
    }
    let status = ended_within(&mut child, patience)?;
    let all = |words: Receiver<Vec<u8>>| words.recv_timeout(LAST_WORDS).unwrap_or_default();
    Ok(Output {
        status,
        stdout: all(stdout),
        stderr: all(stderr),
    })
}

fn heard(from: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut words = Vec::new();
        if let Some(mut from) = from {
            let _ = from.by_ref().take(MOST_BYTES).read_to_end(&mut words);
            let _ = tell.send(words);
            let _ = io::copy(&mut from, &mut io::sink());
        }
    });
    told
}

fn ended_within(child: &mut Child, patience: Duration) -> io::Result<ExitStatus> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begun.elapsed() >= patience {
            child.kill()?;
            child.wait()?;
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(POLL);
    }
}
