//! Telling people who are not looking.

use std::borrow::Cow;
use std::time::Duration;

use fusebox_notify::{Kind, Notice, Notifier, Pace};
use fusebox_view::phrase;

use super::ending::Ending;
use super::plan::Plan;
use super::routes::routes;
use super::screen::Screen;
use crate::exit;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

/// How long the end of a run waits for notices that are still on their way.
const AT_THE_END: Duration = Duration::from_secs(3);
/// A run that was shorter than this had somebody watching.
const SHORT_RUN: Duration = Duration::from_secs(60);

/// Everybody who is to be told.
pub(super) struct Notices {
    notifier: Notifier,
    circuit: String,
    workspace: String,
    task: Option<String>,
}

impl Notices {
    /// Finds the ways there are; what is not to be had is mentioned once.
    pub(super) fn open(
        session: &Session,
        plan: &Plan,
        screen: &mut Screen,
    ) -> Result<Self, Failure> {
        let root = &session.located.root;
        let routes = routes(&plan.notify, root, &mut |line| screen.say(line))?;
        let notifier = Notifier::start_routed(routes, Pace::default()).map_err(|error| {
            Failure::new(
                exit::INTERNAL,
                format!("notifications cannot be sent: {error}"),
            )
        })?;
        let name = root.file_name().unwrap_or(root.as_os_str());
        Ok(Self {
            notifier,
            circuit: session.circuit.to_string(),
            workspace: name.to_string_lossy().into_owned(),
            task: plan.task.as_ref().map(|task| task.id.clone()),
        })
    }

    /// The breaker opened; or the loop goes on although it did.
    pub(super) fn opened(&self, outcome: &Outcome, goes_on: bool) {
        let called = outcome.telling().call_for_a_person().is_some();
        let (kind, title) = match (goes_on, called) {
            (true, _) => (Kind::Warned, "Stagnation detected; the loop goes on"),
            (false, false) => (Kind::Tripped, "The circuit breaker opened"),
            (false, true) => (
                Kind::Tripped,
                "The circuit breaker opened; a person is needed",
            ),
        };
        self.tell(kind, title, outcome);
    }

    /// Somebody is needed.
    pub(super) fn paused(&self, outcome: &Outcome) {
        self.tell(Kind::Paused, "The loop waits for a person", outcome);
    }

    /// A limit is reached.
    pub(super) fn limited(&self, outcome: &Outcome) {
        self.tell(Kind::Limited, "A limit is reached", outcome);
    }

    /// The next model takes over.
    pub(super) fn escalated(&self, outcome: &Outcome, model: &str) {
        let title = format!("Escalated to {model}");
        self.tell(Kind::Escalated, &title, outcome);
    }

    /// The run is over; sends what still waits.
    pub(super) fn ended(self, ending: &Ending, took: Duration, now_ms: i64, screen: &mut Screen) {
        let mut notice = Notice::new(kind(ending), ending.headline(), now_ms);
        notice.circuit.clone_from(&self.circuit);
        notice.workspace.clone_from(&self.workspace);
        notice.task.clone_from(&self.task);
        notice.next = ending.advice().map(Cow::into_owned);
        // A person who watched a short run, and whoever stopped one, knows.
        let known = took < SHORT_RUN || matches!(ending, Ending::Signal(_) | Ending::Asked);
        if !known {
            self.notifier.send(&notice);
        }
        self.flush(screen);
    }

    /// The run cannot go on, and has no ending; sends what still waits.
    pub(super) fn failed(self, failure: &Failure, now_ms: i64, screen: &mut Screen) {
        self.notifier.send(&Notice {
            reason: Some(failure.what.clone()),
            next: failure.hints.first().cloned(),
            task: self.task.clone(),
            circuit: self.circuit.clone(),
            workspace: self.workspace.clone(),
            ..Notice::new(Kind::Tripped, "The loop was stopped by an error", now_ms)
        });
        self.flush(screen);
    }

    fn flush(self, screen: &mut Screen) {
        for report in self.notifier.flush(AT_THE_END) {
            if let Some(why) = report.last_failure {
                let lost = report.failed + report.dropped + report.waiting;
                screen.say(&format!(
                    "{}: {} did not arrive: {why}",
                    report.sink,
                    phrase::count(lost.max(1), "notification")
                ));
            }
        }
    }

    fn tell(&self, kind: Kind, title: &str, outcome: &Outcome) {
        let telling = outcome.telling();
        // Whom a notice calls reads first that they are called.
        let called = telling.call_for_a_person();
        let way_out = telling.way_out(&outcome.decision);
        let totals = &outcome.circuit.core.totals;
        self.notifier.send(&Notice {
            reason: Some(outcome.decision.reason.clone()),
            iteration: Some(outcome.circuit.core.iterations),
            task: self.task.clone(),
            micro_usd: Some(totals.micro_usd).filter(|micro| *micro > 0),
            next: called.or_else(|| way_out.into_iter().next()),
            circuit: self.circuit.clone(),
            workspace: self.workspace.clone(),
            ..Notice::new(kind, title, outcome.now.wall_ms)
        });
    }
}

fn kind(ending: &Ending) -> Kind {
    match ending {
        Ending::Complete(_) | Ending::Done => Kind::Finished,
        Ending::Limited(_) => Kind::Limited,
        Ending::NobodyToAsk(_) => Kind::Paused,
        _ => Kind::Ended,
    }
}
