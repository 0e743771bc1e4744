//! `fusebox eval`: is it right, and what would other thresholds do?

mod data;
mod tables;

use std::fs;

use fusebox_replay::{
    Case, Folds, Group, Mark, Peer, Recording, Score, Supervisor, Trial, combinations, fold,
    notice, plot, score, with,
};

use super::Context;
use super::replay::{policy, sessions};
use crate::cli::Eval;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, Readers};
use crate::speech::shown;

/// All that was found out.
struct Findings {
    /// The sessions it was found out from.
    cases: Vec<Case>,
    /// The sessions that a supervisor has read.
    supervised: usize,
    chosen: Trial,
    other: Option<Trial>,
    swept: Vec<Trial>,
    folds: Option<Folds>,
    peers: Vec<(Peer, Score)>,
    troubles: Vec<(fusebox_replay::Trouble, fusebox_replay::Noticed)>,
}

pub(super) fn run(context: &Context<'_>, args: &Eval) -> Result<u8, Failure> {
    let findings = find_out(context, args)?;
    if let Some(path) = &args.plot {
        output::write(path, Readers::All, &plot(&findings.marked()))?;
        context
            .speech
            .say(&format!("the plot is in {}", shown(path)));
    }
    if context.speech.json {
        data::print(context.speech, &findings);
    } else {
        context.speech.data(&tables::all(&findings));
    }
    Ok(exit::GO)
}

fn find_out(context: &Context<'_>, args: &Eval) -> Result<Findings, Failure> {
    let base = policy(context, &[])?;
    let supervisor = args.labels.as_deref().map(read_labels).transpose()?;
    let read = sessions(context, &args.paths, Recording::default)?;
    let cases: Vec<Case> = read
        .into_iter()
        .flat_map(|file| file.sessions)
        .map(Case::from)
        .collect();
    if cases.iter().all(|case| case.group == Group::Other) {
        let what = "of none of these sessions is known how it went";
        return Err(Failure::new(exit::MISSING, what)
            .hint("`fusebox replay` judges such sessions, and `fusebox tune` looks for thresholds that fit them"));
    }
    let trial = |settings: Vec<_>| {
        Trial::of(&cases, &base, settings, supervisor.as_ref())
            .map_err(|error| Failure::new(exit::USAGE, error.to_string()))
    };
    let chosen = trial(args.set.clone())?;
    let other = (!args.against.is_empty())
        .then(|| trial(args.against.clone()))
        .transpose()?;
    // Without anything to sweep there is one combination, in which nothing is changed.
    let combined: Vec<Vec<_>> = combinations(&args.sweep)
        .into_iter()
        .map(|settings| [args.set.clone(), settings].concat())
        .collect();
    let mut swept = Vec::new();
    if !args.sweep.is_empty() {
        for settings in &combined {
            swept.push(trial(settings.clone())?);
        }
    }
    let folds = args
        .folds
        .map(|parts| fold(&cases, &base, &combined, parts, supervisor.as_ref()))
        .transpose()
        .map_err(|error| Failure::new(exit::USAGE, error.to_string()))?;
    let troubles = match args.inject {
        true => {
            let policy = with(&base, &args.set)
                .map_err(|error| Failure::new(exit::USAGE, error.to_string()))?;
            notice(&cases, &policy, args.seed)
        }
        false => Vec::new(),
    };
    let peers = if args.peers { &Peer::ALL[..] } else { &[] };
    let peers = peers.iter().map(|peer| {
        let found = cases.iter().map(|case| (case, peer.speaks_up_in(case)));
        (*peer, score(found, |found| found.trip, supervisor.as_ref()))
    });
    let peers = peers.collect();
    Ok(Findings {
        supervised: supervisor.as_ref().map_or(0, Supervisor::sessions),
        cases,
        chosen,
        other,
        swept,
        folds,
        peers,
        troubles,
    })
}

fn read_labels(path: &std::path::Path) -> Result<Supervisor, Failure> {
    let refuse = |why: String| {
        let path = shown(path);
        Failure::new(
            exit::MISSING,
            format!("cannot read the labels {path}: {why}"),
        )
    };
    let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    Supervisor::parse(&text).map_err(|error| refuse(error.to_string()))
}

impl Findings {
    /// Whether no other policy that was tried beats this one.
    fn is_on_the_frontier(&self, trial: &Trial) -> bool {
        !self.swept.iter().any(|other| trial.is_beaten_by(other))
    }

    /// Every policy with what it is in the picture, the ones to see last.
    fn marked(&self) -> Vec<(Mark, &Trial)> {
        let swept = self
            .swept
            .iter()
            .map(|trial| match self.is_on_the_frontier(trial) {
                true => (Mark::Frontier, trial),
                false => (Mark::Tried, trial),
            });
        let other = self.other.iter().map(|trial| (Mark::Other, trial));
        let chosen = std::iter::once((Mark::Chosen, &self.chosen));
        swept.chain(other).chain(chosen).collect()
    }
}
