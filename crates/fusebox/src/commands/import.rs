//! `fusebox import`: go on where another loop has stopped. It says what it
//! understood, takes over what is stricter, and changes nothing there.

use std::path::Path;

use fusebox_core::journal::{Actor, ImportedFile};
use fusebox_core::machine::{self, Step};
use fusebox_core::policy::ThresholdEdits;
use fusebox_core::{Circuit, Moment, Policy, Preset};
use fusebox_seeds::{EXISTING, Existing, Placed, Understood};
use fusebox_view::escape;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::{Context, announce};
use crate::authority;
use crate::caller;
use crate::cli::Import;
use crate::config::Held;
use crate::digest::sha256;
use crate::excerpt::Excerpt;
use crate::exit;
use crate::failure::Failure;
use crate::projection::Whereabouts;
use crate::session::{Outcome, Session};
use crate::speech::shown;

/// The widest that a line of foreign text is shown.
const WIDTH: usize = 240;

/// One file, and what it was understood to say.
struct Found {
    path: &'static str,
    understood: Understood,
    digest: String,
    /// Calls of this hour that were made before us.
    calls: u32,
    /// Whether the very same was taken over before: what was done since then stands.
    known: bool,
}

/// The same as data.
#[derive(Serialize)]
struct Row<'a> {
    file: &'a str,
    taken: Vec<&'a str>,
    ignored: Vec<String>,
    left: &'a [String],
}

pub(super) fn run(context: &Context<'_>, args: &Import) -> Result<u8, Failure> {
    let session = context.session()?;
    // What is wrong with the files is for this to tell.
    session.correct_files();
    let system = choose(&session)?;
    let before = session.look(machine::status)?.circuit.imported;
    let known = |path: &str, digest: &str| {
        let same = |known: &ImportedFile| known.path == path && known.digest == digest;
        system.settings() != Some(path) && before.iter().any(same)
    };
    let mut found = files(&session.located.root, system)?
        .into_iter()
        .map(|(path, text)| {
            let digest = sha256(&text);
            Ok(Found {
                path,
                understood: understand(&session, system, path, &text, args.trust)?,
                calls: 0,
                known: known(path, &digest),
                digest,
            })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    count_calls(&mut found, session.stamp_ms());
    for one in found.iter_mut().filter(|one| one.known) {
        one.understood = unchanged();
    }
    let session = session.aloof(system.preset());
    let preset = session.preset()?.unwrap_or(system.preset());
    let held = held(&session, preset, &found, (system.settings(), args.trust))?;
    found.iter().for_each(|one| tell(context, one, &held));
    if args.trust && Policy::of(preset).edits == ThresholdEdits::TightenOnly {
        let what = format!("preset `{preset}` can only be tightened, whoever vouches for it");
        return Err(Failure::new(exit::REFUSED, what)
            .hint("leave `--trust` out: what is stricter is heeded either way"));
    }
    let by = if args.trust {
        let what = format!("the settings in {} may relax from now on", system.place());
        // What is in the files was told already, so that they know what they answer.
        authority::person(&session, &what)
            .map_err(|refused| refused.hint("nothing was taken over"))?
    } else {
        caller::anyone()
    };
    let takeover = Takeover {
        found: &found,
        held: &held,
        settings: system.settings(),
        trusted: args.trust,
        by: &by,
    };
    let outcome = session.apply(|circuit, policy, now| takeover.step(circuit, policy, now))?;
    // What was taken over holds from here on, and so it is what is told.
    let settled = session.look(machine::status)?;
    let outcome = Outcome {
        notes: outcome.notes,
        said: outcome.said,
        ..settled
    };
    announce(context, &outcome);
    Ok(exit::GO)
}

/// The one system that there is, or that was asked for.
fn choose(session: &Session) -> Result<&'static dyn Existing, Failure> {
    let mut there = Vec::new();
    for system in EXISTING {
        if !files(&session.located.root, *system)?.is_empty() {
            there.push(*system);
        }
    }
    let places = |systems: &[&dyn Existing]| {
        let places: Vec<&str> = systems.iter().map(|one| one.place()).collect();
        places.join(", ")
    };
    let asked = session.preset()?;
    let fits = |one: &&&dyn Existing| asked.is_none_or(|preset| one.serves(preset));
    let fitting: Vec<&dyn Existing> = there.iter().filter(fits).copied().collect();
    match (fitting.as_slice(), there.as_slice()) {
        ([one], _) => Ok(*one),
        (_, []) => Err(
            Failure::new(exit::MISSING, "there is nothing to import here")
                .hint(format!("looked for {}", places(EXISTING))),
        ),
        ([], there) => {
            let what = format!(
                "{} is there, and this circuit works another way",
                places(there)
            );
            Err(Failure::new(exit::REFUSED, what)
                .hint("`fusebox presets use` changes that; `--circuit` names another circuit"))
        }
        (several, _) => {
            let what = format!("several are there: {}", places(several));
            Err(Failure::new(exit::USAGE, what).hint("name one by its preset with `--preset`"))
        }
    }
}

/// The files of a system that there are.
fn files(root: &Path, system: &dyn Existing) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut found = Vec::new();
    let places = Whereabouts::of(root, &Policy::of(system.preset()))?;
    for file in system.files() {
        let text = places.read(file.path, file.most_bytes);
        let text = text.map_err(|failure| failure.hint("nothing was taken over"))?;
        found.extend(text.map(|text| (file.path, text)));
    }
    let there: Vec<&str> = found.iter().map(|(path, _)| *path).collect();
    let newer = |path: &str| {
        system
            .superseded(path)
            .is_some_and(|new| there.contains(&new))
    };
    found.retain(|(path, _)| !newer(path));
    Ok(found)
}

fn understand(
    session: &Session,
    system: &dyn Existing,
    path: &'static str,
    text: &str,
    trusted: bool,
) -> Result<Understood, Failure> {
    let mut understood = system.understand(path, text).map_err(|wrong| {
        let place = session.located.root.join(path);
        Failure::new(exit::STATE, format!("{}: {}", shown(&place), wrong.what))
            .excerpt(Excerpt::of(text, &wrong.span).lines(&place))
            .hint(advice(system, path))
    })?;
    let vouched = std::mem::take(&mut understood.vouched);
    if trusted {
        understood.taken.extend(vouched);
    } else {
        let not_heeded = |words| format!("{words}: for a person to say, see `--trust`");
        understood.left.extend(vouched.into_iter().map(not_heeded));
    }
    Ok(understood)
}

/// Counts the calls that were made within this hour of the clock. Where nobody knows in which hour
/// they were made, it was this one.
fn count_calls(found: &mut [Found], now_ms: i64) {
    let now = Timestamp::from_millisecond(now_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let now = now.to_zoned(TimeZone::system()).strftime("%Y%m%d%H");
    let mut hours = found.iter().filter_map(|one| one.understood.hour.as_ref());
    let is_this_hour = hours.next().is_none_or(|hour| *hour == now.to_string());
    for one in found {
        let Some(calls) = one.understood.calls else {
            continue;
        };
        if is_this_hour {
            let what = format!("{calls} calls made within this hour");
            one.understood.taken.push(what);
            one.calls = if one.known { 0 } else { calls };
        } else {
            let what = format!("{calls} calls, made within an hour that is over");
            one.understood.left.push(what);
        }
    }
}

/// What is left of a file that was taken over before.
fn unchanged() -> Understood {
    Understood {
        left: vec!["all of it: it has not changed since it was last imported".into()],
        ..Understood::default()
    }
}

/// What to do about a file that cannot be understood.
fn advice(system: &dyn Existing, path: &str) -> String {
    match system.settings() == Some(path) {
        true => "nothing was taken over; correct it, and import again".into(),
        false => format!(
            "nothing was taken over; if nothing in it matters any more, remove {path} and import again"
        ),
    }
}

/// What the files with settings would set without effect, once they are imported.
fn held(
    session: &Session,
    preset: Preset,
    found: &[Found],
    (settings, trusted): (Option<&'static str>, bool),
) -> Result<Vec<Held>, Failure> {
    let mut circuit = session.store.peek()?.state.0;
    let files = found.iter().filter(|one| settings == Some(one.path));
    for file in files.map(|one| one.imported(trusted)) {
        circuit.imported.retain(|known| known.path != file.path);
        circuit.imported.push(file);
    }
    let layers = session.layers.borrow();
    let in_force = layers.resolve_for(Some(preset), &circuit.imported);
    // What would be refused as a whole is told of when it is.
    Ok(in_force.map_or_else(|_| Vec::new(), |in_force| in_force.held))
}

impl Found {
    fn imported(&self, trusted: bool) -> ImportedFile {
        ImportedFile {
            path: self.path.to_owned(),
            digest: self.digest.clone(),
            trusted,
        }
    }

    /// What is taken over.
    fn taken<'a>(&'a self, held: &'a [Held]) -> impl Iterator<Item = &'a str> {
        let set = self.understood.set.iter();
        let heeded = set.filter(|one| self.why_not(one, held).is_none());
        let said = self.understood.taken.iter().map(String::as_str);
        said.chain(heeded.map(|one| one.what.as_str()))
    }

    /// What is set and has no effect, with the reason.
    fn ignored(&self, held: &[Held]) -> Vec<String> {
        let set = self.understood.set.iter();
        let ignored = set.filter_map(|one| {
            let why = self.why_not(one, held)?;
            Some(format!("{}: {why}", one.what))
        });
        ignored.collect()
    }

    fn why_not<'h>(&self, set: &Placed<String>, held: &'h [Held]) -> Option<&'h str> {
        let is_it = |held: &&Held| held.file.ends_with(self.path) && held.span == set.span;
        held.iter().find(is_it).map(|held| held.why.as_str())
    }
}

fn tell(context: &Context<'_>, found: &Found, held: &[Held]) {
    let (speech, left) = (context.speech, &found.understood.left);
    let (taken, ignored) = (found.taken(held), found.ignored(held));
    if speech.json {
        return speech.json(&Row {
            file: found.path,
            taken: taken.collect(),
            ignored,
            left,
        });
    }
    speech.data(&format!("{}\n", found.path));
    let line = |word: &str, line: &str| {
        speech.data(&format!("  {word:<7} {}\n", escape::line(line, WIDTH)));
    };
    taken.for_each(|what| line("taken", what));
    ignored.iter().for_each(|what| line("ignored", what));
    left.iter().for_each(|what| line("left", what));
}

/// What is taken over, and on whose word.
struct Takeover<'a> {
    found: &'a [Found],
    held: &'a [Held],
    /// The file with settings, if the system has one.
    settings: Option<&'static str>,
    trusted: bool,
    by: &'a Actor,
}

impl Takeover<'_> {
    fn step(&self, circuit: &Circuit, policy: &Policy, now: &Moment) -> Step {
        let mut entries = Vec::new();
        let mut circuit = circuit.clone();
        let mut take = |circuit: &mut Circuit, step: Step| {
            entries.extend(step.entries);
            *circuit = step.circuit;
        };
        for one in self.found {
            let taken: Vec<&str> = one.taken(self.held).collect();
            let about = (one.path.to_owned(), taken.join(", "));
            let adoption = &one.understood.adoption;
            let step = machine::adopt(&circuit, policy, adoption, about, now);
            take(&mut circuit, step);
            let left = circuit.calls.left(&policy.calls, now).left;
            let calls = one.calls.min(left);
            if calls > 0 {
                let step = machine::take(&circuit, policy, calls, now);
                take(&mut circuit, step);
            }
            if !one.known {
                let trusted = self.trusted && self.settings == Some(one.path);
                let file = one.imported(trusted);
                let step = machine::import(&circuit, policy, file, self.by.clone(), now);
                take(&mut circuit, step);
            }
        }
        Step {
            decision: machine::status(&circuit, policy, now),
            circuit,
            entries,
        }
    }
}
