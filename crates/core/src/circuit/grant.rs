//! Iterations that were allowed and not yet reported.

use serde::{Deserialize, Serialize};

use crate::clock::Moment;

/// The permission for one iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Its name, which is the iteration's number.
    pub id: GrantId,
    /// When it was given.
    pub at: Moment,
    /// How long the iteration may take, by the policy it was granted under.
    pub limit_ms: u64,
    /// The work tree it starts from, if that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The features that passed when it was given, each by [`name_id`](super::name_id), where sessions
    /// are counted by features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passing: Option<Vec<u64>>,
    /// The hash of a secret that only the supervisor of the iteration knows. A
    /// report that does not show it comes from somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<u64>,
    /// The fingerprint of how the tasks stood when it was given, where a list is worked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<String>,
}

/// An iteration whose supervisor has not reported it, whoever else has settled or released
/// what it was granted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderWay {
    /// The hash of its supervisor's secret.
    pub seal: u64,
    /// When it began: nothing of it outlives the boot.
    pub at: Moment,
    /// How long it may take. A supervisor ends it then, and one that died with all it had
    /// started, as a container does, reports it never.
    pub limit_ms: u64,
    /// Where its supervisor sees processes from.
    pub standpoint: String,
}

/// How much longer than it may an iteration takes at most: its supervisor measures, asks it to
/// end, and waits for that.
const SPARE_MS: u64 = 10 * 60_000;

impl UnderWay {
    /// Whether anything of it may be alive.
    pub(crate) fn may_last(&self, now: &Moment) -> bool {
        let longest = self.limit_ms.saturating_add(SPARE_MS);
        self.at.boot == now.boot && now.waited_since(&self.at) <= longest
    }
}

/// The name of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantId(pub u64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Core;
    use crate::clock::BootId;

    #[test]
    fn an_iteration_may_last_so_long_after_its_limit_and_not_beyond_the_boot() {
        let at = |boot, ms: u64| Moment {
            wall_ms: ms.cast_signed(),
            boot_ms: ms,
            boot: BootId(boot),
        };
        let core = Core {
            under_way: Some(UnderWay {
                seal: 1,
                at: at(1, 500),
                limit_ms: 1_000,
                standpoint: "here".into(),
            }),
            ..Core::default()
        };
        let end = 500 + 1_000 + SPARE_MS;
        for (now, lasts) in [
            (at(1, 500), true),
            (at(1, end), true),
            (at(1, end + 1), false),
            (at(2, 0), false),
            (at(2, end + 1), false),
        ] {
            let expected = lasts.then_some("here");
            assert_eq!(core.guarded_from(&now), expected, "{now:?}");
            assert_eq!(Core::default().guarded_from(&now), None);
        }
    }
}
