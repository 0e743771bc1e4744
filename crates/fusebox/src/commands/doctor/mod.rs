//! `fusebox doctor`: everything that must be well, on one screen.
//!
//! One file for each thing that is looked at. Looking changes nothing; `--fix` puts
//! right what the next run would put right anyway, and nothing that a person should
//! look at first.

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

use serde::Serialize;

use super::Context;
use crate::cli::Doctor;
use crate::exit;
use crate::failure::Failure;
use crate::finding::{Finding, Level};
use crate::session::Session;

pub(super) use memory::pruned;
pub(crate) use memory::verify;

/// What was found, as data.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    memory: memory::Sound<'a>,
    checks: &'a [Finding],
    /// What `--fix` has put right, one line each.
    fixed: &'a [String],
}

/// What a check has at hand.
struct Patient<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    fix: bool,
    fixed: Vec<String>,
}

pub(super) fn run(context: &Context<'_>, args: &Doctor) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    // A memory that cannot be believed is the one thing to say.
    let sound = memory::look(&session)?;
    let mut patient = Patient {
        context,
        session: &session,
        fix: args.fix,
        fixed: Vec::new(),
    };
    let mut findings = vec![memory::finding(&sound)];
    let checks: [fn(&mut Patient<'_>) -> Vec<Finding>; 12] = [
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
    for check in checks {
        findings.extend(check(&mut patient));
    }
    let Patient { fixed, .. } = patient;
    tell(context, sound, &findings, &fixed);
    Ok(severity(&findings))
}

fn tell(context: &Context<'_>, memory: memory::Sound<'_>, findings: &[Finding], fixed: &[String]) {
    let speech = context.speech;
    if speech.json {
        speech.json(&Report {
            memory,
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
