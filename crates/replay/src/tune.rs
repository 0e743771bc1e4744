//! Thresholds that fit somebody's own history.
//!
//! How often good work repeats itself differs between people, projects and
//! agents. So the highest reading of each signal is taken from every session of
//! a history, and a threshold is proposed that only a given share of the
//! sessions ever reach. Nothing is known of how these sessions went: most of a
//! person's sessions are good work, and the proposal is as good as that holds.

use fusebox_core::calls::{CallPolicy, CallSignal, CallState, NEVER, Rung, readings, step};

use crate::knobs::{NoSuchNumber, Setting, numbers, with};
use crate::labels::Group;
use crate::score::{Case, judge};
use crate::share::Share;

/// The shares of sessions, in percent, that may at most be warned or stopped by
/// one signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Warned.
    pub warn: f64,
    /// Stopped.
    pub stop: f64,
}

/// A threshold, as it is and as it could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// As it is.
    pub now: Setting,
    /// The sessions that reach it.
    pub reach_now: Share,
    /// As it could be.
    pub proposed: Setting,
    /// The sessions that reach that.
    pub reach: Share,
}

/// What a history says about the thresholds.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The thresholds that could be others.
    pub proposals: Vec<Proposal>,
    /// Sessions that would be warned and stopped as it is.
    pub now: [Share; 2],
    /// And with all that is proposed.
    pub then: [Share; 2],
}

/// Looks for thresholds that fit a history. Sessions that are known to have been
/// stuck, or to have run into their limit, are left out.
///
/// # Errors
///
/// If the policy lacks a number that it should have.
pub fn tune(
    cases: &[Case],
    policy: &CallPolicy,
    tolerance: Tolerance,
) -> Result<Tuning, NoSuchNumber> {
    let stuck = |case: &&Case| matches!(case.group, Group::Stuck | Group::Limit);
    let good: Vec<Case> = cases.iter().filter(|case| !stuck(case)).cloned().collect();
    let peaks: Vec<Peaks> = good.iter().map(|case| peaks_of(case, policy)).collect();
    let current = numbers(policy);
    let mut proposals = Vec::new();
    for (at, signal) in CallSignal::ALL.iter().enumerate() {
        let highest: Vec<u32> = peaks.iter().map(|peaks| peaks[at]).collect();
        for rung in Rung::ALL {
            let name = format!("{}.{}", signal.name(), rung.name());
            let now = current.iter().find(|number| number.name == name);
            let allowed = if matches!(rung, Rung::Steer | Rung::Block) {
                tolerance.warn
            } else {
                tolerance.stop
            };
            let proposal = now.and_then(|now| propose(now, &highest, allowed));
            proposals.extend(proposal);
        }
    }
    let proposed: Vec<Setting> = proposals.iter().map(|one| one.proposed.clone()).collect();
    Ok(Tuning {
        now: spoken_up(&good, policy),
        then: spoken_up(&good, &with(policy, &proposed)?),
        proposals,
    })
}

/// The highest reading of each signal over a session.
type Peaks = [u32; CallSignal::ALL.len()];

fn peaks_of(case: &Case, policy: &CallPolicy) -> Peaks {
    let mut state = CallState::default();
    let mut peaks = Peaks::default();
    for event in &case.events {
        step(&mut state, policy, event);
        for (signal, value) in readings(&state, policy) {
            let at = CallSignal::ALL.iter().position(|known| *known == signal);
            if let Some(peak) = at.and_then(|at| peaks.get_mut(at)) {
                *peak = value.max(*peak);
            }
        }
    }
    peaks
}

/// A higher threshold, if too many sessions reach this one. A lower one only if
/// there are sessions enough to be sure that few will reach it, and never less
/// than half of this one: a history without trouble is no reason to be hasty.
/// `None` if the threshold is off, or fits.
fn propose(now: &Setting, highest: &[u32], allowed: f64) -> Option<Proposal> {
    if now.value == NEVER {
        return None;
    }
    let reach = |threshold: u32| {
        let mut share = Share::default();
        highest
            .iter()
            .for_each(|peak| share.count(*peak >= threshold));
        share
    };
    // Fewer sessions reach a threshold only right above one of their peaks, however far apart
    // those are; and none that is higher is reached by more.
    let lowest = |least: u32, fits: &dyn Fn(Share) -> bool| {
        let above = highest.iter().map(|peak| peak.saturating_add(1));
        let mut steps: Vec<u32> = above.filter(|step| *step > least).collect();
        steps.push(least);
        steps.sort_unstable();
        let at = steps.partition_point(|step| !fits(reach(*step)));
        steps.get(at).copied()
    };
    let value = if reach(now.value).percent() > allowed {
        // One that is never reached would be off, which is not ours to propose.
        let raised = lowest(now.value, &|share| share.percent() <= allowed);
        raised.filter(|value| *value != NEVER)?
    } else {
        let least = now.value.div_ceil(2).max(2);
        let lowered = lowest(least, &|share| share.interval().1 <= allowed);
        lowered.filter(|value| *value < now.value)?
    };
    Some(Proposal {
        reach_now: reach(now.value),
        reach: reach(value),
        proposed: Setting {
            value,
            ..now.clone()
        },
        now: now.clone(),
    })
}

/// The sessions that a policy would warn, and stop.
fn spoken_up(cases: &[Case], policy: &CallPolicy) -> [Share; 2] {
    let mut shares = [Share::default(); 2];
    for found in judge(cases, policy) {
        shares[0].count(found.warn.is_some());
        shares[1].count(found.trip.is_some());
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_raised_when_reached_and_lowered_only_when_sure() {
        let few = [1, 1, 2, 2, 2, 3, 3, 4, 9, 20];
        let many = [1; 1000];
        for (now, highest, allowed, proposed, why) in [
            (8, &few[..], 10.0, Some(10), "one of ten reaches 10"),
            (8, &few, 0.0, Some(21), "none reaches 21"),
            (
                8,
                &few,
                20.0,
                None,
                "it fits, and ten sessions are too few to be bolder",
            ),
            (
                8,
                &many,
                1.0,
                Some(4),
                "none of a thousand reaches half of it",
            ),
            (
                8,
                &many,
                0.1,
                None,
                "a thousand are too few to be as sure as that",
            ),
            (NEVER, &few, 0.0, None, "it is off"),
            (
                8,
                &[1, 9, 4_000_000_000],
                0.0,
                Some(4_000_000_001),
                "none reaches that",
            ),
            (
                8,
                &[1, 9, 4_000_000_000],
                40.0,
                Some(10),
                "one of three reaches 10",
            ),
            (8, &[9, NEVER - 1], 0.0, None, "nothing above it but off"),
            (
                NEVER - 1,
                &many,
                1.0,
                Some(NEVER / 2),
                "half of it, at once",
            ),
        ] {
            let now = Setting {
                name: "repeat.trip".to_owned(),
                value: now,
            };
            let proposal = propose(&now, highest, allowed);
            assert_eq!(proposal.map(|one| one.proposed.value), proposed, "{why}");
        }
    }
}
