//! Rolling budgets: no true window ever holds more than was allowed.

use fusebox_core::budget::{Budget, Reserved};
use fusebox_core::circuit::GrantId;
use fusebox_core::policy::WindowLimit;
use fusebox_core::{BootId, Moment};
use proptest::prelude::*;

use crate::harness::{RULE, up};

fn used(budget: &Budget, at: u64) -> u64 {
    budget.left(&RULE, &up(at)).used
}

#[test]
fn a_share_is_put_aside_and_settled_by_what_was_used() {
    let mut budget = Budget::default();
    assert_eq!(
        budget.reserve(GrantId(1), &RULE, &up(10_000)),
        Reserved::Granted
    );
    assert_eq!(used(&budget, 10_001), 40, "in full while it is under way");
    budget.settle(Some(GrantId(1)), Some(15), &RULE, &up(10_100));
    assert_eq!(used(&budget, 10_100), 15);
    assert_eq!(used(&budget, 10_100 + 6_199), 15);
    assert_eq!(used(&budget, 10_100 + 6_200), 0, "and not a moment longer");
    budget.settle(None, Some(15), &RULE, &up(20_001));
    assert_eq!(
        used(&budget, 20_001 + 6_298),
        15,
        "one slot late at the most"
    );
    assert_eq!(used(&budget, 20_001 + 6_299), 0);
}

#[test]
fn unknown_is_not_zero_and_a_lost_reservation_counts_in_full() {
    let mut unknown = Budget::default();
    unknown.reserve(GrantId(1), &RULE, &up(0));
    unknown.settle(Some(GrantId(1)), None, &RULE, &up(10));
    assert_eq!(used(&unknown, 20), 40);
    unknown.settle(None, None, &RULE, &up(30));
    assert_eq!(used(&unknown, 40), 80, "nobody asked, and nobody said");

    let mut lost = Budget::default();
    lost.reserve(GrantId(1), &RULE, &up(0));
    assert_eq!((used(&lost, 12_399), used(&lost, 12_400)), (40, 0));
    lost.reserve(GrantId(2), &RULE, &up(3_000));
    assert_eq!(used(&lost, 3_000), 80);
    // The first one reports after all: what it used was used as late as now.
    lost.settle(Some(GrantId(1)), Some(7), &RULE, &up(3_100));
    assert_eq!(used(&lost, 3_100), 87);
    lost.settle(Some(GrantId(1)), None, &RULE, &up(3_100));
    assert_eq!(
        used(&lost, 3_100),
        87,
        "its share was counted when it was lost"
    );
    lost.settle(Some(GrantId(2)), None, &RULE, &up(20_000));
    assert_eq!(used(&lost, 20_000), 0, "it has counted for its two windows");
}

#[test]
fn what_was_used_before_a_reboot_counts_until_the_uptime_covers_the_window() {
    let mut budget = Budget::default();
    budget.settle(None, Some(30), &RULE, &up(9_000));
    budget.reserve(GrantId(1), &RULE, &up(9_100));
    let rebooted = |boot_ms| Moment {
        wall_ms: i64::MAX,
        boot_ms,
        boot: BootId(2),
    };
    let used = |budget: &Budget, at| budget.left(&RULE, &rebooted(at)).used;
    assert_eq!((used(&budget, 6_199), used(&budget, 6_200)), (70, 0));
    budget.settle(Some(GrantId(1)), None, &RULE, &rebooted(300));
    assert_eq!((used(&budget, 6_199), used(&budget, 6_200)), (70, 0));
}

#[test]
fn an_overrun_is_counted_and_nothing_is_granted_until_it_has_aged_out() {
    let mut budget = Budget::default();
    budget.reserve(GrantId(1), &RULE, &up(0));
    budget.settle(Some(GrantId(1)), Some(250), &RULE, &up(100));
    let left = budget.left(&RULE, &up(200));
    assert_eq!((left.used, left.left), (250, 0));
    let refused = budget.reserve(GrantId(2), &RULE, &up(200));
    let Reserved::Refused {
        next_slot_ms: Some(wait),
    } = refused
    else {
        panic!("{refused:?}")
    };
    assert_eq!(budget.wait_for(40, &RULE, &up(200 + wait - 1)), Some(1));
    assert_eq!(
        budget.reserve(GrantId(2), &RULE, &up(200 + wait)),
        Reserved::Granted
    );
}

#[test]
fn a_limit_of_nothing_is_never_granted_and_a_large_share_is_cut_to_the_limit() {
    for (used, near) in [
        (0, false),
        (79, false),
        (80, true),
        (100, true),
        (u64::MAX, true),
    ] {
        assert_eq!(RULE.is_near(used), near, "{used}");
    }
    let never_near = WindowLimit {
        warn_percent: 0,
        ..RULE
    };
    assert!(!never_near.is_near(u64::MAX));
    let none = WindowLimit { limit: 0, ..RULE };
    let never = Reserved::Refused { next_slot_ms: None };
    assert_eq!(Budget::default().reserve(GrantId(1), &none, &up(0)), never);
    let large = WindowLimit {
        reserve: 1_000,
        ..RULE
    };
    let mut budget = Budget::default();
    assert_eq!(
        budget.reserve(GrantId(1), &large, &up(0)),
        Reserved::Granted
    );
    assert_eq!(budget.left(&large, &up(0)).left, 0);
}

#[test]
fn memory_is_bounded_whatever_happens_to_the_window() {
    let mut budget = Budget::default();
    let slots = |budget: &Budget| {
        let value = serde_json::to_value(budget).unwrap();
        value["slots"].as_array().unwrap().len()
    };
    let (mut now, mut most) = (0, 0);
    for n in 0..5_000_u64 {
        now += n % 97;
        let rule = WindowLimit {
            window_ms: if n % 500 < 250 { 6_200 } else { 62_000 },
            limit: u64::MAX,
            reserve: 1,
            ..RULE
        };
        let before = budget.left(&rule, &up(now)).used;
        budget.settle(None, Some(3), &rule, &up(now));
        assert!(
            budget.left(&rule, &up(now)).used >= before + 3,
            "forgot something at {n}"
        );
        most = most.max(slots(&budget));
    }
    assert_eq!(most, 64, "and none is given away");
}

#[test]
fn what_shares_a_slot_pushes_nothing_out() {
    let mut budget = Budget::default();
    budget.settle(None, Some(5), &RULE, &up(100));
    for _ in 0..99 {
        budget.settle(None, Some(1), &RULE, &up(3_000));
    }
    assert_eq!((used(&budget, 6_299), used(&budget, 6_300)), (104, 99));
}

/// What a test does to the machine between two iterations.
#[derive(Clone, Debug)]
enum Happening {
    Wait(u64),
    SetWallClock(i64),
    Reboot,
    Ask,
    /// The iteration under way reports this share, in percent, of what was
    /// reserved, and used it at its beginning or at its end.
    Report {
        percent: u64,
        late: bool,
    },
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => (0_u64..3_000).prop_map(Happening::Wait),
        1 => any::<i64>().prop_map(Happening::SetWallClock),
        1 => Just(Happening::Reboot),
        6 => Just(Happening::Ask),
        6 => (0_u64..=100, any::<bool>()).prop_map(|(percent, late)| Happening::Report { percent, late }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn no_true_window_ever_holds_more_than_the_budget(
        happenings in prop::collection::vec(happening(), 1..120),
        reserve in 1_u64..=100,
    ) {
        let rule = WindowLimit { reserve, ..RULE };
        let (mut truth, mut booted, mut boot, mut wall) = (0_u64, 0_u64, 1_u64, 0_i64);
        let (mut budget, mut asked) = (Budget::default(), 0);
        // The iteration under way: its grant, when it began, and when it must have
        // ended: within a window, and with the machine.
        let mut under_way: Option<(GrantId, u64, u64)> = None;
        let mut consumed: Vec<(u64, u64)> = Vec::new();
        for happening in happenings {
            let now = Moment { wall_ms: wall, boot_ms: truth - booted, boot: BootId(boot) };
            match happening {
                Happening::Wait(ms) => truth += ms,
                Happening::SetWallClock(to) => wall = to,
                Happening::Reboot => {
                    booted = truth;
                    boot += 1;
                    under_way = under_way.map(|(grant, began, end)| (grant, began, end.min(truth)));
                }
                Happening::Ask => {
                    asked += 1;
                    if budget.reserve(GrantId(asked), &rule, &now) == Reserved::Granted {
                        // One that never reported may have used all of it, up to
                        // the moment it was given up.
                        consumed.extend(under_way.map(|(_, _, end)| (truth.min(end), reserve)));
                        under_way = Some((GrantId(asked), truth, truth + rule.window_ms - 1));
                    }
                }
                Happening::Report { percent, late } => if let Some((grant, began, end)) = under_way.take() {
                    let actual = reserve * percent / 100;
                    consumed.push((if late { truth.min(end) } else { began }, actual));
                    budget.settle(Some(grant), Some(actual), &rule, &now);
                }
            }
        }
        for (start, _) in &consumed {
            let in_window = consumed.iter().filter(|(at, _)| at >= start && at - start < rule.window_ms);
            let sum: u64 = in_window.map(|(_, amount)| amount).sum();
            prop_assert!(sum <= rule.limit, "{sum}: {consumed:?}");
        }
    }

    #[test]
    fn whoever_is_refused_and_waits_as_told_is_granted(amounts in prop::collection::vec((0_u64..500, 0_u64..60), 1..40)) {
        let (mut budget, mut now) = (Budget::default(), 0);
        for (gap, amount) in amounts {
            now += gap;
            budget.settle(None, Some(amount), &RULE, &up(now));
            let wait = budget.wait_for(40, &RULE, &up(now)).unwrap();
            prop_assert_eq!(budget.wait_for(40, &RULE, &up(now + wait)), Some(0));
            prop_assert!(wait == 0 || budget.wait_for(40, &RULE, &up(now + wait - 1)) != Some(0));
        }
    }
}
