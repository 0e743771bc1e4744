//! `find` and `fd`: its tests are evaluated for everything protected, and for nothing else.

use std::path::{Path, PathBuf};

use super::find_expression::{Expression, Term, Test};
use super::{Options, touch_all, xargs};
use crate::effect::Action;
use crate::glob;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};
use crate::tree::Kind;

/// Whether a test holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    No,
    Maybe,
    Yes,
}

/// What would be done to one entry.
#[derive(Default)]
struct Doings {
    delete: bool,
    print: bool,
    prune: bool,
    execute: Vec<Vec<Text>>,
}

/// An entry below a starting point.
struct Entry<'e> {
    path: &'e Path,
    /// As `find` would print it.
    shown: String,
    kind: Option<Kind>,
}

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<(), Stop> {
    if name.starts_with("fd") {
        return fd(engine, words);
    }
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
    let mut starts = words[leading..first].to_vec();
    if starts.is_empty() {
        starts.push(Text::fixed("."));
    }
    let follows = known[..leading].iter().any(|flag| flag == "-L");
    let mut parser = Expression::new(&words[first..]);
    let mut term = parser.or();
    let (files, depth) = (parser.files, parser.depth);
    touch_all(engine, Action::Overwrite, &files)?;
    if !has_action(&term) {
        term = Term::And(vec![term, Term::Print]);
    }
    let mut printed = Data::empty();
    for start in &starts {
        walk(engine, start, &term, depth, follows, &mut printed)?;
    }
    engine.print(&printed);
    if prints_contents(&term) {
        engine.print(&Data::Unknown);
    }
    Ok(())
}

/// Whether a program is started that prints what is in files, also in those that are not
/// protected and not looked at.
fn prints_contents(term: &Term) -> bool {
    match term {
        Term::Execute(command) => {
            let program = command.first().and_then(Text::known);
            matches!(
                program.as_deref(),
                Some(
                    "cat"
                        | "head"
                        | "tail"
                        | "tac"
                        | "sed"
                        | "awk"
                        | "cut"
                        | "sort"
                        | "sh"
                        | "bash"
                )
            )
        }
        Term::Not(inner) => prints_contents(inner),
        Term::And(terms) | Term::Or(terms) => terms.iter().any(prints_contents),
        _ => false,
    }
}

fn walk(
    engine: &mut Engine<'_>,
    start: &Text,
    term: &Term,
    depth: (usize, usize),
    follows: bool,
    printed: &mut Data,
) -> Result<(), Stop> {
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
        for path in entries(engine, &real) {
            engine.spend()?;
            let below = path.strip_prefix(&real).unwrap_or(Path::new(""));
            let level = below.components().count();
            let path_shown = display(&shown, below);
            let pruned = below
                .ancestors()
                .skip(1)
                .any(|above| is_pruned(engine, term, &real.join(above), &display(&shown, above)));
            if level < depth.0 || level > depth.1 || pruned {
                continue;
            }
            let entry = Entry {
                kind: engine.tree.kind(&path),
                path: &path,
                shown: path_shown,
            };
            let mut doings = Doings::default();
            holds(term, &entry, &mut doings);
            carry_out(engine, &entry, &doings, printed)?;
        }
    }
    Ok(())
}

fn display(start: &str, below: &Path) -> String {
    if below.as_os_str().is_empty() {
        start.to_owned()
    } else {
        format!("{}/{}", start.trim_end_matches('/'), below.display())
    }
}

/// What is protected below the starting point, and the directories that lead there.
fn entries(engine: &mut Engine<'_>, start: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
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

fn is_pruned(engine: &Engine<'_>, term: &Term, path: &Path, shown: &str) -> bool {
    let entry = Entry {
        kind: engine.tree.kind(path),
        path,
        shown: shown.to_owned(),
    };
    let mut doings = Doings::default();
    holds(term, &entry, &mut doings);
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
    for command in &doings.execute {
        let call = xargs::with(command, Some("{}"), &path);
        engine.apart(|engine| engine.call(&call))?;
    }
    if doings.print {
        printed.add(&Data::Lines(format!("{}\n", entry.path.display())));
    }
    Ok(())
}

/// Evaluates the expression; what is behind something that may hold may happen.
fn holds(term: &Term, entry: &Entry<'_>, doings: &mut Doings) -> Holds {
    match term {
        Term::Test(test) => test.holds(entry),
        Term::Not(inner) => match holds(inner, entry, doings) {
            Holds::No => Holds::Yes,
            Holds::Maybe => Holds::Maybe,
            Holds::Yes => Holds::No,
        },
        Term::And(terms) => {
            let mut all = Holds::Yes;
            for term in terms {
                match holds(term, entry, doings) {
                    Holds::No => return Holds::No,
                    Holds::Maybe => all = Holds::Maybe,
                    Holds::Yes => {}
                }
            }
            all
        }
        Term::Or(terms) => {
            let mut any = Holds::No;
            for term in terms {
                match holds(term, entry, doings) {
                    Holds::Yes => return Holds::Yes,
                    Holds::Maybe => any = Holds::Maybe,
                    Holds::No => {}
                }
            }
            any
        }
        Term::Delete => {
            doings.delete = true;
            Holds::Yes
        }
        Term::Execute(command) => {
            doings.execute.push(command.clone());
            Holds::Maybe
        }
        Term::Print => {
            doings.print = true;
            Holds::Yes
        }
        Term::Prune => {
            doings.prune = true;
            Holds::Yes
        }
    }
}

impl Test {
    fn holds(&self, entry: &Entry<'_>) -> Holds {
        let name = entry
            .shown
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let certain = match self {
            Self::Name(pattern, true) => {
                glob::matches(&pattern.to_lowercase(), &name.to_lowercase())
            }
            Self::Name(pattern, false) => glob::matches(pattern, name),
            Self::Path(pattern) => glob::matches(pattern, &entry.shown),
            Self::Kind(kind) => entry.kind == Some(*kind),
            Self::False => false,
            Self::Unsure => return Holds::Maybe,
        };
        if certain { Holds::Yes } else { Holds::No }
    }
}

fn has_action(term: &Term) -> bool {
    match term {
        Term::Delete | Term::Execute(_) | Term::Print => true,
        Term::Not(inner) => has_action(inner),
        Term::And(terms) | Term::Or(terms) => terms.iter().any(has_action),
        Term::Test(_) | Term::Prune => false,
    }
}

fn all_doings(term: &Term, doings: &mut Doings) {
    match term {
        Term::Delete => doings.delete = true,
        Term::Execute(command) => doings.execute.push(command.clone()),
        Term::Not(inner) => all_doings(inner, doings),
        Term::And(terms) | Term::Or(terms) => {
            terms.iter().for_each(|term| all_doings(term, doings));
        }
        _ => {}
    }
}

/// `fd PATTERN [PATH] -x COMMAND`: the pattern is a regular expression, so anything may match.
fn fd(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let runs = |word: &Text| {
        matches!(
            word.known().as_deref(),
            Some("-x" | "-X" | "--exec" | "--exec-batch")
        )
    };
    let cut = words.iter().position(runs);
    let (own, command) = words.split_at(cut.unwrap_or(words.len()));
    let valued = [
        "-e",
        "-t",
        "-d",
        "-E",
        "--extension",
        "--type",
        "--max-depth",
        "--exclude",
    ];
    let options = Options::parse(own, &valued);
    let starts = options.operands.get(1..).unwrap_or_default().to_vec();
    let starts = if starts.is_empty() {
        vec![Text::fixed(".")]
    } else {
        starts
    };
    let extension = options.value(&["-e", "--extension"]).and_then(Text::known);
    // A plain word is found anywhere in a name; what is more may match anything.
    let word = options.operands.first().and_then(Text::known);
    let word = word.filter(|word| !word.is_empty() && word.chars().all(char::is_alphanumeric));
    let test = match (extension, word) {
        (Some(end), _) => Test::Name(format!("*.{end}"), true),
        (None, Some(word)) => Test::Name(format!("*{word}*"), true),
        (None, None) => Test::Unsure,
    };
    let action = match command.split_first() {
        Some((_, command)) => Term::Execute(command.to_vec()),
        None => Term::Print,
    };
    let term = Term::And(vec![Term::Test(test), action]);
    let mut printed = Data::empty();
    for start in &starts {
        walk(engine, start, &term, (1, usize::MAX), false, &mut printed)?;
    }
    engine.print(&printed);
    Ok(())
}
