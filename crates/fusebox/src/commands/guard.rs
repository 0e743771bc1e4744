//! `fusebox guard`: what is protected, and what a command would do to it.

use std::fs;
use std::path::{Path, PathBuf};

use fusebox_guard::{Decision, Mode, Protected, Verdict, batch};
use fusebox_view::escape;
use serde::Serialize;

use super::Context;
use crate::cli::{GuardAction, GuardCheck, GuardCommand};
use crate::exit;
use crate::failure::Failure;
use crate::protection::guard;
use crate::session::directory;

/// The widest that a line about a command is shown.
const WIDTH: usize = 400;

/// How many effects are told to a person.
const MOST_EFFECTS: usize = 12;

/// The checklist as data.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    verdict: &'static str,
    why: &'a str,
    affected: Vec<Affected>,
    protected: Vec<Affected>,
    alternative: Option<&'a str>,
}

#[derive(Serialize)]
struct Affected {
    action: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

pub(super) fn run(context: &Context<'_>, command: &GuardCommand) -> Result<u8, Failure> {
    match &command.action {
        GuardAction::Check(args) => match &args.batch {
            Some(table) => check_batch(context, args, table),
            None => check(context, args, false),
        },
        GuardAction::Explain(args) => check(context, args, true),
        GuardAction::List { root } => list(context, root.as_deref()),
    }
}

/// The root whose files are protected, and the directory that commands run in.
fn place(context: &Context<'_>, root: Option<&Path>) -> Result<(PathBuf, PathBuf), Failure> {
    let absolute = |path: &Path| {
        path.canonicalize().map_err(|error| {
            let what = format!("cannot look into {}: {error}", path.display());
            Failure::new(exit::USAGE, what)
        })
    };
    match root {
        Some(root) => {
            let root = absolute(root)?;
            Ok((root.clone(), root))
        }
        None => {
            let directory = absolute(&directory(&context.cli.global)?)?;
            let has_git = |above: &&Path| above.join(".git").exists();
            let root = directory.ancestors().find(has_git).unwrap_or(&directory);
            Ok((root.to_owned(), directory))
        }
    }
}

fn check(context: &Context<'_>, args: &GuardCheck, in_full: bool) -> Result<u8, Failure> {
    let Some(command) = &args.command else {
        let what = "there is no command to judge";
        return Err(Failure::new(exit::USAGE, what).hint("give it as one word, in quotes"));
    };
    let (root, directory) = place(context, args.root.as_deref())?;
    let verdict = guard(&root).judge_command(command.as_encoded_bytes(), &directory);
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
    let affected = verdict.affected.iter().map(|effect| Affected {
        action: effect.action.to_string(),
        path: effect.target.to_string(),
        rule: None,
    });
    let protected = verdict.protected.iter().map(|finding| Affected {
        action: finding.action.to_string(),
        path: finding.path.display().to_string(),
        rule: Some(finding.rule.pattern()),
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
    let (root, directory) = place(context, args.root.as_deref())?;
    let cases = fs::read_to_string(table).map_err(|error| {
        let what = format!("cannot read {}: {error}", table.display());
        Failure::new(exit::USAGE, what)
    })?;
    let score = batch::run(&guard(&root), &directory, &cases, |case, decision| {
        let command = batch::escaped(&case.command);
        context
            .speech
            .data(&format!("{}\t{command}\n", word(decision)));
    });
    context.speech.data(&format!("{score}\n"));
    Ok(exit::GO)
}

fn list(context: &Context<'_>, root: Option<&Path>) -> Result<u8, Failure> {
    let (root, _) = place(context, root)?;
    for rule in Protected::new(&root).rules() {
        let mode = match rule.mode() {
            Mode::Frozen => "frozen",
            Mode::Keep => "keep",
            Mode::Append => "append",
        };
        let there = if root.join(rule.pattern()).exists() {
            ""
        } else {
            "  (not there yet)"
        };
        let line = escape::line(&format!("{mode:<8}{}{there}", rule.pattern()), WIDTH);
        context.speech.data(&format!("{line}\n"));
    }
    Ok(exit::GO)
}
