//! What was tried, and what went wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

/// How a line begins that a test prints for us: `proof: FIGURE TRIED`, or, of what must not
/// happen and did, `proof: un-tripped 1`.
const PROOF: &str = "proof: ";

/// The figures, in the order of the scoreboard.
const FIGURES: [Figure; 15] = [
    Figure {
        name: "faults",
        tried: "faults injected: kills, refusals, short writes",
        bad: "not survived",
        bad_name: "not-survived",
    },
    Figure {
        name: "power-cuts",
        tried: "states of a disk after a power cut, simulated",
        bad: "not recovered from",
        bad_name: "not-recovered",
    },
    Figure {
        name: "openings",
        tried: "of them around a breaker that was open",
        bad: "un-tripped",
        bad_name: "un-tripped",
    },
    Figure {
        name: "records",
        tried: "records acknowledged under faults",
        bad: "lost",
        bad_name: "lost",
    },
    Figure {
        name: "damage",
        tried: "bytes of the memory changed or cut off",
        bad: "not found",
        bad_name: "not-found",
    },
    Figure {
        name: "tampering",
        tried: "kinds of tampering",
        bad: "neither caught nor covered",
        bad_name: "uncovered",
    },
    Figure {
        name: "attacks",
        tried: "attacks by a repository or an agent",
        bad: "executed",
        bad_name: "executed",
    },
    Figure {
        name: "releases",
        tried: "releases asked for from inside the guarded tree",
        bad: "granted",
        bad_name: "granted",
    },
    Figure {
        name: "requests",
        tried: "requests to the dashboard by strangers",
        bad: "answered",
        bad_name: "answered",
    },
    Figure {
        name: "places",
        tried: "places for the memory that others have a hand in",
        bad: "used",
        bad_name: "used",
    },
    Figure {
        name: "texts",
        tried: "hostile texts shown or sent",
        bad: "acted",
        bad_name: "acted",
    },
    Figure {
        name: "inputs",
        tried: "inputs made up for the readers",
        bad: "crashed",
        bad_name: "crashes",
    },
    Figure {
        name: "iterations",
        tried: "iterations of one loop, begun again after kills",
        bad: "wrong",
        bad_name: "wrong",
    },
    Figure {
        name: "processes",
        tried: "processes that agents left behind",
        bad: "outlived them",
        bad_name: "orphans",
    },
    Figure {
        name: "states",
        tried: "states of the breaker explored",
        bad: "against a law",
        bad_name: "unlawful",
    },
];

struct Figure {
    /// What tests call it, and programs that read the board.
    name: &'static str,
    /// What was tried, for people.
    tried: &'static str,
    /// What must not have happened, for people and for programs.
    bad: &'static str,
    bad_name: &'static str,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    tried: u64,
    bad: u64,
}

/// All figures.
#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    counts: BTreeMap<&'static str, Count>,
    /// How long the proof took, building excluded.
    pub(crate) took: Duration,
    /// Those that one part alone has to tell of; all of them unless one was asked for.
    required: Option<Vec<&'static str>>,
    /// What was counted and has no place here.
    unknown: BTreeSet<String>,
}

impl Scoreboard {
    /// For one part alone, which has these figures.
    pub(crate) fn of_one_part(required: Vec<&'static str>) -> Self {
        Self {
            required: Some(required),
            ..Self::default()
        }
    }

    /// Whether there is a figure of this name.
    #[cfg(test)]
    pub(crate) fn has(&self, name: &str) -> bool {
        FIGURES.iter().any(|figure| figure.name == name)
    }

    /// How much was tried of this figure.
    pub(crate) fn tried(&self, name: &str) -> u64 {
        self.counts.get(name).map_or(0, |count| count.tried)
    }

    /// Takes what tests printed into account.
    pub(crate) fn hear(&mut self, output: &str) {
        for line in output.lines() {
            // A name of a test may stand before it, on the same line.
            let Some((_, said)) = line.split_once(PROOF) else {
                continue;
            };
            let mut words = said.split_whitespace();
            if let (Some(name), Some(number)) = (words.next(), words.next())
                && let Ok(number) = number.parse()
            {
                match FIGURES.iter().find(|figure| figure.bad_name == name) {
                    Some(figure) => self.add(figure.name, 0, number),
                    None => self.add(name, number, 0),
                }
            }
        }
    }

    /// Adds to a figure. One that nobody knows is a mistake of ours, and no board with it is
    /// clean.
    pub(crate) fn add(&mut self, figure: &str, tried: u64, bad: u64) {
        let known = FIGURES.iter().find(|known| known.name == figure);
        let Some(known) = known else {
            self.unknown.insert(figure.to_owned());
            return;
        };
        let count = self.counts.entry(known.name).or_default();
        count.tried += tried;
        count.bad += bad;
    }

    /// Whether nothing went wrong, and nothing that was asked for was left out.
    pub(crate) fn is_clean(&self) -> bool {
        let is_sound = |(_, count): (_, Count)| count.bad == 0 && count.tried > 0;
        self.unknown.is_empty() && self.told().all(is_sound)
    }

    fn count(&self, figure: &Figure) -> Count {
        self.counts.get(figure.name).copied().unwrap_or_default()
    }

    fn is_required(&self, figure: &Figure) -> bool {
        let required = self.required.as_ref();
        required.is_none_or(|required| required.contains(&figure.name))
    }

    /// Those that there is something to tell of, or should be.
    fn told(&self) -> impl Iterator<Item = (&'static Figure, Count)> + '_ {
        let counted = FIGURES.iter().map(|figure| (figure, self.count(figure)));
        counted.filter(|(figure, count)| self.is_required(figure) || *count != Count::default())
    }

    /// For people at a terminal.
    pub(crate) fn table(&self) -> String {
        let mut out = String::new();
        for (figure, Count { tried, bad }) in self.told() {
            let tried = grouped(tried);
            let _ = writeln!(
                out,
                "{tried:>14}  {:<60} {bad:>4} {}",
                figure.tried, figure.bad
            );
        }
        for figure in &self.unknown {
            let _ = writeln!(out, "there is no figure called `{figure}`");
        }
        if !self.took.is_zero() {
            let seconds = self.took.as_secs();
            let _ = write!(out, "in {} min {} s", seconds / 60, seconds % 60);
        }
        out
    }

    /// For programs: a name and a number in each line.
    pub(crate) fn lines(&self) -> String {
        let mut out = String::new();
        for (figure, Count { tried, bad }) in self.told() {
            let _ = writeln!(out, "{} {tried}\n{} {bad}", figure.name, figure.bad_name);
        }
        out
    }

    /// For the page.
    pub(crate) fn markdown(&self) -> String {
        let mut out = "| tried | what | went wrong |\n|---:|---|---|\n".to_owned();
        for figure in &FIGURES {
            let Count { tried, bad } = self.count(figure);
            let tried = grouped(tried);
            let _ = writeln!(out, "| {tried} | {} | {bad} {} |", figure.tried, figure.bad);
        }
        out
    }
}

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_print_is_added_up_and_nothing_else() {
        let mut board = Scoreboard::default();
        board.hear("test a ... proof: faults 1200\nproof: faults 34 kills\nproof: faults many\n");
        board.hear("nothing\nproof: tampering 60\n");
        board.add("iterations", 1_000_000, 1);
        let table = board.table();
        assert!(table.contains("1,234  faults injected"), "{table}");
        assert!(table.contains("60  kinds of tampering"), "{table}");
        assert!(board.markdown().contains("| 1,000,000 | iterations"));
        assert!(!board.is_clean(), "a failure, and figures without a test");
    }

    #[test]
    fn programs_read_a_name_and_a_number_in_each_line() {
        let mut board = Scoreboard::default();
        board.hear("proof: openings 7\nproof: un-tripped 1 check answered 0\n");
        board.add("records", 562, 0);
        let lines = board.lines();
        for line in lines.lines() {
            let (name, number) = line.split_once(' ').unwrap();
            assert!(!name.is_empty() && number.parse::<u64>().is_ok(), "{line}");
        }
        for line in [
            "openings 7",
            "un-tripped 1",
            "records 562",
            "lost 0",
            "crashes 0",
            "executed 0",
        ] {
            assert!(lines.lines().any(|said| said == line), "{line}: {lines}");
        }
        assert!(!board.is_clean());
    }

    #[test]
    fn of_one_part_the_others_are_not_missing() {
        let mut board = Scoreboard::of_one_part(vec!["tampering"]);
        assert!(!board.is_clean(), "nothing was tried");
        board.add("tampering", 126, 0);
        assert_eq!(board.lines(), "tampering 126\nuncovered 0\n");
        assert!(board.is_clean());
        board.add("attacks", 0, 1);
        assert!(!board.is_clean());
    }

    #[test]
    fn a_figure_that_the_board_does_not_have_is_a_mistake() {
        let mut board = Scoreboard::of_one_part(Vec::new());
        assert!(board.is_clean(), "mutants have no figure");
        board.hear("proof: fualts 12\n");
        assert!(!board.is_clean());
        assert!(board.table().contains("no figure called `fualts`"));
    }

    #[test]
    fn a_board_is_clean_if_everything_was_tried_and_nothing_went_wrong() {
        let mut board = Scoreboard::default();
        for figure in &FIGURES {
            assert!(!board.is_clean(), "{} is missing", figure.name);
            board.add(figure.name, 1, 0);
        }
        assert!(board.is_clean());
        board.add("records", 0, 1);
        assert!(!board.is_clean());
    }

    #[test]
    fn digits_stand_in_groups() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (7_654_321, "7,654,321"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
