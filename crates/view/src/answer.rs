//! A decision, told to a person.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use fusebox_core::budget::{BudgetLeft, Resource};
use fusebox_core::circuit::{Cause, Circuit, Opening, Release, State};
use fusebox_core::decision::{Decision, DeniedBy, Evidence, Gate, Place, Reading};
use fusebox_core::limiter::CallsLeft;
use fusebox_core::observation::Environment;
use fusebox_core::policy::{Labels, Policy};
use fusebox_core::recovery::escalation;
use fusebox_core::signals::{Level, Signal};

use crate::escape;
use crate::phrase;

/// The widest a line of foreign text may become.
const WIDTH: usize = 160;

/// What a decision is told with.
#[derive(Clone, Copy, Debug)]
pub struct Telling<'a> {
    /// The policy that decided.
    pub policy: &'a Policy,
    /// The circuit it was decided on.
    pub circuit: &'a Circuit,
    /// The wall clock, for "in 29 min".
    pub now_ms: i64,
}

impl Telling<'_> {
    /// One line: may the next step run, and why.
    #[must_use]
    pub fn headline(&self, decision: &Decision) -> String {
        let word = match decision.gate {
            Gate::Allow => "proceed",
            Gate::AllowOnce => "proceed once (probe)",
            Gate::Deny(_) => "stop",
        };
        let label = self.label(decision.state);
        let why = match (&decision.gate, decision.state) {
            (Gate::Allow, State::Closed) => scarce(decision),
            _ => escape::line(&decision.reason, WIDTH),
        };
        format!("{word} · {label} · {why}")
    }

    /// What stands in the way and what would change that, one line each; empty
    /// when nothing does.
    #[must_use]
    pub fn way_out(&self, decision: &Decision) -> Vec<String> {
        let Gate::Deny(denial) = &decision.gate else {
            return Vec::new();
        };
        let at = |when: Option<i64>| {
            when.map_or_else(String::new, |ms| {
                format!(
                    "at {} ({})",
                    phrase::time(ms),
                    phrase::until(ms, self.now_ms)
                )
            })
        };
        let when = at(denial.retry_at_ms);
        match denial.by {
            DeniedBy::Open { release } => self.out_of_open(release, &when),
            DeniedBy::ProbeUnderWay => vec![format!("a probe is running; it expires {when}")],
            DeniedBy::CallLimit => vec![format!("the next slot is free {when}")],
            DeniedBy::CallsScarce => vec![format!("enough calls are free {when}")],
            DeniedBy::Budget(_) if when.is_empty() => {
                vec!["the budget itself is too small for an iteration".into()]
            }
            DeniedBy::Budget(_) | DeniedBy::BudgetScarce(_) => {
                vec![format!("budget is available again {when}")]
            }
            DeniedBy::Outage(kind) => {
                let outage = &self.circuit.core.outage;
                let guessed = outage.as_ref().is_some_and(|outage| outage.guessed);
                vec![match guessed {
                    true => format!("no end time was given; retry {when}"),
                    false => format!("{} should end {when}", trouble(kind)),
                }]
            }
            DeniedBy::Complete => Vec::new(),
            DeniedBy::RunPaused(waits) => vec![format!("the run is {}", waits.words())],
        }
    }

    fn out_of_open(&self, release: Release, when: &str) -> Vec<String> {
        let person = "a person investigates and runs `fusebox reset --reason …`";
        let mut ways = Vec::new();
        if let Release::Cooldown(_) = release {
            ways.push(format!("one trial iteration is allowed {when}"));
        }
        if self.policy.release.person {
            let or = if ways.is_empty() { "" } else { "or " };
            ways.push(format!("{or}{person} in a separate terminal"));
        }
        ways.extend(self.word_on_reports());
        if ways.is_empty() {
            ways.push("what caused it must be corrected where it was reported".into());
        }
        ways.extend(self.call_for_a_person());
        ways
    }

    /// What there is to do where nobody reports what was granted.
    fn word_on_reports(&self) -> Option<String> {
        let opening = self.circuit.core.phase.opening()?;
        let counted = [Signal::NoProgress, Signal::FailedSessions].map(Cause::Signal);
        // A run reports by itself; what it leaves unreported is what it died of.
        let in_a_run = self.circuit.run.as_ref().is_some_and(|run| {
            let ended = run.ended.as_ref();
            let (from, since) = (run.began.wall_ms, opening.since.wall_ms);
            from <= since && ended.is_none_or(|over| since <= over.at.wall_ms)
        });
        let is_evidence = |iteration| {
            let mut rows = opening.evidence.iter();
            rows.any(|row| row.place == Place::Iteration(iteration))
        };
        let mut rows = self.circuit.counted_rows().iter();
        let silent = rows.any(|row| !row.reported && is_evidence(row.iteration));
        (silent && !in_a_run && counted.contains(&opening.cause)).then(|| {
            "every `fusebox check` is to be followed by `fusebox record` (`--from-git` measures by \
             itself); `fusebox run` does both"
                .into()
        })
    }

    /// That a person is to look although nobody but the clock releases, and why.
    #[must_use]
    pub fn call_for_a_person(&self) -> Option<String> {
        let called = escalation(&self.circuit.core, self.policy)?;
        Some(format!("a person is needed: {}", called.sentence()))
    }

    /// The whole picture, for `status`.
    #[must_use]
    pub fn status(&self, decision: &Decision) -> String {
        let mut out = String::new();
        let totals = &self.circuit.core.totals;
        row(
            &mut out,
            "state",
            &format!(
                "{} (risk {})",
                self.label(decision.state),
                decision.risk.word()
            ),
        );
        row(&mut out, "why", &escape::line(&decision.reason, WIDTH));
        if let Some(phase) = self.circuit.core.counters.phase {
            row(&mut out, "phase", phase.name());
        }
        if let Some(words) = &self.circuit.core.guidance {
            row(&mut out, "guidance", &escape::line(words, WIDTH));
        }
        for reading in decision.readings.iter().filter(|reading| reading.value > 0) {
            let near = match reading.level {
                Level::Quiet => "",
                Level::Warn => "  ← warning",
                Level::Trip => "  ← tripped",
            };
            let bound = reading.threshold.map(|at| reading.signal.shown(at));
            let of = match bound {
                // It will not trip: "13 of 4" would read as if it should have.
                Some(at) if only_warns(reading) => format!(" (warns at {at})"),
                Some(at) => format!(" of {at}"),
                None => String::new(),
            };
            let value = format!("{}{of}{near}", reading.signal.shown(reading.value));
            row(&mut out, &reading.signal.name().replace('_', " "), &value);
        }
        let silent = match totals.unreported {
            0 => String::new(),
            silent => format!(", {silent} never reported"),
        };
        let gained = format!(
            "{} reported{silent}, {} with progress, {}",
            totals.reported,
            totals.progress,
            phrase::count(totals.trips, "trip")
        );
        row(&mut out, "iterations", &gained);
        for alert in &decision.alerts {
            row(&mut out, "alert", alert.sentence());
        }
        row(&mut out, "calls", &calls(&decision.calls));
        for (resource, left) in &decision.budgets {
            row(&mut out, resource_name(*resource), &budget(*resource, left));
        }
        row(&mut out, "spent", &spent(self.circuit));
        for line in self.way_out(decision) {
            row(&mut out, "next", &line);
        }
        out
    }

    /// Why the breaker stands as it does, with every value it was decided by.
    #[must_use]
    pub fn explanation(&self, decision: &Decision) -> String {
        let mut out = format!("{}\n", self.headline(decision));
        if let Some(opening) = self.circuit.core.phase.opening() {
            self.explain_opening(&mut out, opening);
        }
        if let Some((iteration, against)) = self.circuit.refuted() {
            let _ = writeln!(
                out,
                "\ncompletion was claimed, but after iteration {iteration}"
            );
            for line in against {
                let _ = writeln!(out, "  {}", escape::line(&line, WIDTH));
            }
        }
        let _ = writeln!(out, "\nsignals at the last iteration");
        if decision.readings.is_empty() {
            let _ = writeln!(
                out,
                "  none yet: no iteration has been reported since the count began"
            );
        }
        for reading in &decision.readings {
            let bound = match reading.threshold {
                Some(at) if only_warns(reading) => {
                    format!("warns at {}, ", reading.signal.shown(at))
                }
                Some(at) => format!("threshold {}, ", reading.signal.shown(at)),
                None => String::new(),
            };
            let level = match reading.level {
                Level::Quiet => "",
                Level::Warn => "  warns",
                Level::Trip => "  trips",
            };
            let _ = writeln!(
                out,
                "  {:<20} {:>3} ({bound}rule {}){level}",
                reading.signal.name(),
                reading.signal.shown(reading.value),
                reading.rule
            );
            if self.circuit.core.phase.opening().is_none() {
                evidence(&mut out, &reading.evidence);
            }
        }
        let _ = writeln!(out, "\nlimit\n  {}", calls(&decision.calls));
        for (resource, left) in &decision.budgets {
            let _ = writeln!(out, "  {}", budget(*resource, left));
        }
        let next = self.way_out(decision);
        if !next.is_empty() {
            let _ = writeln!(out, "\nnext steps");
            for line in next {
                let _ = writeln!(out, "  {line}");
            }
        }
        out
    }

    fn explain_opening(&self, out: &mut String, opening: &Opening) {
        let reason = escape::line(&opening.reason, WIDTH);
        let _ = writeln!(out, "\nopened {}", phrase::time(opening.since.wall_ms));
        let _ = writeln!(out, "  because  {reason}");
        let _ = writeln!(out, "  rule     {}", escape::line(&opening.rule, 40));
        let probes = self.circuit.core.failed_probes;
        if probes > 0 {
            let _ = writeln!(out, "  probes   {probes} failed");
        }
        if !opening.evidence.is_empty() {
            let _ = writeln!(out, "\nevidence");
            evidence(out, &opening.evidence);
        }
    }

    /// The state's name in this policy's words, coloured, never by colour alone.
    #[must_use]
    pub fn label(&self, state: State) -> String {
        let style = style_of(state);
        format!("{style}{}{style:#}", label(&self.policy.labels, state))
    }
}

/// What keeps work from going on, as the subject of a sentence.
fn trouble(kind: Environment) -> &'static str {
    match kind {
        Environment::Limit => "the usage limit",
        Environment::Overload => "the overload of the agent's service",
        Environment::Network => "the trouble with the network",
        Environment::Auth => "the trouble with the sign-in",
        Environment::Disk => "the trouble with the disk",
    }
}

/// The word a policy has for a state.
#[must_use]
pub fn label(labels: &Labels, state: State) -> &'static str {
    match state {
        State::Closed => labels.closed,
        State::Watching => labels.watching.unwrap_or(labels.closed),
        State::Open => labels.open,
        State::Probing => labels.probing,
        State::Complete => labels.complete.unwrap_or(labels.closed),
    }
}

/// The rows of evidence, each on a line of its own.
pub fn evidence(out: &mut String, rows: &[Evidence]) {
    for row in rows {
        let _ = writeln!(
            out,
            "  {}: {}",
            escape::line(&row.place.to_string(), WIDTH),
            escape::line(&row.found, WIDTH)
        );
    }
}

/// What is left of the rolling limit.
#[must_use]
pub fn calls(calls: &CallsLeft) -> String {
    let window = phrase::duration(calls.window_ms);
    let warning = warning(u64::from(calls.left), calls.near);
    format!(
        "{} of {} calls left (per {window}){warning}",
        calls.left, calls.limit
    )
}

/// What is left of a budget.
#[must_use]
pub fn budget(resource: Resource, left: &BudgetLeft) -> String {
    let window = phrase::duration(left.window_ms);
    let warning = warning(left.left, left.near);
    format!(
        "{} of {} left (per {window}){warning}",
        amount(resource, left.left),
        amount(resource, left.limit)
    )
}

fn warning(left: u64, near: bool) -> &'static str {
    match (left, near) {
        (0, _) => ", used up",
        (_, true) => ", nearly used up",
        (_, false) => "",
    }
}

/// So much of what a budget is kept of.
#[must_use]
pub fn amount(resource: Resource, amount: u64) -> String {
    match resource {
        Resource::Tokens => format!("{amount} tokens"),
        Resource::Money => phrase::dollars(amount),
    }
}

/// What a budget is kept of, as a word.
#[must_use]
pub fn resource_name(resource: Resource) -> &'static str {
    match resource {
        Resource::Tokens => "tokens",
        Resource::Money => "money",
    }
}

/// The calls that are left, and the budgets that nearly are not.
fn scarce(decision: &Decision) -> String {
    let near = decision.budgets.iter().filter(|(_, left)| left.near);
    let budgets = near.map(|(resource, left)| budget(*resource, left));
    let mut parts = vec![calls(&decision.calls)];
    parts.extend(budgets);
    parts.join("; ")
}

fn spent(circuit: &Circuit) -> String {
    let totals = &circuit.core.totals;
    let mut parts = vec![phrase::duration(totals.duration_ms)];
    if totals.tokens > 0 {
        parts.push(format!("{} tokens", totals.tokens));
    }
    if totals.micro_usd > 0 {
        parts.push(phrase::dollars(totals.micro_usd));
    }
    parts.join(", ")
}

/// Whether a signal has reached a count that is for warning alone.
fn only_warns(reading: &Reading) -> bool {
    reading.level == Level::Warn && reading.threshold.is_some_and(|at| reading.value >= at)
}

fn row(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "{name:<15} {value}");
}

/// A state's colour, which is never all that tells it.
#[must_use]
pub fn style_of(state: State) -> Style {
    let colour = match state {
        State::Closed | State::Complete => AnsiColor::Green,
        State::Watching | State::Probing => AnsiColor::Yellow,
        State::Open => AnsiColor::Red,
    };
    colour.on_default().bold()
}
