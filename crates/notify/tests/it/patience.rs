//! The loop is never held up, and nobody is flooded.

use std::time::{Duration, Instant};

use fusebox_notify::{Kind, Notice, Notifier, Pace};

use crate::server::{Answer, OK, Server, quick};

fn numbered(number: usize) -> Notice {
    Notice::new(Kind::Warned, format!("number {number}"), 0)
}

#[test]
fn a_receiver_that_hangs_holds_nobody_up() {
    let server = Server::answering(&[Answer::Hang]);
    let notifier = server.notifier(Pace {
        queue: 8,
        attempt: Duration::from_secs(30),
        ..quick()
    });
    let start = Instant::now();
    notifier.send(&numbered(0));
    server.next();
    (1..=100).for_each(|number| notifier.send(&numbered(number)));
    assert!(start.elapsed() < Duration::from_secs(5));
    let report = notifier.reports().remove(0);
    assert_eq!((report.dropped, report.waiting), (92, 9), "{report:?}");

    let start = Instant::now();
    let report = notifier.flush(Duration::from_millis(300)).remove(0);
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!((report.delivered, report.waiting), (0, 9), "{report:?}");
}

#[test]
fn a_hanging_attempt_ends_and_the_next_one_arrives() {
    let server = Server::answering(&[Answer::Hang, OK]);
    let notifier = server.notifier(Pace {
        attempt: Duration::from_millis(200),
        ..quick()
    });
    notifier.send(&numbered(1));
    assert_eq!(notifier.flush(Duration::from_secs(20))[0].delivered, 1);
}

#[test]
fn a_pause_ends_when_the_run_does() {
    let server = Server::answering(&[Answer::Say("500 No", "")]);
    let notifier = server.notifier(Pace {
        first_pause: Duration::from_secs(50),
        ..quick()
    });
    notifier.send(&numbered(1));
    server.next();
    let start = Instant::now();
    let report = notifier.flush(Duration::from_secs(3)).remove(0);
    assert_eq!(report.failed, 1, "{report:?}");
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn the_newest_survive_an_overflow() {
    let server = Server::answering(&[Answer::Say("429 Slow\r\nretry-after: 1", ""), OK]);
    let notifier = server.notifier(Pace {
        queue: 2,
        ..quick()
    });
    notifier.send(&numbered(0));
    server.next();
    (1..=5).for_each(|number| notifier.send(&numbered(number)));
    let report = notifier.flush(Duration::from_secs(20)).remove(0);
    assert_eq!((report.delivered, report.dropped), (3, 3), "{report:?}");
    let titles: Vec<_> = (0..3)
        .map(|_| server.next().json()["title"].clone())
        .collect();
    assert_eq!(titles, ["number 0", "number 4", "number 5"]);
}

#[test]
fn the_same_news_is_sent_once() {
    let server = Server::answering(&[OK]);
    let notifier = server.notifier(quick());
    for iteration in 1..=5 {
        notifier.send(&Notice {
            iteration: Some(iteration),
            ..numbered(1)
        });
    }
    let report = notifier.flush(Duration::from_secs(20)).remove(0);
    assert_eq!((report.delivered, report.repeated), (1, 4), "{report:?}");
}

#[test]
fn a_burst_is_spread() {
    let server = Server::answering(&[OK]);
    let notifier = server.notifier(Pace {
        burst: 2,
        window: Duration::from_millis(600),
        ..quick()
    });
    (0..3).for_each(|number| notifier.send(&numbered(number)));
    let requests: Vec<_> = (0..3).map(|_| server.next()).collect();
    let waited = requests[2].at.duration_since(requests[0].at);
    assert!(waited >= Duration::from_millis(500), "{waited:?}");
}

#[test]
fn without_a_sink_nothing_is_sent() {
    let notifier = Notifier::start(Vec::new(), Pace::default()).unwrap();
    notifier.send(&numbered(1));
    assert!(notifier.flush(Duration::from_secs(3)).is_empty());
}
