//! What somebody at work on a task found worth reporting.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// One reported anomaly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anomaly {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// Whether its reporter did not say when: then `at_ms` is only what it is taken for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undated: bool,
    /// The task it was met in.
    pub task: String,
    /// Who reported it.
    pub reporter: String,
    /// What kind it is.
    #[serde(rename = "type")]
    pub kind: AnomalyKind,
    /// What is known of it.
    #[serde(default)]
    pub details: Details,
}

/// The kinds of anomalies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyKind {
    /// The same attempt failed several times.
    RetryLoop,
    /// Something was given up for something else.
    TradeOff,
    /// What was assumed is not so.
    AssumptionViolated,
    /// The specification can be read in more than one way.
    SpecAmbiguity,
    /// The work left its scope.
    ScopeDeviation,
    /// A problem was avoided rather than solved.
    Workaround,
    /// Something was left to be paid for later.
    DebtCreated,
    /// Something outside stands in the way.
    ExternalBlocker,
    /// Nothing is left to try: a matter of planning.
    HypothesisExhaustion,
    /// Author and reviewer do not agree: a matter of record.
    ReviewDeadlock,
    /// The specification does not say.
    SpecGap,
    /// The specification was changed: a matter of record.
    SpecChanged,
    /// The rules of working together can be read in more than one way: a matter of record.
    SystemAmbiguity,
}

impl AnomalyKind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::RetryLoop,
        Self::TradeOff,
        Self::AssumptionViolated,
        Self::SpecAmbiguity,
        Self::ScopeDeviation,
        Self::Workaround,
        Self::DebtCreated,
        Self::ExternalBlocker,
        Self::HypothesisExhaustion,
        Self::ReviewDeadlock,
        Self::SpecGap,
        Self::SpecChanged,
        Self::SystemAmbiguity,
    ];

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RetryLoop => "retry_loop",
            Self::TradeOff => "trade_off",
            Self::AssumptionViolated => "assumption_violated",
            Self::SpecAmbiguity => "spec_ambiguity",
            Self::ScopeDeviation => "scope_deviation",
            Self::Workaround => "workaround",
            Self::DebtCreated => "debt_created",
            Self::ExternalBlocker => "external_blocker",
            Self::HypothesisExhaustion => "hypothesis_exhaustion",
            Self::ReviewDeadlock => "review_deadlock",
            Self::SpecGap => "spec_gap",
            Self::SpecChanged => "spec_changed",
            Self::SystemAmbiguity => "system_ambiguity",
        }
    }
}

/// What is known of an anomaly. Which fields are there depends on its kind, and
/// on how careful the reporter was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// How many attempts failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The error they failed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pattern: Option<String>,
    /// What the reporter suspects behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause_hypothesis: Option<String>,
    /// What is behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// What was done instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether it will have to be paid for later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debt_created: Option<bool>,
    /// What was assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
    /// What is the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reality: Option<String>,
    /// The place in the specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_ref: Option<String>,
    /// The service that stands in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocker_service: Option<String>,
    /// The section of the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_section: Option<String>,
    /// What is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// The identity of an anomaly: equal for equal entries, whatever file they are
/// read from. An entry that was edited is another entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryHash(pub u64);

impl EntryHash {
    /// The identity of `anomaly`.
    #[must_use]
    pub fn of(anomaly: &Anomaly) -> Self {
        let details = &anomaly.details;
        let number = |count: u32| count.to_string();
        let flag = |set: bool| set.to_string();
        let mut hash = Sha256::new();
        for field in [
            // What it is taken for may change from one reading to the next.
            (!anomaly.undated).then(|| anomaly.at_ms.to_string()),
            Some(anomaly.task.clone()),
            Some(anomaly.reporter.clone()),
            Some(anomaly.kind.name().to_owned()),
            details.count.map(number),
            details.error_pattern.clone(),
            details.root_cause_hypothesis.clone(),
            details.root_cause.clone(),
            details.what.clone(),
            details.why.clone(),
            details.debt_created.map(flag),
            details.assumption.clone(),
            details.reality.clone(),
            details.spec_ref.clone(),
            details.blocker_service.clone(),
        ] {
            // With its length in front, no text can pass for its neighbour.
            match field {
                Some(text) => {
                    hash.update(format!("{}:", text.len()));
                    hash.update(text);
                }
                None => hash.update("-"),
            }
        }
        // They came later, and entries without them keep their identity.
        for (name, field) in [
            ("protocol_section", &details.protocol_section),
            ("question", &details.question),
        ] {
            if let Some(text) = field {
                hash.update(format!("{name}:{}:{text}", text.len()));
            }
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hash.finalize()[..8]);
        Self(u64::from_be_bytes(first) >> 11)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_of_the_whole_entry() {
        let entry = Anomaly {
            at_ms: 1,
            undated: false,
            task: "t".into(),
            reporter: "r".into(),
            kind: AnomalyKind::TradeOff,
            details: Details {
                what: Some("ab".into()),
                why: Some("c".into()),
                ..Details::default()
            },
        };
        let with = |edit: fn(&mut Anomaly)| {
            let mut other = entry.clone();
            edit(&mut other);
            EntryHash::of(&other)
        };
        let mut all = vec![
            EntryHash::of(&entry),
            with(|a| a.at_ms = 2),
            with(|a| a.undated = true),
            with(|a| a.task = "u".into()),
            with(|a| a.reporter = "s".into()),
            with(|a| a.kind = AnomalyKind::Workaround),
            with(|a| a.details.debt_created = Some(false)),
            with(|a| a.details.count = Some(0)),
            with(|a| a.details.why = None),
            with(|a| {
                a.details.what = Some("a".into());
                a.details.why = Some("bc".into());
            }),
        ];
        assert_eq!(with(|_| ()), all[0]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 10);
        let undated = |at_ms| {
            EntryHash::of(&Anomaly {
                at_ms,
                undated: true,
                ..entry.clone()
            })
        };
        assert_eq!(undated(1), undated(2));
    }

    #[test]
    fn req_002_012_to_018_an_anomaly_reads_from_its_written_fields() {
        for kind in AnomalyKind::ALL {
            let written = format!(
                r#"{{"at_ms":1,"task":"t","reporter":"r","type":"{}","details":{{}}}}"#,
                kind.name()
            );
            assert_eq!(
                serde_json::from_str::<Anomaly>(&written).unwrap().kind,
                kind
            );
        }
        let details: Details = serde_json::from_str(
            r#"{"count":3,"error_pattern":"e","root_cause_hypothesis":"h","what":"w","why":"y",
                "debt_created":true,"assumption":"a","reality":"r","spec_ref":"s","blocker_service":"b"}"#,
        )
        .unwrap();
        assert_eq!((details.count, details.debt_created), (Some(3), Some(true)));
        assert_eq!(details.root_cause, None, "a hypothesis is not a cause");
        assert!(serde_json::from_str::<AnomalyKind>(r#""no_such_kind""#).is_err());
    }
}
