//! `fusebox guard check` and `explain`: what a command would do, without running it.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use fusebox_guard::{Decision, Effect, Target, Verdict, batch};
use fusebox_view::{escape, phrase};
use serde::Serialize;

use super::{Place, WIDTH};
use crate::cli::GuardCheck;
use crate::context::Context;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// How much of a command is read from standard input.
const LONGEST: u64 = 4 << 20;

/// How many effects are told to a person.
const MOST_EFFECTS: usize = 12;

/// How many lines of a table are named that are no cases.
const MOST_LINES: usize = 10;

/// The checklist as data.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    verdict: &'static str,
    why: &'a str,
    affected: Vec<Affected>,
    protected: Vec<Touched>,
    alternative: Option<&'a str>,
}

/// What would be done to files, protected or not.
#[derive(Serialize)]
struct Affected {
    action: String,
    /// The path; where it is not `exact`, with `…` for what is not known of it.
    path: String,
    /// Whether everything beneath it is meant as well.
    beneath: bool,
    exact: bool,
}

/// What would be done to something protected.
#[derive(Serialize)]
struct Touched {
    action: String,
    path: String,
    rule: String,
}

pub(super) fn check(
    context: &Context<'_>,
    args: &GuardCheck,
    in_full: bool,
) -> Result<u8, Failure> {
    if let Some(table) = &args.batch {
        return check_batch(context, args, table);
    }
    let Some(command) = &args.command else {
        let what = "there is no command to judge";
        return Err(Failure::new(exit::USAGE, what).hint("give it as one word, in quotes"));
    };
    let place = Place::of(context, args.root.as_deref())?;
    let verdict = if command == "-" {
        let mut text = Vec::new();
        // What is longer than any limit need not be read to its end to be refused.
        let read = io::stdin().take(LONGEST + 1).read_to_end(&mut text);
        read.map_err(|error| {
            Failure::new(exit::USAGE, format!("cannot read standard input: {error}"))
        })?;
        let guard = place.protection.guard();
        let mut verdict = guard.judge_command(&text, &place.directory);
        if text.len() as u64 > LONGEST {
            verdict.why =
                format!("the command has more than {LONGEST} bytes, too many to be analysed");
        }
        verdict
    } else {
        place
            .protection
            .guard()
            .judge_command(command.as_encoded_bytes(), &place.directory)
    };
    if context.speech.json {
        context.speech.json(&report(&verdict));
    } else {
        context.speech.data(&told(&verdict, in_full));
    }
    Ok(match verdict.decision {
        Decision::Allow => exit::GO,
        Decision::Deny => exit::REFUSED,
    })
}

fn report(verdict: &Verdict) -> Report<'_> {
    let affected = verdict.affected.iter().map(affected);
    let protected = verdict.protected.iter().map(|finding| Touched {
        action: finding.action.to_string(),
        path: finding.path.display().to_string(),
        rule: finding.rule.pattern(),
    });
    Report {
        schema: 1,
        verdict: word(verdict.decision),
        why: &verdict.why,
        affected: affected.collect(),
        protected: protected.collect(),
        alternative: verdict.alternative.as_deref(),
    }
}

fn affected(effect: &Effect) -> Affected {
    let target = &effect.target;
    let path = match (target.path(), target) {
        (Some(path), _) => path.display().to_string(),
        (None, Target::Like(pattern)) => pattern.to_string(),
        (None, _) => "…".to_owned(),
    };
    Affected {
        action: effect.action.to_string(),
        path,
        beneath: matches!(target, Target::Tree(_)),
        exact: target.path().is_some(),
    }
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Deny => "block",
    }
}

fn told(verdict: &Verdict, in_full: bool) -> String {
    let mut lines = vec![format!("{}: {}", word(verdict.decision), verdict.why)];
    if in_full {
        for effect in verdict.affected.iter().take(MOST_EFFECTS) {
            lines.push(format!("  would {} {}", effect.action, effect.target));
        }
        if verdict.affected.len() > MOST_EFFECTS {
            let more = verdict.affected.len() - MOST_EFFECTS;
            lines.push(format!("  and {more} more"));
        }
        for finding in &verdict.protected {
            let (path, rule) = (finding.path.display(), finding.rule.pattern());
            lines.push(format!("  protected: {path} by the rule {rule}"));
        }
    }
    if let Some(alternative) = &verdict.alternative {
        lines.push(format!("  instead: {alternative}"));
    }
    let escaped = lines.iter().map(|line| escape::line(line, WIDTH) + "\n");
    escaped.collect()
}

fn check_batch(context: &Context<'_>, args: &GuardCheck, table: &Path) -> Result<u8, Failure> {
    let place = Place::of(context, args.root.as_deref())?;
    let cases = fs::read_to_string(table).map_err(|error| {
        let what = format!("cannot read {}: {error}", table.display());
        Failure::new(exit::USAGE, what)
    })?;
    // An empty line separates; any other that says nothing is one that nobody judged.
    let lines = (1..).zip(cases.lines());
    let lost: Vec<usize> = lines
        .filter(|(_, line)| !line.trim().is_empty() && batch::Case::parse(line).is_none())
        .map(|(number, _)| number)
        .collect();
    let score = batch::run(
        &place.protection.guard(),
        &place.directory,
        &cases,
        |case, decision| {
            let command = batch::escaped(&case.command);
            context
                .speech
                .data(&format!("{}\t{command}\n", word(decision)));
        },
    );
    context.speech.data(&format!("{score}\n"));
    if lost.is_empty() {
        return Ok(exit::GO);
    }
    let numbers: Vec<String> = lost.iter().take(MOST_LINES).map(usize::to_string).collect();
    let more = match lost.len().saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = format!(
        "{} of {} cannot be read, and nobody judged what stands there: {}{more}",
        phrase::count(lost.len() as u64, "line"),
        shown(table),
        numbers.join(", ")
    );
    Err(Failure::new(exit::USAGE, what)
        .hint("a case is `block` or `allow`, a tab, and the command with `\\n` and `\\t` for breaks and tabs"))
}
