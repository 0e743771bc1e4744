//! What a run says beside its account of the iterations.

use fusebox_view::escape;
use rustix::process::Signal;

use super::ending::Ending;
use super::iteration::Came;
use super::screen::Screen;

/// The widest that what speaks against a claim is told.
const WIDTH: usize = 240;

const UNSHOWABLE: &str = "completion was claimed, but there is nothing to check it against: \
    add --test, --build, --require or --criteria";

/// How many things of a kind are told of one by one.
const MOST_TOLD: usize = 8;

impl Screen {
    /// Says as many of the lines as anybody reads, and how many `more` there are.
    pub(super) fn say_some(
        &self,
        lines: impl Iterator<Item = String>,
        more: impl FnOnce(usize) -> String,
    ) {
        let mut lines = lines.fuse();
        lines
            .by_ref()
            .take(MOST_TOLD)
            .for_each(|line| self.say(&line));
        let left = lines.count();
        if left > 0 {
            self.say(&more(left));
        }
    }

    /// What speaks against a completion that was claimed in this iteration, if anything does.
    pub(super) fn refuted(&self, came: &Came) {
        let claimed = came.facts.claimed.complete == Some(true);
        let refuted = came.outcome.circuit.refuted().filter(|_| claimed);
        if let Some((_, against)) = refuted {
            let against = escape::line(&against.join("; "), WIDTH);
            self.say(&format!("completion was claimed, but {against}"));
        }
    }

    /// Says once that nothing is looked at when completion is claimed.
    pub(super) fn unshowable(&mut self, came: &Came) {
        if came.unshowable && !std::mem::replace(&mut self.claimed_in_vain, true) {
            self.say(UNSHOWABLE);
        }
    }

    /// Says what became of the task that was given up, and how it is taken up again.
    pub(super) fn say_given_up(&self, ending: &Ending) {
        let (Some(task), Some(outcome)) = (&self.given_up, ending.outcome()) else {
            return;
        };
        let task = escape::line(task, 80);
        let reason = escape::line(&outcome.decision.reason, WIDTH);
        self.add(&format!("next  task {task} is blocked: {reason}"));
        self.add(&format!(
            "      `fusebox tasks reopen {task} --reason TEXT` takes it up again"
        ));
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
