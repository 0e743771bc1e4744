//! What a run says beside its account of the iterations.

use fusebox_view::escape;
use rustix::process::Signal;

use super::iteration::Came;
use super::screen::Screen;

/// The widest that what speaks against a claim is told.
const WIDTH: usize = 240;

impl Screen {
    /// What speaks against a completion that was claimed in this iteration, if anything does.
    pub(super) fn refuted(&self, came: &Came) {
        let claimed = came.facts.claimed.complete == Some(true);
        let refuted = came.outcome.circuit.refuted().filter(|_| claimed);
        if let Some((_, against)) = refuted {
            let against = escape::line(&against.join("; "), WIDTH);
            self.say(&format!("completion was claimed, but {against}"));
        }
    }

    /// Says at once what a signal does: whoever pressed a key waits for a word.
    pub(super) fn stopping(&self, what: &str, signal: i32, first: bool) {
        let again = match signal {
            signal if signal == Signal::INT.as_raw() => "Ctrl-C again kills it",
            _ => "a second signal kills it",
        };
        self.say(&match first {
            true => format!("stopping {what}; {again}"),
            false => format!("killing {what}"),
        });
    }
}
