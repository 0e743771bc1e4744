//! What other thresholds would do: the frontier between catching loops and
//! stopping work.

use fusebox_core::calls::CallPolicy;

use crate::knobs::{NoSuchNumber, Setting, with};
use crate::score::{Case, Found, Score, judge, score};
use crate::supervisor::Supervisor;

/// The most policies that are tried in one go.
pub const MOST_POLICIES: usize = 400;

/// A number of the policy, and the values to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Which number.
    pub name: String,
    /// The least value.
    pub from: u32,
    /// The greatest.
    pub to: u32,
}

/// What a policy comes to.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What is different about it.
    pub settings: Vec<Setting>,
    /// Its warnings.
    pub warn: Score,
    /// Its trips.
    pub trip: Score,
}

impl Trial {
    /// What a policy comes to, with `settings` changed.
    ///
    /// # Errors
    ///
    /// If the policy has no such number.
    pub fn of(
        cases: &[Case],
        base: &CallPolicy,
        settings: Vec<Setting>,
        supervisor: Option<&Supervisor>,
    ) -> Result<Self, NoSuchNumber> {
        let found = judge(cases, &with(base, &settings)?);
        let at = |level: fn(&Found) -> Option<u32>| {
            score(cases.iter().zip(found.iter().copied()), level, supervisor)
        };
        Ok(Self {
            settings,
            warn: at(|found| found.warn),
            trip: at(|found| found.trip),
        })
    }

    /// Whether `other` catches at least as much and harms no more, and is better
    /// in one of the two.
    #[must_use]
    pub fn is_beaten_by(&self, other: &Self) -> bool {
        let (caught, harmed) = (self.trip.caught().hits, self.trip.harmed().hits);
        let (others, harms) = (other.trip.caught().hits, other.trip.harmed().hits);
        others >= caught && harms <= harmed && (others, harms) != (caught, harmed)
    }
}

/// All combinations of the values of `ranges`, at most [`MOST_POLICIES`].
#[must_use]
pub fn combinations(ranges: &[Range]) -> Vec<Vec<Setting>> {
    let mut all = vec![Vec::new()];
    for range in ranges {
        let longer = all.iter().flat_map(|settings| {
            (range.from..=range.to).map(move |value| {
                let mut settings: Vec<Setting> = settings.clone();
                let name = range.name.clone();
                settings.push(Setting { name, value });
                settings
            })
        });
        all = longer.take(MOST_POLICIES).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Share;

    fn trial(stuck: u32, harmful: u32) -> Trial {
        let mut trip = Score::default();
        trip.groups[0] = Share {
            hits: stuck,
            of: 10,
        };
        trip.harmful = Share {
            hits: harmful,
            of: 10,
        };
        Trial {
            settings: Vec::new(),
            warn: Score::default(),
            trip,
        }
    }

    #[test]
    fn the_frontier_holds_what_nothing_else_beats() {
        for (one, other, beaten) in [
            ((5, 1), (6, 1), true),
            ((5, 1), (5, 0), true),
            ((5, 1), (5, 1), false),
            ((5, 1), (9, 2), false),
            ((5, 1), (4, 0), false),
        ] {
            let (one, other) = (trial(one.0, one.1), trial(other.0, other.1));
            assert_eq!(one.is_beaten_by(&other), beaten);
        }
    }

    #[test]
    fn ranges_are_combined_and_bounded() {
        let range = |name: &str, from, to| Range {
            name: name.to_owned(),
            from,
            to,
        };
        assert_eq!(combinations(&[]), [Vec::new()]);
        let all = combinations(&[range("a", 1, 2), range("b", 5, 7)]);
        assert_eq!(all.len(), 6);
        assert_eq!(
            all[5]
                .iter()
                .map(|setting| setting.value)
                .collect::<Vec<_>>(),
            [2, 7]
        );
        assert_eq!(
            combinations(&[range("a", 0, u32::MAX)]).len(),
            MOST_POLICIES
        );
    }
}
