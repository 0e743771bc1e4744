//! All loops of this machine as numbers.
//!
//! Base units, `_total` for what only grows, and labels that are bounded by what
//! there is on this machine: a workspace, a circuit, and words of closed lists.
//! Never a task, an error, a session: those have no end.

use fusebox_core::State;
use fusebox_core::decision::Risk;
use fusebox_core::signals::Progress;
use fusebox_view::answer::resource_name;
use fusebox_view::prometheus::{Family, Kind};

use super::machine::{Machine, Place, Standing};
use crate::failure::Failure;
use crate::session::Outcome;
use crate::spent::Totals;

/// All states there are.
pub(crate) const STATES: [State; 5] = [
    State::Closed,
    State::Watching,
    State::Open,
    State::Probing,
    State::Complete,
];

/// A number of a loop that is known.
type Number = fn(&Outcome) -> Option<f64>;

/// What there is one number of for each loop.
const SINGLE: [(&str, Kind, &str, Number); 16] = [
    (
        "fusebox_iterations_total",
        Kind::Counter,
        "Iterations that were reported.",
        |outcome| Some(float(outcome.circuit.core.totals.reported)),
    ),
    (
        "fusebox_progress_iterations_total",
        Kind::Counter,
        "Iterations that made progress.",
        |outcome| Some(float(outcome.circuit.core.totals.progress)),
    ),
    (
        "fusebox_trips_total",
        Kind::Counter,
        "Times the breaker opened.",
        |outcome| Some(float(outcome.circuit.core.totals.trips)),
    ),
    (
        "fusebox_iteration_seconds_total",
        Kind::Counter,
        "Time spent in iterations.",
        |outcome| Some(float(said_so_far(outcome.circuit.core.totals.duration_ms)?) / 1e3),
    ),
    (
        "fusebox_tokens_total",
        Kind::Counter,
        "Tokens of all kinds that were used.",
        |outcome| said_so_far(outcome.circuit.core.totals.tokens).map(float),
    ),
    (
        "fusebox_cost_usd_total",
        Kind::Counter,
        "Money that was spent, in US dollars.",
        |outcome| Some(float(said_so_far(outcome.circuit.core.totals.micro_usd)?) / 1e6),
    ),
    (
        "fusebox_risk_level",
        Kind::Gauge,
        "How close to a trip: 0 low, 1 medium, 2 high.",
        |outcome| {
            Some(match outcome.decision.risk {
                Risk::Low => 0.0,
                Risk::Medium => 1.0,
                Risk::High => 2.0,
            })
        },
    ),
    (
        "fusebox_calls_left",
        Kind::Gauge,
        "Calls that may still be made now.",
        |outcome| Some(f64::from(outcome.decision.calls.left)),
    ),
    (
        "fusebox_calls_limit",
        Kind::Gauge,
        "Calls that may be made in one window.",
        |outcome| Some(f64::from(outcome.decision.calls.limit)),
    ),
    (
        "fusebox_calls_window_seconds",
        Kind::Gauge,
        "The length of that window.",
        |outcome| Some(float(outcome.decision.calls.window_ms) / 1e3),
    ),
    (
        "fusebox_score",
        Kind::Gauge,
        "What the last iteration was worth.",
        |outcome| outcome.circuit.rows.last()?.score.map(f64::from),
    ),
    (
        "fusebox_errors",
        Kind::Gauge,
        "Errors of the last iteration.",
        |outcome| outcome.circuit.rows.last()?.error_count.map(f64::from),
    ),
    (
        "fusebox_failed_probes",
        Kind::Gauge,
        "Probes that failed since the breaker was closed.",
        |outcome| Some(f64::from(outcome.circuit.core.failed_probes)),
    ),
    (
        "fusebox_last_iteration_timestamp_seconds",
        Kind::Gauge,
        "When the last iteration was reported.",
        |outcome| outcome.circuit.rows.last().map(|row| seconds(row.at_ms)),
    ),
    (
        "fusebox_last_progress_timestamp_seconds",
        Kind::Gauge,
        "When progress was last made, if lately.",
        |outcome| {
            let mut rows = outcome.circuit.rows.iter().rev();
            let made = rows.find(|row| row.progress == Progress::Made)?;
            Some(seconds(made.at_ms))
        },
    ),
    (
        "fusebox_opened_timestamp_seconds",
        Kind::Gauge,
        "When the breaker opened, while it is open.",
        |outcome| {
            let opening = outcome.circuit.core.phase.opening()?;
            Some(seconds(opening.since.wall_ms))
        },
    ),
];

/// A sum of what iterations told of themselves. As long as it is zero nobody has told anything,
/// which is no zero: it is unknown, and left out.
fn said_so_far(sum: u64) -> Option<u64> {
    (sum > 0).then_some(sum)
}

/// All of them, in the text format of Prometheus.
pub(crate) fn text(machine: &Machine<'_>) -> Result<String, Failure> {
    let loops = machine.loops()?;
    let mut families = vec![
        build(),
        about(&loops),
        readable(&loops),
        running(&loops),
        states(&loops),
    ];
    families.extend(SINGLE.iter().map(|(name, kind, help, number)| {
        let mut family = Family::new(name, *kind, help);
        for (place, outcome) in known(&loops) {
            if let Some(value) = number(outcome) {
                family.add(&labels(place), value);
            }
        }
        family
    }));
    families.extend(signals(&loops));
    families.push(budgets(&loops));
    families.extend(said(&Totals::load(machine.state())));
    Ok(families.iter().map(Family::text).collect())
}

fn known(loops: &[(Place, Standing)]) -> impl Iterator<Item = (&Place, &Outcome)> {
    loops.iter().filter_map(|(place, standing)| match standing {
        Standing::Known(outcome) => Some((place, &**outcome)),
        Standing::Busy | Standing::Unreadable(_) => None,
    })
}

fn labels(place: &Place) -> [(&'static str, String); 2] {
    [
        ("workspace", place.id.workspace.clone()),
        ("circuit", place.id.circuit.to_string()),
    ]
}

fn with<const N: usize>(
    place: &Place,
    more: [(&'static str, &str); N],
) -> Vec<(&'static str, String)> {
    let more = more
        .into_iter()
        .map(|(name, value)| (name, value.to_owned()));
    labels(place).into_iter().chain(more).collect()
}

fn build() -> Family {
    let mut family = Family::new(
        "fusebox_build_info",
        Kind::Gauge,
        "The release that says all this.",
    );
    family.add(&[("version", env!("CARGO_PKG_VERSION").to_owned())], 1.0);
    family
}

fn about(loops: &[(Place, Standing)]) -> Family {
    let help = "Where a loop works, and under which preset.";
    let mut family = Family::new("fusebox_loop_info", Kind::Gauge, help);
    for (place, outcome) in known(loops) {
        let root = place.root.to_string_lossy();
        let labels = with(
            place,
            [("root", &root), ("preset", outcome.policy.preset.name())],
        );
        family.add(&labels, 1.0);
    }
    family
}

fn readable(loops: &[(Place, Standing)]) -> Family {
    let help = "Whether the memory of a loop can be read and believed; if not, it counts as open.";
    let mut family = Family::new("fusebox_readable", Kind::Gauge, help);
    for (place, standing) in loops {
        let unreadable = matches!(standing, Standing::Unreadable(_));
        family.add(&labels(place), flag(!unreadable));
    }
    family
}

fn running(loops: &[(Place, Standing)]) -> Family {
    let help = "Whether a supervisor is at work.";
    let mut family = Family::new("fusebox_running", Kind::Gauge, help);
    for (place, _) in loops {
        family.add(&labels(place), flag(place.is_live()));
    }
    family
}

fn states(loops: &[(Place, Standing)]) -> Family {
    let help = "The state of the breaker: 1 for the one it is in.";
    let mut family = Family::new("fusebox_state", Kind::Gauge, help);
    for (place, outcome) in known(loops) {
        for state in STATES {
            let name = state.name().to_ascii_lowercase();
            let value = flag(outcome.decision.state == state);
            family.add(&with(place, [("state", &name)]), value);
        }
    }
    family
}

fn signals(loops: &[(Place, Standing)]) -> [Family; 2] {
    let mut values = Family::new("fusebox_signal", Kind::Gauge, "What a signal counted.");
    let help = "From which count it speaks.";
    let mut thresholds = Family::new("fusebox_signal_threshold", Kind::Gauge, help);
    for (place, outcome) in known(loops) {
        for reading in &outcome.decision.readings {
            let labels = with(place, [("signal", reading.signal.name())]);
            values.add(&labels, f64::from(reading.value));
            if let Some(threshold) = reading.threshold {
                thresholds.add(&labels, f64::from(threshold));
            }
        }
    }
    [values, thresholds]
}

fn budgets(loops: &[(Place, Standing)]) -> Family {
    let help = "The share of a budget that is used up.";
    let mut family = Family::new("fusebox_budget_used_ratio", Kind::Gauge, help);
    for (place, outcome) in known(loops) {
        for (resource, left) in &outcome.decision.budgets {
            let labels = with(place, [("resource", resource_name(*resource))]);
            family.add(&labels, float(left.used) / float(left.limit.max(1)));
        }
    }
    family
}

/// What agents say they spent, where they tell.
fn said(totals: &Totals) -> [Family; 2] {
    let help = "Money that an agent says it spent, in US dollars; `fusebox otlp receive` hears it.";
    let mut cost = Family::new("fusebox_agent_cost_usd_total", Kind::Counter, help);
    let help = "Tokens that an agent says it used.";
    let mut tokens = Family::new("fusebox_agent_tokens_total", Kind::Counter, help);
    for (model, spent) in &totals.models {
        let labels = |more: &[(&'static str, &str)]| {
            let own = [("agent", "claude"), ("model", model.as_str())];
            let all = own.iter().chain(more);
            all.map(|(name, value)| (*name, (*value).to_owned()))
                .collect::<Vec<_>>()
        };
        if spent.cost_usd > 0.0 {
            cost.add(&labels(&[]), spent.cost_usd);
        }
        for (kind, count) in &spent.tokens {
            tokens.add(&labels(&[("type", kind)]), *count);
        }
    }
    [cost, tokens]
}

fn flag(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}

fn seconds(ms: i64) -> f64 {
    ms as f64 / 1e3
}

/// No count of ours is so large that a sample of it suffers.
fn float(count: u64) -> f64 {
    count as f64
}
