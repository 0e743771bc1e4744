//! Searches through what files hold, and lines that are picked: `grep` and its kin.

use std::path::Path;

use super::{Options, namesakes, printing::some_of};
use crate::glob;
use crate::regex::{Regex, Syntax};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, OTHER_FILE, Part, Text};
use crate::tree::Kind;

const VALUED: &[&str] = &[
    "-e",
    "-f",
    "-m",
    "-A",
    "-B",
    "-C",
    "-g",
    "-t",
    "--regexp",
    "--file",
    "--glob",
    "--include",
    "--exclude",
    "--exclude-dir",
];

/// What it prints.
pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(words, VALUED);
    let names_only = [
        "-l",
        "-L",
        "--files-with-matches",
        "--files",
        "--files-without-match",
    ];
    let own = options.has(&["-e", "-f", "--regexp", "--file", "--files"]);
    let (patterns, operands) = options
        .operands
        .split_at(options.operands.len().min(usize::from(!own)));
    if options.has(&names_only) {
        let here = [Text::fixed(".")];
        let within = if operands.is_empty() { &here } else { operands };
        return files_within(engine, within, &Names::of(&options));
    }
    // Without any files, some of them search through the directory.
    let through_files = match name {
        "rg" | "ag" | "ack" => engine.stdin == Data::empty(),
        _ => options.has(&["-r", "-R", "--recursive", "--dereference-recursive"]),
    };
    if through_files || !operands.is_empty() {
        return Ok(Data::Unknown);
    }
    let given = options.values(&["-e", "--regexp"]).chain(patterns);
    let given: Vec<Text> = given.cloned().collect();
    picked(engine, &Lines::of(name, &options, &given))
}

/// What the lines are like that are picked from something unknown by a plain word.
pub(super) fn picked_by_word(engine: &Engine<'_>, name: &str, words: &[Text]) -> Option<Text> {
    let options = Options::parse(words, VALUED);
    let is_grep = matches!(name, "grep" | "egrep" | "fgrep");
    let more = [
        "-v", "-c", "-o", "-n", "-i", "-y", "-l", "-L", "-r", "-R", "-e", "-f", "-z",
    ];
    let context = ["-A", "-B", "-C", "-b", "-H", "-m", "-q"];
    let is_long = |word: &Text| word.known_start().starts_with("--");
    let [word] = options.operands.as_slice() else {
        return None;
    };
    if !is_grep || options.has(&more) || options.has(&context) || words.iter().any(is_long) {
        return None;
    }
    let word = word.known().filter(|word| {
        let is_plain = |c: char| c.is_alphanumeric() || "_-/".contains(c);
        !word.is_empty() && word.chars().all(is_plain)
    })?;
    let mut line = Text::unknown();
    line.push(Part::Fixed(word));
    line.push(Part::Unknown);
    // Of a line of several words each may be handed on, also one beside what was looked for.
    engine.input_lines().map(|_| line)
}

/// Whether what is printed is unknown, but one field of each line.
pub(super) fn is_one_field(engine: &Engine<'_>, name: &str, words: &[Text]) -> bool {
    let options = Options::parse(words, &["-c", "-f", "-d", "-b", "--fields", "--delimiter"]);
    let is_cut = name == "cut" && options.operands.is_empty();
    is_cut && options.has(&["-c", "-f", "--fields"]) && engine.stdin == Data::Unknown
}

/// Which lines are picked.
enum Lines {
    /// Only parts of lines are printed.
    Parts,
    /// Perhaps all of them.
    Any,
    Matching {
        patterns: Vec<Pattern>,
        whole: bool,
        inverted: bool,
    },
}

enum Pattern {
    Plain(String),
    Regex(Regex),
}

impl Lines {
    fn of(name: &str, options: &Options, patterns: &[Text]) -> Self {
        if options.has(&["-o", "--only-matching"]) {
            return Self::Parts;
        }
        // Lines besides those that match, and other ideas of what a match is.
        let more = [
            "-A", "-B", "-C", "-f", "-w", "-z", "-n", "-c", "-b", "-U", "-S",
        ];
        let long = [
            "--file",
            "--context",
            "--word-regexp",
            "--color",
            "--colour",
        ];
        if options.has(&more) || options.has(&long) || name == "ag" {
            return Self::Any;
        }
        let patterns = patterns.iter().map(|text| {
            let lines = text.known()?;
            let patterns = lines.split('\n');
            let patterns: Option<Vec<Pattern>> = patterns
                .map(|pattern| Pattern::of(name, options, pattern))
                .collect();
            patterns
        });
        let patterns: Option<Vec<Vec<Pattern>>> = patterns.collect();
        match patterns {
            Some(patterns) if !patterns.is_empty() => Self::Matching {
                patterns: patterns.into_iter().flatten().collect(),
                whole: options.has(&["-x", "--line-regexp"]),
                inverted: options.has(&["-v", "--invert-match"]),
            },
            _ => Self::Any,
        }
    }

    /// Whether a line may be picked.
    fn may_have(&self, line: &str) -> bool {
        let Self::Matching {
            patterns,
            whole,
            inverted,
        } = self
        else {
            return true;
        };
        let matches = patterns.iter().map(|pattern| pattern.matches(line, *whole));
        let mut matches: Vec<Option<bool>> = matches.collect();
        matches.sort();
        match matches.as_slice() {
            // Sorted, what is not known comes first and what is certain last.
            [.., Some(true)] => !inverted,
            [Some(false), ..] => *inverted,
            _ => true,
        }
    }
}

impl Pattern {
    fn of(name: &str, options: &Options, pattern: &str) -> Option<Self> {
        let any_case = options.has(&["-i", "-y", "--ignore-case"]);
        if name == "fgrep" || options.has(&["-F", "--fixed-strings"]) {
            return (!any_case).then(|| Self::Plain(pattern.to_owned()));
        }
        let is_posix = name.ends_with("grep") && !options.has(&["-P", "--perl-regexp"]);
        let syntax = if !is_posix || name == "egrep" || options.has(&["-E", "--extended-regexp"]) {
            Syntax::Extended
        } else {
            Syntax::Basic
        };
        // A backslash in a class is a character to some of them only.
        if !is_posix && pattern.contains('[') && pattern.contains('\\') {
            return None;
        }
        Regex::new(pattern, syntax, any_case).map(Self::Regex)
    }

    fn matches(&self, line: &str, whole: bool) -> Option<bool> {
        match self {
            Self::Plain(text) if whole => Some(line == text),
            Self::Plain(text) => Some(line.contains(text.as_str())),
            Self::Regex(regex) if whole => regex.matches(line),
            Self::Regex(regex) => regex.finds(line),
        }
    }
}

fn picked(engine: &mut Engine<'_>, lines: &Lines) -> Result<Data, Stop> {
    let input = engine.stdin.clone();
    let (Some(text), false) = (input.text(), matches!(lines, Lines::Parts)) else {
        return Ok(Data::Unknown);
    };
    if text.contains('\0') {
        return Ok(some_of(input));
    }
    let mut picked = Vec::new();
    for line in text.lines() {
        engine.spend()?;
        if line == OTHER_FILE || lines.may_have(line) {
            picked.push(line.to_owned());
        }
    }
    Ok(Data::list(picked))
}

/// Which files are searched.
#[derive(Default)]
struct Names {
    /// Only those with one of these names, if there are some.
    only: Vec<String>,
    never: Vec<String>,
    /// Nothing below directories with these names.
    never_below: Vec<String>,
}

impl Names {
    fn of(options: &Options) -> Self {
        let known = |names: &[&str]| -> Option<Vec<String>> {
            options.values(names).map(Text::known).collect()
        };
        let mut all = Self {
            only: known(&["--include"]).unwrap_or_default(),
            never: known(&["--exclude"]).unwrap_or_default(),
            never_below: known(&["--exclude-dir"]).unwrap_or_default(),
        };
        for glob in known(&["-g", "--glob"]).unwrap_or_default() {
            match glob.strip_prefix('!') {
                Some(glob) => all.never.push(glob.to_owned()),
                None => all.only.push(glob),
            }
        }
        // Of several kinds the last one that matches counts, and a path is another matter.
        let is_path = |glob: &String| glob.contains(['/', '{']);
        let is_mixed = !all.only.is_empty() && !all.never.is_empty();
        if is_mixed || all.only.iter().any(is_path) {
            all.only.clear();
            all.never.clear();
        }
        all
    }

    fn may_have(&self, below: &Path) -> bool {
        let fits = |globs: &[String], name: &str| globs.iter().any(|own| glob::matches(own, name));
        let Some(name) = below.file_name().map(|name| name.to_string_lossy()) else {
            return true;
        };
        let mut above = below.iter().map(|name| name.to_string_lossy());
        (self.only.is_empty() || fits(&self.only, &name))
            && !fits(&self.never, &name)
            && !above.any(|name| fits(&self.never_below, &name))
    }
}

/// Every protected file below these, each on a line, as it is seen from here.
fn files_within(engine: &mut Engine<'_>, words: &[Text], names: &Names) -> Result<Data, Stop> {
    let mut found = Vec::new();
    for word in engine.all_named(words)? {
        for place in engine.places(&word)? {
            let Place::At(path, _) = place else {
                return Ok(Data::Unknown);
            };
            let start = word.known();
            let start = start.unwrap_or_else(|| path.to_string_lossy().into_owned());
            let real = engine.resolver().beyond_links(&path);
            let mut all = engine.everything();
            if engine.is_captured() {
                all.extend(namesakes::beneath(engine, &real, usize::MAX, |_| true));
            }
            for path in all {
                if let Ok(below) = path.strip_prefix(&real)
                    && names.may_have(below)
                    && engine.tree.kind(&path) != Some(Kind::Directory)
                {
                    found.push(display(&start, below));
                }
            }
        }
    }
    found.push(OTHER_FILE.to_owned());
    Ok(Data::list(found))
}

/// What lies below a starting point, as programs show it.
pub(super) fn display(start: &str, below: &Path) -> String {
    if below.as_os_str().is_empty() {
        start.to_owned()
    } else {
        format!("{}/{}", start.trim_end_matches('/'), below.display())
    }
}
