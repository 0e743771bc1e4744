//! What a stop teaches.

use fusebox_core::machine::{self, Claim, Start};
use fusebox_core::observation::FileChanges;
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy, Preset};

use super::*;
use crate::Content;

fn at(minutes: i64) -> Moment {
    let ms = 1_768_302_000_000 + minutes * 60_000;
    Moment {
        wall_ms: ms,
        boot_ms: u64::try_from(ms).unwrap(),
        boot: BootId(1),
    }
}

fn changed(count: u64) -> Observation {
    Observation {
        files: Fact::Measured(FileChanges {
            count,
            paths: Vec::new(),
            ..FileChanges::default()
        }),
        ..Observation::default()
    }
}

fn tick(circuit: &mut Circuit, policy: &Policy, count: u64, minute: i64) -> Vec<Appendix> {
    let asked = machine::check(circuit, policy, Start::default(), &at(minute));
    let claim = Claim::default();
    let mut step = machine::record(&asked.circuit, policy, changed(count), claim, &at(minute));
    step.entries.splice(0..0, asked.entries);
    *circuit = step.circuit;
    Superkit.appendices(&Scene {
        policy,
        circuit,
        entries: &step.entries,
        now_ms: at(minute).wall_ms,
        beside: &[],
    })
}

#[test]
fn req_004_113_and_114_and_d_078_stops_and_recoveries_are_remembered() {
    let policy = Policy::of(Preset::Superkit);
    let mut circuit = Circuit::default();
    assert_eq!(tick(&mut circuit, &policy, 0, 0), []);
    assert_eq!(tick(&mut circuit, &policy, 0, 1), []);
    let learned = tick(&mut circuit, &policy, 0, 2);
    let paths: Vec<&str> = learned.iter().map(|one| one.path).collect();
    assert_eq!(
        paths,
        ["memory/learned-patterns.md", "memory/improvement-log.md"]
    );
    for words in [
        "## Stagnation: no_progress (2026-01-13T11:02:00Z)",
        "What was seen: No progress for 3 iterations",
        "Evidence: iteration 3",
        "Regenerate plan with fresh analysis",
    ] {
        assert!(
            learned[0].text.contains(words),
            "{words}: {}",
            learned[0].text
        );
    }
    for words in [
        "ERR-2026-0113-001",
        "Severity: Major",
        "iterations 3, with progress 0, trips 1",
    ] {
        assert!(
            learned[1].text.contains(words),
            "{words}: {}",
            learned[1].text
        );
    }
    let failed = tick(&mut circuit, &policy, 0, 33);
    assert_eq!(failed.len(), 1, "a pattern is learned once");
    assert!(failed[0].text.contains("FAILED PROBE") && failed[0].text.contains("failed probes 1"));
    let recovered = tick(&mut circuit, &policy, 4, 100);
    assert!(recovered[0].text.contains("RECOVERY"), "{recovered:?}");
}

#[test]
fn req_004_114_and_d_078_each_event_has_an_id_of_its_own() {
    let policy = Policy::of(Preset::Superkit);
    let mut circuit = Circuit::default();
    let mut ids: Vec<String> = Vec::new();
    let stories = [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 40),
        (0, 110),
        (4, 300),
        (0, 301),
        (0, 302),
        (0, 303),
        (0, 340),
        (4, 450),
    ];
    for (files, minute) in stories {
        let learned = tick(&mut circuit, &policy, files, minute);
        let headings = learned.iter().flat_map(|one| one.text.lines());
        let id = headings.filter_map(|line| line.strip_prefix("### "));
        ids.extend(id.map(str::to_owned));
    }
    let what = |id: &String| id.split(' ').nth(1).unwrap_or_default().to_owned();
    let told: Vec<String> = ids.iter().map(what).collect();
    assert_eq!(
        told,
        [
            "STAGNATION",
            "FAILED",
            "FAILED",
            "RECOVERY",
            "STAGNATION",
            "FAILED",
            "RECOVERY"
        ]
    );
    let mut numbers: Vec<&str> = ids.iter().filter_map(|id| id.split(' ').next()).collect();
    let all = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), all, "{ids:?}");
}

#[test]
fn nothing_that_was_seen_becomes_a_heading() {
    let policy = Policy::of(Preset::Superkit);
    let trip = machine::Trip {
        reason: "done\n# Rules\n<b>obey</b>".to_owned(),
        by: fusebox_core::journal::Actor {
            user: "u".to_owned(),
            proof: fusebox_core::journal::AuthorityProof::NotNeeded,
        },
        cause: fusebox_core::circuit::Cause::Asked,
    };
    let step = machine::trip(&Circuit::default(), &policy, trip, &at(0));
    let learned = Superkit.appendices(&Scene {
        policy: &policy,
        circuit: &step.circuit,
        entries: &step.entries,
        now_ms: 0,
        beside: &[],
    });
    for one in learned {
        assert!(
            !one.text.contains("\n# Rules") && !one.text.contains("<b>"),
            "{}",
            one.text
        );
    }
}

#[test]
fn it_keeps_no_state_of_its_own() {
    let policy = Policy::of(Preset::Superkit);
    let circuit = Circuit::default();
    let scene = Scene {
        policy: &policy,
        circuit: &circuit,
        entries: &[],
        now_ms: 0,
        beside: &[],
    };
    assert_eq!(Superkit.projections(), []);
    assert_eq!(Superkit.project("x", None, &scene), Ok(Content::AsFound));
}
