//! Every character that acts on whoever looks, through everything that is written into the files
//! of other systems.

use fusebox_core::circuit::Cause;
use fusebox_core::fact::Fact;
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine::{self, Claim, Trip};
use fusebox_core::observation::{ErrorReport, WorkPhase};
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details};
use fusebox_core::{BootId, Circuit, Entry, Moment, Observation, Policy, Preset};
use fusebox_core::{hostile, is_hostile};

use crate::bmad::features::FeatureList;
use crate::liza::{Finding, Section, Trigger};
use crate::{Content, Scene, bmad, cub, liza, seed};

const NOW: Moment = Moment {
    wall_ms: 1_768_302_000_000,
    boot_ms: 1_000,
    boot: BootId(1),
};

/// Texts that hold all of them, few enough in each that none is cut off, and what has to stay:
/// scripts that run from right to left, marks on letters.
fn texts() -> Vec<String> {
    let all: Vec<char> = hostile().collect();
    let texts = all.chunks(60).map(|some| {
        let some: String = some.iter().collect();
        format!("שלום e\u{301} {some}")
    });
    texts.collect()
}

fn is_quiet(written: &str, what: &str) {
    let acts = written.chars().find(|c| is_hostile(*c) && *c != '\n');
    assert_eq!(acts, None, "{what}: {written}");
}

/// A breaker that knows the text from everywhere, and what has just happened to it.
fn told_of(text: &str, policy: &Policy) -> (Circuit, Vec<Entry>) {
    let error = ErrorReport {
        kind: Some(text.to_owned()),
        message: text.to_owned(),
        file: Some(text.to_owned()),
        test: Some(text.to_owned()),
        ..ErrorReport::default()
    };
    let facts = Observation {
        task: Some(text.to_owned()),
        phase: Some(WorkPhase::Green),
        errors: Fact::Measured(vec![error]),
        ..Observation::default()
    };
    let mut circuit = Circuit::default();
    let mut entries = Vec::new();
    for _ in 0..2 {
        let step = machine::record(&circuit, policy, facts.clone(), Claim::default(), &NOW);
        circuit = step.circuit;
        entries.extend(step.entries);
    }
    let trip = Trip {
        reason: text.to_owned(),
        by: Actor {
            user: text.to_owned(),
            proof: AuthorityProof::NotNeeded,
        },
        cause: Cause::Asked,
    };
    let step = machine::trip(&circuit, policy, trip, &NOW);
    entries.extend(step.entries);
    (step.circuit, entries)
}

#[test]
fn nothing_acts_in_a_file_that_is_kept_for_another_system() {
    for preset in [Preset::Prp, Preset::Superkit, Preset::Bmad] {
        let seed = seed(preset).unwrap();
        let policy = Policy::of(preset);
        let mut holds = false;
        for text in texts() {
            let (circuit, entries) = told_of(&text, &policy);
            let quoted = serde_json::to_string(&text).unwrap();
            let features = format!(
                r#"[{{"id": {quoted}, "name": {quoted}, "status": "fail", "notes": {quoted}}},
                    {{"id": 2, "status": "blocked", "blocked_reason": {quoted}}}]"#
            );
            let log = format!("## Session 1: {}\n", text.replace(['\n', '\r'], " "));
            let beside = [
                (bmad::FEATURES, Some(features)),
                (bmad::PROGRESS, Some(log)),
            ];
            let scene = Scene {
                policy: &policy,
                circuit: &circuit,
                entries: &entries,
                now_ms: NOW.wall_ms,
                beside: &beside,
            };
            let mut all = String::new();
            for file in seed.projections() {
                if let Content::Text(text) = seed.project(file.path, None, &scene).unwrap() {
                    all += &text;
                }
            }
            for appendix in seed.appendices(&scene) {
                all = all + &appendix.header + &appendix.text;
            }
            all += &seed.status_block(&scene).unwrap_or_default();
            all += &seed.menu(&scene).map_or_else(String::new, |menu| menu.text);
            is_quiet(&all, preset.name());
            holds |= all.contains("שלום e\u{301}");
        }
        assert!(holds, "{}: no text came there", preset.name());
    }
}

#[test]
fn nothing_acts_on_a_blackboard_and_it_says_the_same() {
    for text in texts() {
        let trigger = Trigger {
            at_ms: NOW.wall_ms,
            pattern: None,
            severity: None,
        };
        let finding = Finding {
            matches: Vec::new(),
            judgement: Some(&text),
        };
        let report = liza::report(&trigger, &finding);
        is_quiet(&report, "the report");
        assert!(report.contains("שלום e\u{301}"), "{report}");

        let mut section = Section::of(None);
        let check = liza::Check::Triggered(trigger);
        section.checked(NOW.wall_ms, check, false).unwrap();
        section.resolved(NOW.wall_ms, &text).unwrap();
        is_quiet(section.text(), "the section");

        let anomaly = Anomaly {
            at_ms: NOW.wall_ms,
            undated: false,
            task: text.clone(),
            reporter: text.clone(),
            kind: AnomalyKind::TradeOff,
            details: Details {
                what: Some(text.clone()),
                ..Details::default()
            },
        };
        let board = format!("anomalies:\n{}\n", liza::entry(&anomaly));
        is_quiet(&board, "an anomaly");
        let read = liza::Board::read(&board).unwrap();
        assert_eq!(read.anomalies[0].details.what.as_ref(), Some(&text));
    }
}

#[test]
fn nothing_acts_in_a_list_of_features_or_a_history_of_errors_and_what_was_there_stays() {
    let theirs = "[{\"id\": \"F\u{202e}\", \"status\": \"fail\"}]";
    for text in texts() {
        let list = FeatureList::read(theirs).unwrap();
        let blocked = list.block(theirs, "F\u{202e}", &text).unwrap();
        is_quiet(&blocked.replacen('\u{202e}', "", 1), "a feature");
        assert!(blocked.starts_with("[{\"id\": \"F\u{202e}\", \"status\": "));
        let reason = &FeatureList::read(&blocked).unwrap().features[0].blocked_reason;
        assert_eq!(reason.as_ref(), Some(&text));

        let (circuit, _) = told_of(&text, &Policy::of(Preset::Native));
        let row = circuit.rows.last().unwrap();
        let history = cub::error_history(None, row).unwrap();
        is_quiet(&history, "the history of errors");
        assert!(history.contains("שלום e\u{301}"), "{history}");
        let theirs = "{\"error_history\": [{\"signature\": \"\u{202e}\"}]}";
        let grown = cub::error_history(Some(theirs), row).unwrap();
        assert!(grown.starts_with("{\"error_history\": [{\"signature\": \"\u{202e}\"}"));
        is_quiet(
            &grown.replacen('\u{202e}', "", 1),
            "a history that was there",
        );
    }
}
