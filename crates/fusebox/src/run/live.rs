//! How things stand right now, for the lines that stay on the screen.

use std::time::Duration;

use fusebox_core::signals::Progress;
use fusebox_view::answer::label;
use fusebox_view::live::{Activity as Doing, LiveView};

use super::activity::Activity;
use super::plan::Plan;
use super::screen::Screen;
use super::stage::Stage;
use crate::clock::Clock;
use crate::session::Outcome;

/// The lines that stay, and what they say.
pub(super) struct Live {
    stage: Stage,
    view: LiveView,
    clock: Clock,
    /// What the run had used up before this iteration.
    spent: Spent,
}

/// What a run has used up so far, as far as anybody told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) tokens: Option<u64>,
    pub(super) micro_usd: Option<u64>,
}

impl Live {
    pub(super) fn of(
        plan: &Plan,
        asked: &Outcome,
        stage: Stage,
        spent: Spent,
        clock: Clock,
    ) -> Self {
        Self {
            view: view(plan, asked, spent),
            stage,
            clock,
            spent,
        }
    }

    /// While the agent works.
    pub(super) fn working(&mut self, activity: &Activity, elapsed: Duration) {
        if !self.stage.is_live() {
            return;
        }
        let add = |before: Option<u64>, now: Option<u64>| {
            [before, now]
                .into_iter()
                .flatten()
                .reduce(u64::saturating_add)
        };
        self.view.tokens = add(self.spent.tokens, activity.spent.tokens());
        self.view.micro_usd = add(self.spent.micro_usd, activity.spent.micro_usd);
        self.view.model = activity.model.clone().or(self.view.model.take());
        self.view.activity = match activity.doing() {
            Some((name, argument)) => Doing::Tool {
                name: name.to_owned(),
                argument: argument.to_owned(),
            },
            None if activity.turns > 0 || activity.tool_calls > 0 => Doing::Thinking,
            None => Doing::Starting,
        };
        self.show(elapsed);
    }

    fn show(&mut self, elapsed: Duration) {
        self.view.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        self.view.now_ms = self.clock.now().wall_ms;
        self.stage.show(self.view.clone());
    }
}

/// While nothing runs until a time has come.
pub(super) fn waiting(plan: &Plan, outcome: &Outcome, until_ms: i64, now_ms: i64, screen: &Screen) {
    screen.stage().show(LiveView {
        now_ms,
        activity: Doing::Waiting {
            until_ms,
            why: outcome.decision.reason.clone(),
        },
        ..view(plan, outcome, screen.spent())
    });
}

fn view(plan: &Plan, outcome: &Outcome, spent: Spent) -> LiveView {
    let core = &outcome.circuit.core;
    let rows = &outcome.circuit.rows;
    let changed = rows.iter().rev().find(|row| row.progress == Progress::Made);
    LiveView {
        iteration: core.iterations,
        of: plan.bounds.iterations,
        elapsed_ms: 0,
        state: outcome.decision.state,
        label: label(&outcome.policy.labels, outcome.decision.state),
        gate: outcome.decision.gate.clone(),
        risk: outcome.decision.risk,
        activity: Doing::Starting,
        files: None,
        tokens: spent.tokens,
        micro_usd: spent.micro_usd,
        calls: Some(outcome.decision.calls),
        scores: rows.iter().map(|row| row.score).collect(),
        last_change: changed.map(|row| row.iteration),
        agent: Some(plan.work.name()),
        model: plan.work.model(core.rung).map(str::to_owned),
        now_ms: outcome.now.wall_ms,
    }
}
