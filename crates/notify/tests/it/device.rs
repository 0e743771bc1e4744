//! A terminal that can be read from the other side.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::fd::AsFd;
use std::time::Duration;

use fusebox_notify::{Kind, Notice, Notifier, Pace, Sink, Terminal, TerminalKind};

/// The master of a pseudo-terminal is a terminal itself and echoes what is
/// written to it, with its control characters made visible.
#[test]
fn a_terminal_is_told() {
    let Ok(mut device) = OpenOptions::new().read(true).write(true).open("/dev/ptmx") else {
        eprintln!("SKIPPED: there are no pseudo-terminals");
        return;
    };
    let terminal = Terminal::on(device.as_fd(), TerminalKind::Osc9).unwrap();
    let notifier = Notifier::start(vec![Sink::Terminal(terminal)], Pace::default()).unwrap();
    notifier.send(&Notice::new(Kind::Paused, "4;1;50", 0));
    let report = notifier.flush(Duration::from_secs(20)).remove(0);
    assert_eq!((report.sink.as_str(), report.delivered), ("terminal", 1));
    let mut echoed = [0; 64];
    let length = device.read(&mut echoed).unwrap();
    let echoed = String::from_utf8_lossy(&echoed[..length]);
    assert_eq!(echoed, "^[]9;fusebox: 4;1;50^G");
}
