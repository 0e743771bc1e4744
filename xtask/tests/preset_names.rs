//! A way of working is data: its name stands in the policy table, in the room
//! that reads the files of the systems they come from, and nowhere else, so that
//! no other can grow a rule for one of them in secret.

#![expect(
    clippy::unwrap_used,
    reason = "all of this is tests, also where it is not marked as one"
)]

use std::fs;
use std::path::{Path, PathBuf};

const NAMES: [&str; 6] = ["native", "cub", "prp", "liza", "bmad", "superkit"];

/// Where presets are known by name: the table itself.
const TABLE: &str = "core/src/policy/presets/";
/// The room with a folder for each system, which decides nothing.
const ROOM: &str = "seeds/src/";

/// What else may name one, and why it is no rule about it.
const ALLOWED: [(&str, &str); 16] = [
    // Help for people; the code itself comes from the table.
    ("fusebox/src/exit.rs", "(48 in preset liza)"),
    ("fusebox/src/commands/edit.rs", "`--preset bmad` has;"),
    (
        "fusebox/src/commands/validate.rs",
        ".hint(\"`--preset bmad` does\")",
    ),
    (
        "fusebox/src/commands/analyze.rs",
        ".hint(\"`native` and `liza` do\")",
    ),
    ("fusebox/src/cli/board.rs", "fusebox --preset liza analyze"),
    ("fusebox/src/cli/board.rs", "fusebox --preset liza watch"),
    ("fusebox/src/cli/examples.rs", "fusebox presets use cub"),
    (
        "fusebox/src/cli/examples.rs",
        "fusebox presets diff native cub",
    ),
    // Files of companions, which are never work, whatever the preset.
    (
        "workspace/src/ignore/mod.rs",
        "[b\".prp-session\", b\".cub/runs\", b\".ralph/logs\"]",
    ),
    ("workspace/src/kind.rs", "\".prp-session/\","),
    ("workspace/src/kind.rs", "\".cub/runs/\","),
    ("workspace/src/kind.rs", "\".liza/\","),
    (
        "workspace/src/kind/tests.rs",
        ".prp-session/state.json .cub/runs/1/log",
    ),
    ("workspace/src/kind/tests.rs", ".liza/state.yaml"),
    // A list of tasks, which anybody may work on in any way.
    ("tasks/src/detect.rs", "\".cub/tasks.jsonl\""),
    ("guard/src/protected.rs", "\".cub/tasks.jsonl\""),
];

#[test]
fn presets_are_known_by_name_in_the_policy_table_alone() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut used = [false; ALLOWED.len()];
    let (mut strangers, mut in_the_table) = (Vec::new(), 0);
    for path in sources(&crates) {
        let file = path.strip_prefix(&crates).unwrap().to_str().unwrap();
        if file.starts_with(ROOM) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        if file.starts_with(TABLE) {
            in_the_table += names_in(&text).count();
            continue;
        }
        for (number, line) in names_in(&text) {
            let allowed = |(place, part): &(&str, &str)| *place == file && line.contains(part);
            match ALLOWED.iter().position(allowed) {
                Some(entry) => used[entry] = true,
                None => strangers.push(format!("{file}:{number}: {}", line.trim())),
            }
        }
    }
    assert!(strangers.is_empty(), "{}", strangers.join("\n"));
    assert!(in_the_table > 18, "the table has moved");
    for (entry, used) in ALLOWED.iter().zip(used) {
        assert!(used, "{entry:?} is no longer needed");
    }
}

#[test]
fn names_are_found_in_code_and_not_in_comments_or_tests() {
    for (line, found) in [
        ("if policy.preset == Preset::Liza {", true),
        ("    Self::Superkit => 3,", true),
        ("match name { \"cub\" => 1, _ => 0 }", true),
        ("let text = \"only in bmad\"; // why", true),
        ("let text = \"a\nonly in bmad\";", true),
        ("say('\"', \"\\\"\", \"as cub does\")", true),
        ("use Preset::{Liza, Bmad};", true),
        ("Policy::native()", false),
        ("// Preset::Liza is special", false),
        ("    /// as in \"cub\"", false),
        ("go(\"//\") // as in \"cub\"", false),
        ("let cubic = \"cubic\";", false),
        ("let native = Preset::ALL[0];", false),
        ("say(\"superkits\")", false),
    ] {
        assert_eq!(names_in(line).next().is_some(), found, "{line}");
    }
    let tests = "mod tests {\n    const A: Preset = Preset::Cub;\n}\n";
    for test in [
        "mod tests { const A: Preset = Preset::Cub; }\n",
        tests,
        "#[path = \"cub.rs\"]\nmod tests;\n",
        "use a::{\n    Preset::Cub,\n};\n",
        "pub(crate) fn cub() -> Preset {\n    if true {\n        Preset::Cub\n    }\n}\n",
    ] {
        let tested = format!("fn a() {{}}\n#[cfg(test)]\n{test}");
        assert_eq!(names_in(&tested).next(), None, "{tested}");
        // What is only for tests may stand anywhere, and the code goes on behind it.
        let whole = format!("{tested}\nfn b() {{\n    Preset::Cub\n}}\n");
        let found: Vec<&str> = names_in(&whole).map(|(_, line)| line).collect();
        assert_eq!(found, ["    Preset::Cub"], "{whole}");
    }
}

/// The source files of all crates, without modules that are tests as a whole.
fn sources(crates: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = entries(crates).map(|krate| krate.join("src")).collect();
    while let Some(directory) = open.pop() {
        for path in entries(&directory) {
            if path.is_dir() && !path.ends_with("tests") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 100, "the sources have moved: {found:?}");
    found
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
}

/// The lines of a file that name a preset, as a variant in code or as a word in a literal, and
/// that are not for tests alone.
fn names_in(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut quoted = false;
    let mut tested = None;
    let lines = source.lines().enumerate();
    let shipped = lines.filter(move |(_, line)| !is_for_tests(line, &mut tested));
    shipped
        .filter_map(move |(index, line)| names_one(line, &mut quoted).then_some((index + 1, line)))
}

/// Whether a line is part of an item under `#[cfg(test)]`. `tested` says how far in that item
/// stands while it lasts: to a line that closes it there, or that is all of it.
fn is_for_tests<'a>(line: &'a str, tested: &mut Option<&'a str>) -> bool {
    let code = line.trim_start();
    let Some(indent) = *tested else {
        if code.starts_with("#[cfg(test)]") {
            *tested = Some(&line[..line.len() - code.len()]);
        }
        return tested.is_some();
    };
    let is_here = line.strip_prefix(indent) == Some(code);
    let closes = code.starts_with('}');
    let is_all = code.ends_with([';', ',']) || code.ends_with('}') && code.contains('{');
    if is_here && !code.starts_with("#[") && (closes || is_all) {
        *tested = None;
    }
    true
}

/// Whether a line names a preset. `quoted` says whether it begins inside a
/// literal, and afterwards whether the next one does.
fn names_one(line: &str, quoted: &mut bool) -> bool {
    let plain = line
        .replace("\\\\", "")
        .replace("\\\"", "")
        .replace("'\"'", "");
    let mut named = false;
    for (index, part) in plain.split('"').enumerate() {
        if index > 0 {
            *quoted = !*quoted;
        }
        let (code, comment) = match part.split_once("//") {
            Some((code, _)) if !*quoted => (code, true),
            _ => (part, false),
        };
        named |= NAMES.iter().any(|name| {
            let (first, rest) = name.split_at(1);
            let variant = format!("{}{rest}", first.to_uppercase());
            has_word(code, if *quoted { name } else { &variant })
        });
        if comment {
            break;
        }
    }
    named
}

fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|found| found == word)
}
