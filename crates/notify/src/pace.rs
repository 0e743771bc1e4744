//! How often, how long and how patiently notices are sent.

use std::time::Duration;

/// The bounds that every sink is held to.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The most notices that wait; beyond it the oldest is dropped.
    pub queue: usize,
    /// The most notices sent within [`Pace::window`]; the next one waits.
    pub burst: usize,
    /// The span that [`Pace::burst`] counts in.
    pub window: Duration,
    /// How long the same news is not told again.
    pub quiet_for: Duration,
    /// The longest that one attempt may take.
    pub attempt: Duration,
    /// The pause after a first failed attempt. It doubles with each further one.
    pub first_pause: Duration,
    /// The longest pause between two attempts, unless the receiver asks for a
    /// longer one.
    pub longest_pause: Duration,
    /// When a notice is given up, counted from its first attempt.
    pub give_up_after: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            queue: 64,
            burst: 10,
            window: Duration::from_secs(60),
            quiet_for: Duration::from_secs(10 * 60),
            attempt: Duration::from_secs(5),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
            give_up_after: Duration::from_secs(5 * 60),
        }
    }
}

impl Pace {
    /// How long to pause after `failures` failed attempts. The receiver's own
    /// wish is a lower bound. `dice` is a random byte: many loops that failed
    /// together must not come back together, so up to half of the pause is cut.
    pub(crate) fn pause(&self, failures: u32, wish: Option<Duration>, dice: u8) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let whole = self.first_pause.saturating_mul(doubled);
        let jittered = whole.min(self.longest_pause) * (512 - u32::from(dice)) / 512;
        jittered.max(wish.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_are_spread() {
        let pace = Pace::default();
        let ms = |failures, dice| pace.pause(failures, None, dice).as_millis();
        assert_eq!([ms(1, 0), ms(2, 0), ms(3, 0)], [500, 1_000, 2_000]);
        assert_eq!(ms(60, 0), 60_000);
        assert_eq!(ms(1, 255), 250);
    }

    #[test]
    fn the_receivers_wish_is_a_lower_bound() {
        let wish = Some(Duration::from_secs(7));
        assert_eq!(Pace::default().pause(1, wish, 9), Duration::from_secs(7));
    }
}
