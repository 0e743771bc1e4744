//! Languages whose programs are built and run in one go: `go run`, `java A.java`, `swift a.swift`.
//!
//! A file that is named is read as a script would be. A whole package is larger and made for
//! more than this command, so that of it only that counts which its calls name outright.

mod builders;
pub(super) mod products;

use std::path::{Path, PathBuf};

use super::make::certain_only;
use super::{Options, code, interpreters, loaded};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};
use builders::{BUILDERS, Builder};

/// Files that are run where only a verb is said.
const MAINS: &[(&str, &[&str])] = &[
    ("cargo", &["src/main.rs", "build.rs"]),
    ("dotnet", &["Program.cs"]),
];

/// Options of a tool that make what is run another thing than a file.
const NOT_FILES: &[&str] = &[
    "-jar",
    "-m",
    "--module",
    "--manifest-path",
    "-p",
    "--package",
    "--project",
    "--version",
    "--help",
    "-h",
];

/// More files of one package are not read.
const MOST_FILES: usize = 64;

/// A longer one of these was written by a program, and is not read.
const LONGEST_FILE: usize = 128 * 1024;

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    products::remember(engine, name, words)?;
    let Some(builder) = BUILDERS.iter().find(|own| own.names.contains(&name)) else {
        return Ok(false);
    };
    let valued: Vec<&str> = builder
        .inline
        .iter()
        .chain(builder.valued)
        .copied()
        .collect();
    let is_verb = |word: &Text| {
        word.known()
            .is_some_and(|own| builder.verbs.contains(&own.as_str()))
    };
    // `cargo +nightly run`: which toolchain it is comes first.
    let is_toolchain = |word: &&Text| word.known_start().starts_with('+');
    let words = &words[words.iter().take_while(is_toolchain).count()..];
    let dashed = words
        .iter()
        .position(|word| is_verb(word) && word.known_start().starts_with('-'));
    let (options, at) = match dashed {
        Some(at) => (Options::parse(&words[..at], &valued), at),
        None => Options::parse_leading(words, &valued),
    };
    let verb = words
        .get(at)
        .filter(|word| is_verb(word))
        .and_then(Text::known);
    // Without the one that asks for more it only builds.
    let only_builds = builder.verbs.iter().any(|verb| verb.starts_with('-'));
    if only_builds && verb.is_none() && !words.iter().any(|word| is_inline(builder, word)) {
        return Ok(false);
    }
    // Who also runs files as they are is asked there, and loads the same things first.
    let is_interpreter = interpreters::is_one(name);
    if is_interpreter && verb.is_none() {
        return Ok(false);
    }
    let behind = words
        .get(at + usize::from(verb.is_some())..)
        .unwrap_or_default();
    let (more, at) = Options::parse_leading(behind, &valued);
    let rest = &behind[at..];
    let inline: Vec<Text> = [&options, &more]
        .iter()
        .flat_map(|both| both.values(builder.inline))
        .cloned()
        .collect();
    let tests = matches!(verb.as_deref(), Some("test" | "t" | "bench"));
    let told = Told {
        builder,
        verb,
        tests,
        rest,
    };
    engine.apart(|engine| {
        if is_interpreter {
            loaded::before(engine, name, &more)?;
        }
        for directory in [&options, &more]
            .iter()
            .flat_map(|both| both.values(&["-C"]))
        {
            engine.call(&[Text::fixed("cd"), directory.clone()])?;
        }
        for before in more.values(&["-exec", "-toolexec"]) {
            engine.code(before)?;
        }
        if !inline.is_empty() {
            engine.print(&Data::Unknown);
            for text in &inline {
                let text = text.known().map_or(Data::Unknown, Data::Known);
                follow(engine, &text, None, rest, code::Origin::Inline)?;
            }
            return Ok(true);
        }
        let is_file = |both: &&Options| !both.has(NOT_FILES) || name == "go";
        if [&options, &more].iter().all(is_file) {
            told.run(engine, name, &more)
        } else {
            Ok(false)
        }
    })
}

fn is_inline(builder: &Builder, word: &Text) -> bool {
    let known = word.known().unwrap_or_default();
    builder.inline.contains(&known.as_str())
}

/// What one of them is told to run.
struct Told<'w> {
    builder: &'static Builder,
    verb: Option<String>,
    /// Whether it only runs tests, of which those count that this same command wrote.
    tests: bool,
    rest: &'w [Text],
}

impl Told<'_> {
    fn run(&self, engine: &mut Engine<'_>, name: &str, more: &Options) -> Result<bool, Stop> {
        let is_file = |word: &&Text| {
            let end = word.known_end();
            self.builder
                .endings
                .iter()
                .any(|ending| end.ends_with(ending))
        };
        // Only go is given several, and all of them come first.
        let most = if name == "go" { usize::MAX } else { 1 };
        let files = self.rest.iter().take_while(is_file).take(most).count();
        let (files, arguments) = self.rest.split_at(files);
        let named = more.values(&["--file"]).filter(is_file);
        let mut found = false;
        for file in files.iter().chain(named) {
            found |= self.file(engine, file, arguments, code::Origin::File)?;
        }
        if found || !files.is_empty() {
            engine.print(&Data::Unknown);
            return Ok(true);
        }
        match self.verb.as_deref() {
            None if name == "java" => return self.class(engine),
            None => return self.input(engine, name),
            Some("generate") => {
                certain_only(engine, |engine| self.generate(engine))?;
                return Ok(false);
            }
            Some(_) => {}
        }
        for (file, arguments) in self.package(engine, name, more)? {
            self.file(engine, &file, &arguments, code::Origin::Package)?;
        }
        // What else such a program does is told elsewhere.
        Ok(false)
    }

    /// `java A`: a class, of which the source was written on the way.
    fn class(&self, engine: &mut Engine<'_>) -> Result<bool, Stop> {
        let Some((class, arguments)) = self.rest.split_first() else {
            return Ok(false);
        };
        let source = class.map(|class| format!("{}.java", class.replace('.', "/")));
        if loaded::is_written_here(engine, &source)? {
            self.file(engine, &source, arguments, code::Origin::File)?;
        }
        Ok(false)
    }

    /// `jshell` reads its code where it is given none.
    fn input(&self, engine: &mut Engine<'_>, name: &str) -> Result<bool, Stop> {
        let is_asked = self
            .rest
            .first()
            .is_none_or(|word| *word == Text::fixed("-"));
        let reads = matches!(name, "jshell" | "swift" | "ocaml" | "csi" | "rust-script");
        let text = engine.stdin.clone();
        if !reads || !is_asked || text == Data::empty() {
            return Ok(false);
        }
        follow(engine, &text, None, &[], code::Origin::Inline)?;
        Ok(true)
    }

    fn file(
        &self,
        engine: &mut Engine<'_>,
        file: &Text,
        arguments: &[Text],
        origin: code::Origin,
    ) -> Result<bool, Stop> {
        let is_written_here = loaded::is_written_here(engine, file)?;
        let text = engine.content(file)?;
        let Some(length) = text.text().map(str::len) else {
            return Ok(false);
        };
        let origin = match is_written_here {
            true => code::Origin::Inline,
            false => origin,
        };
        let is_long = origin == code::Origin::Package && length > LONGEST_FILE;
        if is_long || (self.tests && !is_written_here) {
            return Ok(false);
        }
        engine.apart(|engine| {
            if self.tests && self.builder.names.contains(&"go") {
                // Tests of go run where they stand.
                let path = file.known().unwrap_or_default();
                let above = Path::new(&path).parent().unwrap_or(Path::new("."));
                let above = Text::fixed(above.to_string_lossy());
                engine.call(&[Text::fixed("cd"), above])?;
            }
            follow(engine, &text, Some(file), arguments, origin)
        })?;
        Ok(true)
    }

    /// `//go:generate rm a`: what stands behind it in the files of a package is run.
    fn generate(&self, engine: &mut Engine<'_>) -> Result<(), Stop> {
        for package in self.rest {
            for file in self.beneath(engine, package)? {
                let text = engine.content(&file)?;
                let lines = text.text().unwrap_or_default().lines();
                let asked = lines.filter_map(|line| line.strip_prefix("//go:generate "));
                for code in asked.take(MOST_FILES) {
                    let code = code.to_owned();
                    engine.apart(|engine| engine.script(&code))?;
                }
            }
        }
        Ok(())
    }

    /// The files of the package that is run, and the words that are left for it.
    fn package(
        &self,
        engine: &mut Engine<'_>,
        name: &str,
        more: &Options,
    ) -> Result<Vec<(Text, Vec<Text>)>, Stop> {
        if matches!(name, "go" | "gotip") {
            let here = [Text::fixed(".")];
            let named = match self.tests {
                true => self.rest.first().map_or(&here[..], |_| self.rest),
                false => &self.rest[..self.rest.len().min(1)],
            };
            let arguments = self.rest.get(1..).unwrap_or_default().to_vec();
            let mut files = Vec::new();
            for package in named {
                files.extend(self.beneath(engine, package)?);
            }
            let files = files.into_iter().take(MOST_FILES);
            return Ok(files.map(|file| (file, arguments.clone())).collect());
        }
        let own = MAINS.iter().find(|(own, _)| *own == name);
        let mains = own.map_or(&[][..], |(_, mains)| *mains);
        let chosen = [("--bin", "src/bin"), ("--example", "examples")];
        let chosen = chosen.iter().flat_map(|(option, above)| {
            let names = more
                .values(std::slice::from_ref(option))
                .filter_map(Text::known);
            names.map(move |name| format!("{above}/{name}.rs"))
        });
        let files = mains.iter().map(|main| (*main).to_owned()).chain(chosen);
        let arguments = self.rest.to_vec();
        Ok(files
            .map(|file| (Text::fixed(file), arguments.clone()))
            .collect())
    }

    /// The files of a directory that belong to a package, with those put there on the way.
    fn beneath(&self, engine: &mut Engine<'_>, package: &Text) -> Result<Vec<Text>, Stop> {
        let known = package.known().unwrap_or_default();
        // Others are names of packages that lie elsewhere.
        if !known.starts_with(['.', '/']) {
            return Ok(Vec::new());
        }
        let (directory, all_beneath) = match known.strip_suffix("...") {
            Some(above) => (above, true),
            None => (known.as_str(), false),
        };
        let mut found: Vec<PathBuf> = Vec::new();
        for place in engine.places(&Text::fixed(directory))? {
            let Place::At(path, _) = place else { continue };
            let path = engine.resolver().beyond_links(&path);
            let is_own = |file: &Path| all_beneath || file.parent() == Some(path.as_path());
            let put = engine
                .shell
                .files
                .keys()
                .filter(|file| file.starts_with(&path));
            found.extend(put.filter(|file| is_own(file)).cloned());
            let listed = engine.tree.list(&path).into_iter();
            found.extend(listed.map(|name| path.join(name)));
        }
        let is_source = |file: &Path| {
            let name = file.to_string_lossy();
            self.builder
                .endings
                .iter()
                .any(|ending| name.ends_with(ending))
                && (self.tests || !name.ends_with("_test.go"))
        };
        let mut names: Vec<Text> = Vec::new();
        for file in found.iter().filter(|file| is_source(file)) {
            let name = Text::fixed(file.to_string_lossy());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }
}

fn follow(
    engine: &mut Engine<'_>,
    text: &Data,
    file: Option<&Text>,
    arguments: &[Text],
    origin: code::Origin,
) -> Result<(), Stop> {
    let mut given = code::Given::new(engine, arguments);
    given.program = file.cloned();
    given.read(&engine.stdin);
    // Backquotes hold strings or names in all of these.
    given.runs_backquotes = false;
    let is_go = file.is_some_and(|file| file.known_end().ends_with(".go"));
    let plain = match text.text() {
        // What is called `copy` in go copies no files.
        Some(text) if is_go => Data::Known(
            text.replace(" copy(", " copied(")
                .replace("\tcopy(", "\tcopied("),
        ),
        _ => text.clone(),
    };
    code::follow_given(engine, &plain, &given, origin)
}
