//! Tampering, kind by kind, against the real program.
//!
//! Each kind is a line of a table: what somebody does, and what must come of it. It is caught and named;
//! or it gains nothing, and the breaker is as open as before; or it cannot be told from an
//! honest state by any program that runs as the same user, and then the line says which layer
//! covers it.

mod asked;
mod at_rest;
mod in_a_run;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    OutOfReach {
        code: i32,
        layer: &'static str,
        /// What SECURITY.md says of it.
        phrase: &'static str,
    },
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
            "beyond" => {
                let (layer, phrase) = words.split_once(" | ").unwrap();
                Self::OutOfReach {
                    code,
                    layer,
                    phrase,
                }
            }
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

const TABLES: [&str; 3] = [at_rest::KINDS, in_a_run::KINDS, asked::KINDS];

/// All kinds in a table.
fn kinds(table: &'static str) -> Vec<Kind> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let kind = |line: &'static str| {
        let fields: Vec<_> = line.splitn(3, '\t').collect();
        let [name, then, script] = fields[..] else {
            panic!("`{line}` is not a name, what comes of it and a script");
        };
        let then = Then::read(then);
        Kind { name, then, script }
    };
    lines.map(kind).collect()
}

/// Carries out every kind of a table and tells how many there were, and all that went wrong.
fn try_all(table: &'static str, what: &str, judge: impl Fn(&Kind) + Sync) {
    let tally = Mutex::new(Tally::default());
    let wrong = Mutex::new(Vec::new());
    for_each(&kinds(table), |kind| {
        match catch_unwind(AssertUnwindSafe(|| judge(kind))) {
            Ok(()) => tally.lock().unwrap().count(kind),
            Err(_) => wrong.lock().unwrap().push(kind.name),
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
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

    /// All that lies there and what is remembered of it, so that a change can be told.
    fn fingerprint(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut ahead = vec![self.top(), self.place.homes().to_owned()];
        while let Some(path) = ahead.pop() {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let (kind, mode) = (metadata.file_type(), metadata.mode());
            let content = if kind.is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                ahead.extend(entries.map(|entry| entry.unwrap().path()));
                metadata.ino().to_string().into_bytes()
            } else if kind.is_file() {
                fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            // Times that were set are years away; those of a file that was written anew are not.
            let age = metadata.mtime() / (1 << 27);
            found.push(format!("{} {mode} {age} {content:?}", path.display()));
        }
        found.sort();
        found
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
            Then::OutOfReach { layer, .. } => {
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
    let kinds = TABLES.into_iter().flat_map(kinds);
    let mut names: Vec<_> = kinds.map(|kind| kind.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "a name is there twice");
    assert!(all >= 60, "{all}");
}

#[test]
fn what_is_out_of_reach_is_said_to_those_who_rely_on_us() {
    let page = include_str!("../../../../../SECURITY.md");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, section) = page.split_once("## What is not promised").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let section = words(section);
    for Kind { name, then, .. } in TABLES.into_iter().flat_map(kinds) {
        if let Then::OutOfReach { phrase, .. } = then {
            assert!(section.contains(&words(phrase)), "{name}: {phrase}");
        }
    }
}
