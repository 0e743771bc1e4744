//! Tampering, kind by kind, against the real program.
//!
//! Each kind is a line of a table: what somebody does, and what must come of it. It is caught and named;
//! or it gains nothing, and the breaker is as open as before; or it cannot be told from an
//! honest state by any program that runs as the same user, and then the line says which layer
//! covers it.

mod at_rest;
mod in_a_run;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use crate::place::{FUSEBOX, Place, Told};
use crate::sampling::{for_each, proof};

/// What must come of a kind; the tables say what each word means.
#[derive(Clone, Copy, Debug)]
enum Then {
    Caught(i32, &'static str),
    ByDoctor(&'static str),
    StillOpen,
    Unaffected(i32),
    Told(&'static str),
    OutOfReach(&'static str),
}

impl Then {
    fn read(text: &'static str) -> Self {
        let (what, words) = text.split_once(": ").unwrap_or((text, ""));
        let (what, code) = what.split_once(' ').unwrap_or((what, "0"));
        let code = code.parse().unwrap();
        match what {
            "caught" => Self::Caught(code, words),
            "doctor" => Self::ByDoctor(words),
            "open" => Self::StillOpen,
            "unaffected" => Self::Unaffected(code),
            "told" => Self::Told(words),
            "beyond" => Self::OutOfReach(words),
            _ => panic!("`{text}` is nothing that can come of a kind"),
        }
    }
}

/// One kind of tampering.
struct Kind {
    name: &'static str,
    then: Then,
    script: &'static str,
}

/// All kinds in a table.
fn kinds(table: &'static str) -> Vec<Kind> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let kind = |line: &'static str| {
        let fields: Vec<_> = line.split('\t').collect();
        let [name, then, script] = fields[..] else {
            panic!("`{line}` is not a name, what comes of it and a script");
        };
        let then = Then::read(then);
        Kind { name, then, script }
    };
    lines.map(kind).collect()
}

/// Carries out every kind of a table and tells how many there were.
fn try_all(table: &'static str, what: &str, judge: impl Fn(&Kind) + Sync) {
    let tally = Mutex::new(Tally::default());
    for_each(&kinds(table), |kind| {
        judge(kind);
        tally.lock().unwrap().count(kind);
    });
    tally.into_inner().unwrap().tell(what);
}

/// A work tree called `work` that a script can move, and what is remembered of it.
struct Scene {
    place: Place,
}

impl Scene {
    fn new() -> Self {
        let place = Place::new();
        fs::create_dir(place.workspace().join("work")).unwrap();
        Self { place }
    }

    fn top(&self) -> PathBuf {
        self.place.workspace().to_owned()
    }

    /// A command that stands in `directory` below the top.
    fn command(&self, program: &str, directory: &str) -> Command {
        let mut command = self.place.command(program);
        command.current_dir(self.top().join(directory));
        command.env_remove("FUSEBOX_OPERATOR_KEY");
        command
    }

    fn fusebox(&self, directory: &str, args: &[&str]) -> Told {
        Told::from(
            self.command(FUSEBOX, directory)
                .args(args)
                .output()
                .unwrap(),
        )
    }
}

/// What became of all kinds of a table.
#[derive(Default)]
struct Tally {
    caught: usize,
    without_effect: usize,
    out_of_reach: Vec<String>,
}

impl Tally {
    fn count(&mut self, kind: &Kind) {
        match kind.then {
            Then::Caught(..) | Then::ByDoctor(_) | Then::Told(_) => self.caught += 1,
            Then::StillOpen | Then::Unaffected(_) => self.without_effect += 1,
            Then::OutOfReach(layer) => {
                self.out_of_reach.push(format!("{} ({layer})", kind.name));
            }
        }
    }

    fn tell(mut self, what: &str) {
        self.out_of_reach.sort();
        let all = self.caught + self.without_effect + self.out_of_reach.len();
        let told = format!(
            "{what}: {} caught and named, {} without effect, out of reach: {}",
            self.caught,
            self.without_effect,
            self.out_of_reach.join("; ")
        );
        proof("tampering", all, &told);
    }
}

#[test]
fn the_catalogue_of_tampering_has_sixty_kinds_and_each_only_once() {
    let tables = [at_rest::KINDS, in_a_run::KINDS];
    let kinds = tables.into_iter().flat_map(kinds);
    let mut names: Vec<_> = kinds.map(|kind| kind.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "a name is there twice");
    assert!(all >= 60, "{all}");
}
