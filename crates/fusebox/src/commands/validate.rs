//! `fusebox validate`: whether a workflow's numbers agree with one another. It
//! changes nothing.

use std::path::Path;

use fusebox_core::machine;
use fusebox_core::policy::ProgressRule;
use fusebox_seeds::bmad::progress::Progress;
use fusebox_seeds::bmad::validate::{Checked, MEANS, Verdict, validate};
use fusebox_seeds::bmad::{MOST_BYTES, PROGRESS};
use fusebox_view::escape;
use serde::Serialize;

use super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;
use crate::text_file;

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    file: &'static str,
    valid: bool,
    checks: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'static str,
    verdict: &'static str,
    found: &'a str,
}

pub(crate) fn run(context: &Context<'_>, strict: bool) -> Result<u8, Failure> {
    let session = context.session()?;
    // What makes no sense there is what it tells.
    session.correct_files();
    let standing = session.look(machine::status)?;
    if standing.policy.progress != ProgressRule::Features {
        let what = format!("preset `{}` keeps no {PROGRESS}", standing.policy.preset);
        return Err(Failure::new(exit::REFUSED, what).hint("`--preset bmad` does"));
    }
    let place = session.located.root.join(PROGRESS);
    let wrong = |why: String| Failure::new(exit::STATE, format!("{}: {why}", shown(&place)));
    let text = text_file::read_beneath(&session.located.root, Path::new(PROGRESS), MOST_BYTES)
        .map_err(wrong)?;
    if text.is_none() {
        context.speech.say(&format!(
            "there is no {PROGRESS} yet; what it would say by default is validated"
        ));
    }
    let progress = Progress::read(text.as_deref().unwrap_or_default())
        .map_err(|double| wrong(double.to_string()))?;
    let checks = validate(&progress);
    let valid = checks.iter().all(|check| check.verdict != Verdict::Fail);
    tell(context, &checks, valid);
    let failures = standing.circuit.core.counters.no_progress;
    if text.is_some() && progress.failures.this().unwrap_or(0) != failures {
        context.speech.say(&format!(
            "the memory counts {failures} failed sessions in a row, and decides by that"
        ));
    }
    Ok(if strict && !valid {
        exit::INVALID
    } else {
        exit::GO
    })
}

fn tell(context: &Context<'_>, checks: &[Checked], valid: bool) {
    let speech = context.speech;
    if speech.json {
        let row = |check: &'_ Checked| (check.name, check.verdict.word());
        let checks = checks.iter().map(|check| {
            let (name, verdict) = row(check);
            Row {
                name,
                verdict,
                found: &check.found,
            }
        });
        return speech.json(&Report {
            schema: 1,
            file: PROGRESS,
            valid,
            checks: checks.collect(),
        });
    }
    for (number, check) in checks.iter().enumerate() {
        let mark = match check.verdict {
            Verdict::Pass => "✓",
            Verdict::Warn => "!",
            Verdict::Fail => "✗",
        };
        speech.data(&format!(
            "{mark} {}. {:<19} {}\n",
            number + 1,
            check.name,
            escape::line(&check.found, 160)
        ));
    }
    speech.data(if valid { "valid\n" } else { "not valid\n" });
    if !valid {
        speech.say(MEANS);
    }
}
