//! What somebody at work found worth reporting.

use fusebox_core::clip;
use fusebox_core::machine;
use fusebox_core::observation::NAME_BYTES;
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details};
use serde::Deserialize;

use crate::caller;
use crate::exit;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

/// How much of a detail is kept.
const TEXT_BYTES: usize = 1_024;

/// What somebody reports.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    #[serde(rename = "type")]
    pub(crate) kind: AnomalyKind,
    pub(crate) task: String,
    #[serde(default)]
    pub(crate) reporter: Option<String>,
    #[serde(default)]
    pub(crate) details: Details,
}

/// Writes an anomaly down, whoever brings it, and gives it back as it was written.
pub(crate) fn report(session: &Session, report: Report) -> Result<(Anomaly, Outcome), Failure> {
    refuse_incomplete(report.kind, &report.details)?;
    // An agent may report; that proves nothing and releases nothing.
    let by = caller::anyone();
    let reporter = report.reporter.unwrap_or_else(|| by.user.clone());
    let mut anomaly = Anomaly {
        at_ms: 0,
        undated: false,
        task: clip(&report.task, NAME_BYTES).to_owned(),
        reporter: clip(&reporter, NAME_BYTES).to_owned(),
        kind: report.kind,
        details: clipped(report.details),
    };
    let mut written = None;
    let outcome = session.apply(|circuit, policy, now| {
        // What is printed has whole seconds, and must be the same anomaly.
        anomaly.at_ms = now.wall_ms.div_euclid(1_000) * 1_000;
        written = Some(anomaly.clone());
        machine::report_anomaly(circuit, policy, anomaly, by, now)
    })?;
    match written {
        Some(anomaly) => Ok((anomaly, outcome)),
        None => Err(Failure::new(exit::INTERNAL, "nothing was written down")),
    }
}

/// The same with no more of each text than is kept.
fn clipped(mut details: Details) -> Details {
    let Details {
        count: _,
        debt_created: _,
        error_pattern,
        root_cause_hypothesis,
        root_cause,
        what,
        why,
        assumption,
        reality,
        spec_ref,
        blocker_service,
        protocol_section,
        question,
    } = &mut details;
    for text in [
        error_pattern,
        root_cause_hypothesis,
        root_cause,
        what,
        why,
        assumption,
        reality,
        spec_ref,
        blocker_service,
        protocol_section,
        question,
    ]
    .into_iter()
    .flatten()
    {
        *text = clip(text, TEXT_BYTES).to_owned();
    }
    details
}

/// The details that the blackboard's own validation asks for. Other kinds may be reported without
/// any: for the record, since what names nothing in common counts for no pattern.
fn refuse_incomplete(kind: AnomalyKind, details: &Details) -> Result<(), Failure> {
    let needed: &[(&str, bool)] = &match kind {
        AnomalyKind::RetryLoop => vec![
            ("count", details.count.is_some()),
            ("error_pattern", details.error_pattern.is_some()),
        ],
        AnomalyKind::TradeOff => vec![
            ("what", details.what.is_some()),
            ("why", details.why.is_some()),
            ("debt_created", details.debt_created.is_some()),
        ],
        AnomalyKind::ExternalBlocker => {
            vec![("blocker_service", details.blocker_service.is_some())]
        }
        AnomalyKind::AssumptionViolated => vec![
            ("assumption", details.assumption.is_some()),
            ("reality", details.reality.is_some()),
        ],
        AnomalyKind::SystemAmbiguity => vec![
            ("protocol_section", details.protocol_section.is_some()),
            ("question", details.question.is_some()),
        ],
        _ => Vec::new(),
    };
    let missing: Vec<&str> = needed
        .iter()
        .filter(|(_, there)| !there)
        .map(|(name, _)| *name)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let what = format!("a {} needs the details {}", kind.name(), missing.join(", "));
    Err(Failure::new(exit::USAGE, what).hint("give each as --detail KEY=VALUE"))
}
