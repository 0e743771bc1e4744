//! `fusebox tune`: thresholds that fit one's own history, proposed and never
//! applied.

use std::fmt::Write;

use fusebox_replay::{Case, Proposal, Recording, Share, Tolerance, Tuning, tune};
use serde::Serialize;

use super::Context;
use super::replay::{policy, sessions};
use crate::cli::Tune;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>, args: &Tune) -> Result<u8, Failure> {
    let policy = policy(context, &[])?;
    let read = sessions(context, &args.paths, Recording::default)?;
    let sessions = read.into_iter().flat_map(|file| file.sessions);
    let cases: Vec<Case> = sessions
        .map(Case::from)
        .filter(|case| case.calls > 0)
        .collect();
    if cases.is_empty() {
        return Err(Failure::new(
            exit::MISSING,
            "none of these sessions has a call",
        ));
    }
    let tolerance = Tolerance {
        warn: args.warn,
        stop: args.stop,
    };
    let tuning = tune(&cases, &policy, tolerance)
        .map_err(|error| Failure::new(exit::INTERNAL, error.to_string()))?;
    if context.speech.json {
        context.speech.json(&Data::of(&tuning));
    } else {
        context.speech.data(&told(&tuning));
    }
    Ok(exit::GO)
}

fn told(tuning: &Tuning) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<26} {:>8} {:>26} {:>8} {:>26}",
        "threshold", "now", "sessions that reach it", "proposed", "sessions that reach it"
    );
    for Proposal {
        now,
        reach_now,
        proposed,
        reach,
    } in &tuning.proposals
    {
        let _ = writeln!(
            text,
            "{:<26} {:>8} {:>26} {:>8} {:>26}",
            key(&now.name),
            now.value,
            cell(*reach_now),
            proposed.value,
            cell(*reach)
        );
    }
    if tuning.proposals.is_empty() {
        text.push_str("(all thresholds fit as they are)\n");
    }
    for (when, [warned, stopped]) in [("as it is", tuning.now), ("as proposed", tuning.then)] {
        let _ = writeln!(
            text,
            "\n{when}: {} of the sessions would be warned, {} stopped",
            cell(warned),
            cell(stopped)
        );
    }
    if !tuning.proposals.is_empty() {
        let settings = tuning
            .proposals
            .iter()
            .map(|one| format!(" --set {}", one.proposed));
        let settings: String = settings.collect();
        let _ = writeln!(
            text,
            "\nnothing was changed. To see what it would mean:\n  fusebox replay{settings} PATH…"
        );
        let _ = write!(
            text,
            "\nto have it so, write into your configuration:\n{}",
            tables(&tuning.proposals)
        );
    }
    text
}

/// The key of a threshold in the configuration.
fn key(name: &str) -> String {
    format!("loops.{name}")
}

/// What is proposed, as it stands in a file of the configuration.
fn tables(proposals: &[Proposal]) -> String {
    let mut text = String::new();
    let mut table = "";
    for Proposal { proposed, .. } in proposals {
        let (signal, rung) = proposed.name.split_once('.').unwrap_or_default();
        if signal != table {
            table = signal;
            let _ = write!(text, "\n[{}]\n", key(signal));
        }
        let _ = writeln!(text, "{rung} = {}", proposed.value);
    }
    text
}

/// A percentage with its interval.
fn cell(share: Share) -> String {
    let (low, high) = share.interval();
    format!("{:.1} % ({low:.1}–{high:.1})", share.percent())
}

/// All of it as data.
#[derive(Serialize)]
struct Data {
    schema: u32,
    sessions: u32,
    proposals: Vec<ProposalData>,
    now: Spoken,
    proposed: Spoken,
}

#[derive(Serialize)]
struct ProposalData {
    key: String,
    name: String,
    now: u32,
    proposed: u32,
    reach_now: f64,
    reach: f64,
}

/// Sessions that would be warned and stopped, in percent, and how many it may be.
#[derive(Serialize)]
struct Spoken {
    warned: f64,
    warned_at_most: f64,
    stopped: f64,
    stopped_at_most: f64,
}

impl Data {
    fn of(tuning: &Tuning) -> Self {
        let proposals = tuning.proposals.iter().map(|proposal| ProposalData {
            key: key(&proposal.now.name),
            name: proposal.now.name.clone(),
            now: proposal.now.value,
            proposed: proposal.proposed.value,
            reach_now: proposal.reach_now.percent(),
            reach: proposal.reach.percent(),
        });
        Self {
            schema: 1,
            sessions: tuning.now[0].of,
            proposals: proposals.collect(),
            now: Spoken::of(tuning.now),
            proposed: Spoken::of(tuning.then),
        }
    }
}

impl Spoken {
    fn of([warned, stopped]: [Share; 2]) -> Self {
        Self {
            warned: warned.percent(),
            warned_at_most: warned.interval().1,
            stopped: stopped.percent(),
            stopped_at_most: stopped.interval().1,
        }
    }
}
