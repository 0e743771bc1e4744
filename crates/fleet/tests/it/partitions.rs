//! A server that is gone, and one that is there and does not answer.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use fusebox_fleet::{Amounts, Coordinator, FleetError, Scope};

use super::support::{at, request, worker};

#[test]
fn nothing_is_granted_by_a_server_that_is_gone_and_nobody_waits_for_it_twice() {
    // A port that was just free.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mut coordinator = at(&format!("postgres://u@127.0.0.1:{port}/d"));
    let take = request(&worker("r"), &[Scope::Fleet], Amounts::calls(1));
    let first = coordinator.take(&take).unwrap_err();
    assert!(matches!(first, FleetError::Unreachable { .. }), "{first}");
    assert!(
        first.to_string().starts_with("no coordinator since "),
        "{first}"
    );
    let again = Instant::now();
    let second = coordinator.take(&take).unwrap_err();
    assert_eq!(first.to_string(), second.to_string());
    assert!(again.elapsed() < Duration::from_millis(100));
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for_for_long() {
    // Connections are taken by the kernel, and nobody ever answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut coordinator = at(&format!("postgres://u@127.0.0.1:{port}/d"));
    let began = Instant::now();
    let error = coordinator.overview().unwrap_err();
    assert!(matches!(error, FleetError::Unreachable { .. }), "{error}");
    assert!(
        began.elapsed() < Duration::from_secs(14),
        "{:?}",
        began.elapsed()
    );
}
