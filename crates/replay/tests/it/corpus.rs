//! Real sessions, where they are at hand: `FUSEBOX_CORPUS` names the folder.

use std::path::PathBuf;
use std::process::Command;

use fusebox_core::calls::CallPolicy;
use fusebox_replay::{
    Case, Group, Recording, Supervisor, Trial, Trouble, find, find_in, notice, survey,
};

struct Corpus {
    cases: Vec<Case>,
    folder: PathBuf,
}

/// The sessions, or a word about why this test is skipped.
fn corpus() -> Option<Corpus> {
    let Some(folder) = std::env::var_os("FUSEBOX_CORPUS").map(PathBuf::from) else {
        eprintln!("SKIPPED: FUSEBOX_CORPUS names no folder of recorded sessions");
        return None;
    };
    let (files, _) = find(&[folder.join("trajectories")]);
    let read = survey(&files, &Default::default(), Recording::default);
    let cases = read
        .into_iter()
        .flat_map(|file| file.sessions)
        .map(Case::from)
        .collect();
    Some(Corpus { cases, folder })
}

/// The scorer that came with the sessions counts the same.
#[test]
fn scores_agree_with_those_of_an_independent_scorer() {
    let Some(Corpus { cases, folder }) = corpus() else {
        return;
    };
    let scorer = folder.join("../tools/detection/score.py");
    let labels = folder.join("labels/supervisor-dev.jsonl");
    let policy = CallPolicy::native();
    let place = tempfile::tempdir().unwrap();
    let (verdicts, scores) = (place.path().join("verdicts"), place.path().join("scores"));
    let mut lines = String::new();
    for case in &cases {
        let found = find_in(&case.events, &policy);
        for (level, call) in [("warn", found.warn), ("trip", found.trip)] {
            if let Some(call) = call {
                let line = serde_json::json!({"source": case.source, "session": case.session, "level": level, "call": call});
                lines += &format!("{line}\n");
            }
        }
    }
    std::fs::write(&verdicts, lines).unwrap();
    let mut scorer = Command::new(scorer);
    scorer
        .arg(folder.join("trajectories"))
        .arg("--labels")
        .arg(&labels);
    scorer
        .arg("--verdicts")
        .arg(&verdicts)
        .arg("--json")
        .arg(&scores);
    match scorer.output() {
        Ok(output) if output.status.success() => {}
        other => {
            eprintln!("SKIPPED: the scorer cannot be run: {other:?}");
            return;
        }
    }
    let scores: serde_json::Value =
        serde_json::from_slice(&std::fs::read(scores).unwrap()).unwrap();
    let labels = Supervisor::parse(&std::fs::read_to_string(labels).unwrap()).unwrap();
    let trial = Trial::of(&cases, &policy, Vec::new(), Some(&labels)).unwrap();
    for (level, score) in [("warn", &trial.warn), ("trip", &trial.trip)] {
        let theirs = &scores[level];
        let opinion = score.opinion.unwrap();
        for (name, ours, theirs) in [
            ("stuck", score.of(Group::Stuck).percent(), &theirs["stuck"]),
            ("limit", score.of(Group::Limit).percent(), &theirs["limit"]),
            ("saved", score.saved.unwrap_or_default(), &theirs["saved"]),
            (
                "solved",
                score.of(Group::Solved).percent(),
                &theirs["solved"],
            ),
            ("harmful", score.harmful.percent(), &theirs["harmful"]),
            (
                "claude",
                score.of(Group::Supervised).percent(),
                &theirs["claude"],
            ),
            (
                "loop",
                score.of(Group::Unattended).percent(),
                &theirs["loop"],
            ),
            (
                "caught",
                opinion.caught.percent(),
                &theirs["supervisor"]["caught"],
            ),
            (
                "early",
                opinion.early.percent(),
                &theirs["supervisor"]["early"],
            ),
            (
                "late",
                opinion.late.percent(),
                &theirs["supervisor"]["late"],
            ),
            (
                "false",
                opinion.wrong.percent(),
                &theirs["supervisor"]["false"],
            ),
        ] {
            let theirs = theirs.as_f64().unwrap();
            assert!(
                (ours - theirs).abs() < 1e-6,
                "{level} {name}: {ours} and {theirs}"
            );
        }
    }
}

/// Loops in the middle of real work are noticed.
#[test]
fn trouble_in_real_sessions_is_noticed() {
    let Some(Corpus { cases, .. }) = corpus() else {
        return;
    };
    for (trouble, noticed) in notice(&cases, &CallPolicy::native(), 1) {
        let warned = match trouble {
            Trouble::OneError => noticed.warned_late,
            _ => noticed.warned,
        };
        assert!(
            warned.of > 400 && warned.percent() >= 95.0,
            "{trouble:?}: {noticed:?}"
        );
    }
}
