//! `fusebox doctor`: everything that must be well, on one screen.
//!
//! One file for each thing that is looked at. Looking changes nothing; `--fix` puts
//! right what the next run would put right anyway, and nothing that a person should
//! look at first. What is wrong with one thing keeps nobody from looking at the others,
//! least of all a memory that cannot be believed: that is when a person asks.

mod agent;
mod breaker;
mod clock;
mod config;
mod disk;
mod git;
mod hooks;
mod leftovers;
mod memory;
mod protected;
mod sandbox;
mod supervisor;
mod tasks;

use std::path::{Path, PathBuf};

use fusebox_core::Policy;
use serde::Serialize;

use super::{Context, asked_for};
use crate::answer::Distrust;
use crate::cli::Doctor;
use crate::exit;
use crate::failure::Failure;
use crate::finding::{Finding, Level};
use crate::session::{self, Session};

pub(super) use memory::pruned;

/// What was found, as data.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    standing: Standing<'a>,
    #[serde(flatten)]
    memory: memory::Memory<'a>,
    checks: &'a [Finding],
    /// What `--fix` has put right, one line each.
    fixed: &'a [String],
}

/// Whether the memory is believed. Where it is not, the answer is also the one that every
/// other command gives.
#[derive(Serialize)]
#[serde(untagged)]
enum Standing<'a> {
    Believed { schema: u32 },
    Distrusted(Distrust<'a>),
}

/// What a check has at hand.
struct Patient<'a> {
    context: &'a Context<'a>,
    /// Absent where not even the place of the memory can be looked at.
    session: Option<&'a Session>,
    /// The directory of the work.
    root: &'a Path,
    fix: bool,
    fixed: Vec<String>,
}

impl Patient<'_> {
    /// What is said of a thing that is known from the place of the memory alone.
    fn out_of_reach(about: &'static str) -> Vec<Finding> {
        vec![Finding::doubtful(
            about,
            "cannot be told as long as the memory cannot be read",
            "see to the memory first",
        )]
    }
}

const CHECKS: [fn(&mut Patient<'_>) -> Vec<Finding>; 12] = [
    config::look,
    breaker::look,
    supervisor::look,
    leftovers::look,
    tasks::look,
    agent::look,
    hooks::look,
    protected::look,
    sandbox::look,
    git::look,
    disk::look,
    clock::look,
];

pub(super) fn run(context: &Context<'_>, args: &Doctor) -> Result<u8, Failure> {
    let directory = session::directory(&context.cli.global)?;
    let session = match context.session_despite_config() {
        // What was asked for makes no sense, or somebody else is at work just now.
        Err(failure) if matches!(failure.code, exit::USAGE | exit::INTERNAL) => {
            return Err(failure);
        }
        session => session,
    };
    let root = session
        .as_ref()
        .map_or_else(|_| root_of(&directory), |one| one.located.root.clone());
    let memory = match &session {
        Ok(session) => memory::look(session)?,
        Err(failure) => memory::Look::out_of_reach(&context.cli.global.circuit, &root, failure),
    };
    let mut patient = Patient {
        context,
        session: session.as_ref().ok(),
        root: &root,
        fix: args.fix,
        fixed: Vec::new(),
    };
    let mut findings = vec![memory.finding()];
    for check in CHECKS {
        findings.extend(check(&mut patient));
    }
    let Patient { fixed, .. } = patient;
    let begun = session.as_ref().ok().and_then(|one| one.preset().ok()?);
    let preset = begun.or_else(|| asked_for(&context.cli.global));
    let policy = Policy::of(preset.unwrap_or_default());
    let code = severity(&findings);
    let code = match &memory.trouble {
        Some(_) => exit::shifted(code, &policy),
        None => code,
    };
    tell(context, &memory, &policy, &findings, &fixed);
    Ok(code)
}

fn tell(
    context: &Context<'_>,
    look: &memory::Look<'_>,
    policy: &Policy,
    findings: &[Finding],
    fixed: &[String],
) {
    let speech = context.speech;
    if speech.json {
        let standing = match &look.trouble {
            Some(failure) => Standing::Distrusted(Distrust::of(failure, policy)),
            None => Standing::Believed { schema: 1 },
        };
        speech.json(&Report {
            standing,
            memory: look.memory(),
            checks: findings,
            fixed,
        });
        return;
    }
    for finding in findings {
        speech.data(&format!("{}\n", finding.line()));
    }
    for line in fixed {
        speech.say(line);
    }
}

/// The code of what is gravest: a state that cannot be used, then a configuration
/// that makes no sense, then something that is missing.
fn severity(findings: &[Finding]) -> u8 {
    let broken = findings.iter().filter(|one| one.level == Level::Broken);
    let codes: Vec<u8> = broken.map(|one| one.code).collect();
    [exit::STATE, exit::CONFIG, exit::MISSING]
        .into_iter()
        .find(|code| codes.contains(code))
        .unwrap_or(exit::GO)
}

/// Where the work would be taken to be if nothing were remembered of it.
fn root_of(directory: &Path) -> PathBuf {
    let marks = [crate::config::PROJECT, ".git"];
    let is_root = |path: &&Path| marks.iter().any(|mark| path.join(mark).exists());
    let root = directory.ancestors().find(is_root);
    root.unwrap_or(directory).to_owned()
}
