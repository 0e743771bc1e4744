//! What an expression would do to an entry, as far as its tests hold.

use super::entry::{Entry, Holds};
use super::expression::{Term, Test};
use super::format::Format;
use crate::text::Text;

/// What would be done to one entry.
#[derive(Default)]
pub(super) struct Doings {
    pub(super) delete: bool,
    pub(super) print: Vec<Format>,
    pub(super) prune: bool,
    /// Commands, and whether they run where the entry is.
    pub(super) execute: Vec<(Vec<Text>, bool)>,
}

/// Evaluates the expression; what is behind something that may hold may happen.
pub(super) fn holds(term: &Term, entry: &Entry<'_>, doings: &mut Doings) -> Holds {
    evaluate(term, &mut |test| test.holds(entry), doings)
}

/// The same of anything that has this name.
pub(super) fn may_be_called(term: &Term, name: &str) -> Holds {
    evaluate(
        term,
        &mut |test| test.holds_by_name(name),
        &mut Doings::default(),
    )
}

fn evaluate(term: &Term, test: &mut dyn FnMut(&Test) -> Holds, doings: &mut Doings) -> Holds {
    match term {
        Term::Test(own) => test(own),
        Term::Not(inner) => match evaluate(inner, test, doings) {
            Holds::No => Holds::Yes,
            Holds::Maybe => Holds::Maybe,
            Holds::Yes => Holds::No,
        },
        Term::And(terms) => {
            let mut all = Holds::Yes;
            for term in terms {
                match evaluate(term, test, doings) {
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
                match evaluate(term, test, doings) {
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
        Term::Execute(command, from_there) => {
            doings.execute.push((command.clone(), *from_there));
            Holds::Maybe
        }
        Term::Print(format) => {
            doings.print.push(format.clone());
            Holds::Yes
        }
        Term::Prune => {
            doings.prune = true;
            Holds::Yes
        }
    }
}

/// Whether a program is started that prints what is in files, also in those that are not
/// protected and not looked at.
pub(super) fn prints_contents(term: &Term) -> bool {
    match term {
        Term::Execute(command, _) => {
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

pub(super) fn has_action(term: &Term) -> bool {
    match term {
        Term::Delete | Term::Execute(..) | Term::Print(_) => true,
        Term::Not(inner) => has_action(inner),
        Term::And(terms) | Term::Or(terms) => terms.iter().any(has_action),
        Term::Test(_) | Term::Prune => false,
    }
}

pub(super) fn all_doings(term: &Term, doings: &mut Doings) {
    match term {
        Term::Delete => doings.delete = true,
        Term::Print(format) => doings.print.push(format.clone()),
        Term::Execute(command, from_there) => {
            doings.execute.push((command.clone(), *from_there));
        }
        Term::Not(inner) => all_doings(inner, doings),
        Term::And(terms) | Term::Or(terms) => {
            terms.iter().for_each(|term| all_doings(term, doings));
        }
        _ => {}
    }
}
