//! `find`: its tests are evaluated for everything protected, and for nothing else.

mod beneath;
mod doings;
mod entry;
mod expression;
pub(super) mod fd;
mod format;
mod size;

use std::path::{Path, PathBuf};

use super::search::display;
use super::{interpreters, namesakes, touch_all, xargs};
use crate::effect::Action;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, OTHER_FILE, Text};
use beneath::{is_script, links_beneath, scripts_beneath};
use doings::{Doings, all_doings, has_action, holds, may_be_called, prints_contents};
use entry::{Entry, Holds};
use expression::{Expression, Term};
use format::Format;

pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let known: Vec<String> = words.iter().map(Text::shown).collect();
    let begins = |word: &String| word.starts_with('-') || word == "(" || word == "!";
    let leading = known
        .iter()
        .take_while(|word| matches!(word.as_str(), "-L" | "-H" | "-P"))
        .count();
    let first = known[leading..]
        .iter()
        .position(begins)
        .map_or(words.len(), |at| at + leading);
    let mut starts = engine.all_named(&words[leading..first])?;
    if starts.is_empty() {
        starts.push(Text::fixed("."));
    }
    let follows = known[..leading].iter().any(|flag| flag == "-L")
        || known[first..].iter().any(|word| word == "-follow");
    let mut parser = Expression::new(&words[first..]);
    let mut term = parser.or();
    let (files, depth) = (parser.files, parser.depth);
    touch_all(engine, Action::Overwrite, &files)?;
    if !has_action(&term) {
        term = Term::And(vec![term, Term::Print(Format::Path('\n'))]);
    }
    run_for_others(engine, &term)?;
    let how = Search {
        depth,
        follows,
        runs: runs_what_it_finds(&term, &known[first..]),
        hands_on: hands_on(engine, &term),
    };
    let printed = listed(engine, &starts, &term, how)?;
    engine.print(&printed);
    if prints_contents(&term) {
        engine.print(&Data::Unknown);
    }
    Ok(())
}

/// How it searches.
#[derive(Clone, Copy)]
struct Search {
    depth: (usize, usize),
    follows: bool,
    /// Whether what is found may be run, so that scripts count as well.
    runs: bool,
    /// Whether what is found may be put somewhere else, so that its name counts.
    hands_on: bool,
}

/// Whether files that are found are handed to what runs them, or plainly are scripts and could
/// be by whoever reads the list.
fn runs_what_it_finds(term: &Term, words: &[String]) -> bool {
    let mut doings = Doings::default();
    all_doings(term, &mut doings);
    let mut programs = doings.execute.iter().filter_map(|(call, _)| call.first());
    let is_run = programs.any(|program| {
        let program = program.known_end();
        program == "{}" || interpreters::is_one(&program)
    });
    is_run || words.iter().any(|word| is_script(word))
}

/// Whether a command is told what is found, or somebody reads it.
fn hands_on(engine: &Engine<'_>, term: &Term) -> bool {
    let mut doings = Doings::default();
    all_doings(term, &mut doings);
    !doings.execute.is_empty() || (!doings.print.is_empty() && engine.is_captured())
}

/// Does what is to be done below these, and lists what is to be listed.
fn listed(
    engine: &mut Engine<'_>,
    starts: &[Text],
    term: &Term,
    how: Search,
) -> Result<Data, Stop> {
    let mut printed = Data::empty();
    for start in starts {
        walk(engine, start, term, how, &mut printed)?;
    }
    let mut doings = Doings::default();
    all_doings(term, &mut doings);
    let other = Path::new(OTHER_FILE);
    let other = Entry::new(engine, other, OTHER_FILE, Path::new(""));
    for format in &doings.print {
        printed.add(&format.render(&other));
    }
    Ok(printed)
}

/// What is started for files that are not protected may reach others by itself.
fn run_for_others(engine: &mut Engine<'_>, term: &Term) -> Result<(), Stop> {
    let mut doings = Doings::default();
    all_doings(term, &mut doings);
    let found = Text::fixed(OTHER_FILE);
    for (command, from_there) in &doings.execute {
        let call = xargs::with(command, Some("{}"), &found);
        engine.apart(|engine| {
            if *from_there {
                let there = vec![Some(PathBuf::from("/nonexistent"))];
                engine.shell.go(there, false);
            }
            engine.call(&call)
        })?;
    }
    Ok(())
}

fn walk(
    engine: &mut Engine<'_>,
    start: &Text,
    term: &Term,
    how: Search,
    printed: &mut Data,
) -> Result<(), Stop> {
    let follows = how.follows;
    for place in engine.places(start)? {
        let (given, slash) = match place {
            Place::At(path, slash) => (path, slash),
            Place::Like(pattern) => {
                let mut doings = Doings::default();
                all_doings(term, &mut doings);
                if doings.delete || !doings.execute.is_empty() {
                    engine.note(Action::Unknown, crate::effect::Target::Like(pattern));
                }
                *printed = Data::Unknown;
                continue;
            }
        };
        let real = if follows || slash {
            engine.resolver().beyond_links(&given)
        } else {
            engine.resolver().up_to_link(&given)
        };
        let shown = start
            .known()
            .unwrap_or_else(|| given.to_string_lossy().into_owned());
        let links = if follows {
            links_beneath(engine, &real)
        } else {
            Vec::new()
        };
        visit(engine, (&real, &shown, 0), term, how, printed)?;
        for (link, leads_to) in links {
            let below = link.strip_prefix(&real).unwrap_or(Path::new(""));
            let level = below.components().count();
            let shown = display(&shown, below);
            visit(engine, (&leads_to, &shown, level), term, how, printed)?;
        }
    }
    Ok(())
}

/// Looks at everything protected from one place on, which is shown under another name and
/// lies so many levels below where the search began.
fn visit(
    engine: &mut Engine<'_>,
    (from, shown, begins): (&Path, &str, usize),
    term: &Term,
    how: Search,
    printed: &mut Data,
) -> Result<(), Stop> {
    let depth = how.depth;
    for path in entries(engine, from, term, how) {
        engine.spend()?;
        let below = path.strip_prefix(from).unwrap_or(Path::new(""));
        let level = begins + below.components().count();
        let pruned = below
            .ancestors()
            .skip(1)
            .any(|above| is_pruned(term, &Entry::new(engine, &from.join(above), shown, above)));
        // What a link leads to is not removed by its name.
        let is_link = begins > 0 && level == begins;
        if level < depth.0 || level > depth.1 || pruned || is_link {
            continue;
        }
        let entry = Entry::new(engine, &path, shown, below);
        let mut doings = Doings::default();
        holds(term, &entry, &mut doings);
        carry_out(engine, &entry, &doings, printed)?;
    }
    Ok(())
}

/// What is protected below the starting point, and the directories that lead there.
fn entries(engine: &mut Engine<'_>, start: &Path, term: &Term, how: Search) -> Vec<PathBuf> {
    let mut all = Vec::new();
    if how.runs {
        all.extend(scripts_beneath(engine, start));
    }
    if how.hands_on {
        let fits = |name: &str| may_be_called(term, name) != Holds::No;
        all.extend(namesakes::beneath(engine, start, how.depth.1, fits));
    }
    all.extend(engine.shell.put_below(start).cloned());
    for found in engine.everything() {
        let within = found
            .ancestors()
            .take_while(|above| above.starts_with(start));
        all.extend(within.map(Path::to_owned));
    }
    all.sort();
    all.dedup();
    all
}

fn is_pruned(term: &Term, entry: &Entry<'_>) -> bool {
    let mut doings = Doings::default();
    holds(term, entry, &mut doings);
    doings.prune
}

fn carry_out(
    engine: &mut Engine<'_>,
    entry: &Entry<'_>,
    doings: &Doings,
    printed: &mut Data,
) -> Result<(), Stop> {
    let path = Text::fixed(entry.path.to_string_lossy().into_owned());
    if doings.delete {
        engine.take_away(Action::Delete, &path, false)?;
    }
    for (command, from_there) in &doings.execute {
        let call = xargs::with(command, Some("{}"), &path);
        let above = entry.path.parent().filter(|_| *from_there);
        engine.apart(|engine| {
            if let Some(above) = above {
                engine.shell.go(vec![Some(above.to_owned())], false);
            }
            engine.call(&call)
        })?;
    }
    for format in &doings.print {
        printed.add(&format.render(entry));
    }
    Ok(())
}
