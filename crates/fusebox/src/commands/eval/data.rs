//! What `eval` found out, as data.

use std::collections::BTreeMap;

use fusebox_replay::{Group, Score, Setting, Share, Trial};
use serde::Serialize;

use super::Findings;
use crate::speech::Speech;

/// A share with its interval, in percent.
#[derive(Serialize)]
struct Percent {
    hits: u32,
    of: u32,
    percent: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct ScoreData {
    groups: BTreeMap<&'static str, Percent>,
    harmful: Percent,
    saved: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supervisor: Option<BTreeMap<&'static str, Percent>>,
}

#[derive(Serialize)]
struct TrialData {
    settings: BTreeMap<String, u32>,
    frontier: bool,
    warn: ScoreData,
    trip: ScoreData,
}

#[derive(Serialize)]
struct Report {
    schema: u32,
    sessions: usize,
    chosen: TrialData,
    other: Option<TrialData>,
    swept: Vec<TrialData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folds: Option<FoldsData>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    peers: BTreeMap<&'static str, ScoreData>,
    injected: BTreeMap<&'static str, BTreeMap<&'static str, Percent>>,
}

/// What was chosen on the other parts, and what it comes to on each; and on all.
#[derive(Serialize)]
struct FoldsData {
    parts: Vec<PartData>,
    warn: ScoreData,
    trip: ScoreData,
}

#[derive(Serialize)]
struct PartData {
    settings: BTreeMap<String, u32>,
    warn: ScoreData,
    trip: ScoreData,
}

pub(super) fn print(speech: Speech, findings: &Findings) {
    let trial = |trial: &Trial| TrialData {
        settings: settings(&trial.settings),
        frontier: findings.is_on_the_frontier(trial),
        warn: score(&trial.warn),
        trip: score(&trial.trip),
    };
    let injected = findings.troubles.iter().map(|(trouble, noticed)| {
        let shares = [
            ("warned_in_time", noticed.warned),
            ("warned", noticed.warned_late),
            ("stopped_in_time", noticed.stopped),
            ("stopped", noticed.stopped_late),
        ];
        (
            trouble.name(),
            shares.map(|(name, share)| (name, percent(share))).into(),
        )
    });
    speech.json(&Report {
        schema: 1,
        sessions: findings.cases.len(),
        chosen: trial(&findings.chosen),
        other: findings.other.as_ref().map(trial),
        swept: findings.swept.iter().map(trial).collect(),
        peers: findings
            .peers
            .iter()
            .map(|(peer, found)| (peer.name(), score(found)))
            .collect(),
        folds: findings.folds.as_ref().map(|folds| FoldsData {
            parts: folds
                .parts
                .iter()
                .map(|part| PartData {
                    settings: settings(&part.settings),
                    warn: score(&part.warn),
                    trip: score(&part.trip),
                })
                .collect(),
            warn: score(&folds.warn),
            trip: score(&folds.trip),
        }),
        injected: injected.collect(),
    });
}

fn settings(settings: &[Setting]) -> BTreeMap<String, u32> {
    let pairs = settings.iter().cloned();
    pairs.map(|Setting { name, value }| (name, value)).collect()
}

fn score(score: &Score) -> ScoreData {
    let supervisor = score.opinion.map(|opinion| {
        let shares = [
            ("caught", opinion.caught),
            ("early", opinion.early),
            ("late", opinion.late),
            ("false", opinion.wrong),
        ];
        shares.map(|(name, share)| (name, percent(share))).into()
    });
    ScoreData {
        groups: Group::JUDGED
            .map(|group| (group.name(), percent(score.of(group))))
            .into(),
        harmful: percent(score.harmful),
        saved: score.saved,
        supervisor,
    }
}

fn percent(share: Share) -> Percent {
    let (low, high) = share.interval();
    Percent {
        hits: share.hits,
        of: share.of,
        percent: share.percent(),
        low,
        high,
    }
}
