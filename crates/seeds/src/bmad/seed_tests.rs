//! What an edit of the progress file amounts to.

use super::*;

fn ours(failures: u32, status: Status) -> Ledger {
    Ledger {
        session: None,
        past: 0,
        failures,
        threshold: 5,
        status,
        features: None,
    }
}

#[test]
fn req_d_024_a_file_may_accuse_and_not_excuse() {
    let said = |text: &str| Progress::read(text).unwrap();
    for (text, ours, stricter, looser) in [
        (
            "consecutive_failures=2\n",
            ours(2, Status::Healthy),
            false,
            false,
        ),
        (
            "consecutive_failures=3\n",
            ours(2, Status::Healthy),
            true,
            false,
        ),
        (
            "consecutive_failures=0\n",
            ours(2, Status::Healthy),
            false,
            true,
        ),
        ("", ours(2, Status::Healthy), false, true),
        (
            "circuit_breaker_threshold=4\n",
            ours(0, Status::Healthy),
            true,
            false,
        ),
        (
            "circuit_breaker_threshold=0\n",
            ours(0, Status::Healthy),
            false,
            true,
        ),
        (
            "circuit_breaker_threshold=99\n",
            ours(0, Status::Healthy),
            false,
            true,
        ),
        (
            "circuit_breaker_status=TRIGGERED\n",
            ours(0, Status::Healthy),
            true,
            false,
        ),
        (
            "consecutive_failures=5\ncircuit_breaker_status=HEALTHY\n",
            ours(5, Status::Triggered),
            false,
            true,
        ),
        (
            "consecutive_failures=9\ncircuit_breaker_status=COMPLETE\n",
            ours(5, Status::Triggered),
            true,
            true,
        ),
    ] {
        let found = (
            tightens(&said(text), &ours).is_some(),
            relaxes(&said(text), &ours).is_some(),
        );
        assert_eq!(found, (stricter, looser), "{text:?}");
    }
}
