//! Both ends, with what can go wrong between them.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::message::tests::report;
use super::*;

/// Longer than a question may take, on a machine that has other things to do.
const SOON: Duration = Duration::from_secs(3);

fn us() -> i32 {
    i32::try_from(process::id()).unwrap()
}

/// A path that is too long for an address.
fn place() -> (TempDir, PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let deep = top.path().join("d".repeat(100)).join("e".repeat(100));
    fs::create_dir_all(&deep).unwrap();
    (top, deep.join("run-default.sock"))
}

/// A supervisor that answers for as long as it is held, and counts what it was asked.
struct Serving {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<(Switchboard, usize, usize)>>,
}

impl Serving {
    fn begin(mut board: Switchboard) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let (mut asked, mut most) = (0, 0);
            while !told.load(Ordering::SeqCst) {
                board.hear();
                board.answer(|_| {
                    asked += 1;
                    Reply::Elsewhere
                });
                most = most.max(board.sources().len());
                thread::sleep(Duration::from_millis(1));
            }
            (board, asked, most)
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }

    /// How often it was asked, and for how many descriptors it waited at most.
    fn end(mut self) -> (Switchboard, usize, usize) {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// Connects as anybody can who knows the place.
fn connect(path: &Path) -> UnixStream {
    let short = tempfile::tempdir().unwrap();
    let link = short.path().join("l");
    std::os::unix::fs::symlink(path, &link).unwrap();
    UnixStream::connect(link).unwrap()
}

#[test]
fn a_question_is_answered_wherever_the_state_is_kept() {
    let (_top, path) = place();
    let board = Switchboard::open(&path).unwrap();
    let mode = path.symlink_metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let serving = Serving::begin(board);
    assert_eq!(ask(&path, us(), &report("Bash ls")), Some(Reply::Elsewhere));
    let (board, asked, _) = serving.end();
    assert_eq!(asked, 1);
    drop(board);
    assert!(!path.exists(), "it is gone with the supervisor");
    assert_eq!(ask(&path, us(), &report("Bash ls")), None);
}

#[test]
fn nobody_but_the_supervisor_is_believed() {
    let (_top, path) = place();
    let serving = Serving::begin(Switchboard::open(&path).unwrap());
    assert_eq!(ask(&path, us() + 1, &report("Bash ls")), None);
    drop(serving);
}

#[test]
fn what_a_dead_supervisor_left_behind_is_replaced() {
    let (_top, path) = place();
    // A listener that is closed leaves its file.
    let board = Switchboard::open(&path).unwrap();
    fs::rename(&path, path.with_extension("kept")).unwrap();
    drop(board);
    fs::rename(path.with_extension("kept"), &path).unwrap();
    assert_eq!(ask(&path, us(), &report("Bash ls")), None);
    let serving = Serving::begin(Switchboard::open(&path).unwrap());
    assert_eq!(ask(&path, us(), &report("Bash ls")), Some(Reply::Elsewhere));
    drop(serving);
}

/// What stands in the place of the socket, and what a hook makes of it in time.
#[test]
fn whatever_stands_there_there_is_an_end_to_waiting() {
    let top = tempfile::tempdir().unwrap();
    let at = |name: &str| top.path().join(name);
    let real = at("real");
    let serving = Serving::begin(Switchboard::open(&real).unwrap());
    std::os::unix::fs::symlink(&real, at("link")).unwrap();
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("directory")).unwrap();
    let made = process::Command::new("mkfifo").arg(at("fifo")).status();
    assert!(made.unwrap().success());
    let _silent = UnixListener::bind(at("silent")).unwrap();
    let talks = |name: &str, words: Vec<u8>| {
        let listener = UnixListener::bind(at(name)).unwrap();
        thread::spawn(move || {
            for caller in listener.incoming() {
                let mut caller = caller.unwrap();
                let _ = caller.read(&mut [0; 4096]);
                for piece in words.chunks(1000) {
                    if caller.write_all(piece).is_err() {
                        break;
                    }
                    thread::sleep(Duration::from_millis(50));
                }
            }
        });
    };
    talks("garbage", b"{\"nothing\": 3}\n".to_vec());
    talks("endless", vec![b'x'; 100_000]);
    talks("half", b"\"nothi".to_vec());
    for name in [
        "missing",
        "link",
        "file",
        "directory",
        "fifo",
        "silent",
        "garbage",
        "endless",
        "half",
    ] {
        let begun = Instant::now();
        assert_eq!(ask(&at(name), us(), &report("Bash ls")), None, "{name}");
        assert!(begun.elapsed() < SOON, "{name}: {:?}", begun.elapsed());
    }
    drop(serving);
}

#[test]
fn a_queue_that_is_full_is_not_waited_for() {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().join("s");
    let _board = Switchboard::open(&path).unwrap();
    let mut waiting = Vec::new();
    // Nobody lets them in, so that at some point the next one has to wait.
    for _ in 0..6000 {
        let began = Instant::now();
        if ask_without_patience(&path, &mut waiting).is_err() {
            break;
        }
        assert!(began.elapsed() < SOON);
    }
    let begun = Instant::now();
    assert_eq!(ask(&path, us(), &report("Bash ls")), None);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

fn ask_without_patience(path: &Path, waiting: &mut Vec<UnixStream>) -> std::io::Result<()> {
    use rustix::net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
    };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    waiting.push(socket.into());
    Ok(())
}

#[test]
fn two_hundred_who_say_nothing_keep_nobody_from_being_heard() {
    let (_top, path) = place();
    let serving = Serving::begin(Switchboard::open(&path).unwrap());
    let silent: Vec<UnixStream> = (0..200).map(|_| connect(&path)).collect();
    // They are hung up on in turn. Until then a hook judges by itself.
    let until = Instant::now() + Duration::from_secs(30);
    while ask(&path, us(), &report("Bash ls")).is_none() {
        assert!(Instant::now() < until, "nobody is heard any more");
    }
    let (_, asked, most) = serving.end();
    assert!(asked >= 1 && most <= 33, "{asked} {most}");
    drop(silent);
}

#[test]
fn who_says_too_much_or_nonsense_is_hung_up_on() {
    let (_top, path) = place();
    let serving = Serving::begin(Switchboard::open(&path).unwrap());
    for words in [
        vec![b'x'; 64 * 1024],
        b"\n".to_vec(),
        b"{\"reset\":true}\n".to_vec(),
        b"\xff\xfe\n".to_vec(),
    ] {
        let mut caller = connect(&path);
        caller.set_read_timeout(Some(SOON)).unwrap();
        // It may be hung up on before all of it is said.
        let _ = caller.write_all(&words);
        let mut answer = Vec::new();
        match caller.read_to_end(&mut answer) {
            Ok(_) => assert_eq!(answer, b""),
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
    let (_, asked, _) = serving.end();
    assert_eq!(asked, 0);
}

#[test]
fn whoever_called_before_a_step_began_is_not_heard_in_it() {
    let (_top, path) = place();
    let mut board = Switchboard::open(&path).unwrap();
    let mut early = connect(&path);
    early.write_all(b"{}\n").unwrap();
    board.begin_anew();
    let mut asked = 0;
    board.hear();
    board.answer(|_| {
        asked += 1;
        Reply::Nothing
    });
    assert_eq!((asked, board.sources().len()), (0, 1));
}
