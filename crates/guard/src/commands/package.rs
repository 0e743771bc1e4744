//! Programs that manage packages, and the scripts of `package.json` that they run by name.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::make::certain_only;
use super::{Options, loaded};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

const PACKAGE: &str = "package.json";

/// What the programs that manage packages do themselves, whatever scripts there are.
const OWN_VERBS: &str = "\
    install i ci add exec x dlx create init why remove rm uninstall un unlink link ln ls list la \
    ll outdated update up upgrade self-update audit publish pack version info view show whoami \
    login logout config get set cache store prune rebuild rb dedupe import patch patch-commit \
    patch-remove bin root prefix env setup fetch deploy doctor licenses approve-builds server \
    global workspace workspaces policies plugin constraints explain npm node pm build repl \
    completions help search owner tag token team access bugs repo docs home fund generate-lock-entry \
    autoclean check import install-test it unplug upgrade-interactive versions";

/// Options that say in which directory.
const DIRECTORY: [&str; 4] = ["-C", "--prefix", "--cwd", "--dir"];

/// Options that say in which of several packages.
const WORKSPACE: [&str; 2] = ["-w", "--workspace"];

/// Further options that take the next word for their value.
fn valued_of(name: &str) -> &'static [&'static str] {
    match name {
        "npm" => &[
            "-w",
            "--workspace",
            "--loglevel",
            "--registry",
            "--userconfig",
            "--globalconfig",
            "--cache",
            "--script-shell",
            "--otp",
            "--tag",
        ],
        "pnpm" => &[
            "-F",
            "--filter",
            "--loglevel",
            "--reporter",
            "--registry",
            "--store-dir",
        ],
        "bun" => &[
            "-F",
            "--filter",
            "--config",
            "-c",
            "--env-file",
            "-r",
            "--preload",
        ],
        _ => &[
            "--cache-folder",
            "--modules-folder",
            "--use-yarnrc",
            "--registry",
            "--mutex",
        ],
    }
}

/// `npm run NAME`, and the names that need no `run`.
pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    loaded::node_options(engine)?;
    let is_code = |word: &Text| {
        ["-e", "--eval", "-p", "--print"]
            .map(Text::fixed)
            .contains(word)
    };
    if name == "bun" && words.first().is_some_and(is_code) {
        return Ok(false);
    }
    let valued = [&DIRECTORY[..], valued_of(name)].concat();
    let options = Options::parse(words, &valued);
    let mut operands = options.operands.iter().filter_map(Text::known);
    let Some(verb) = operands.next() else {
        return Ok(false);
    };
    if verb == "pkg" && operands.next().as_deref() == Some("set") {
        let settings: Vec<String> = operands.collect();
        set_scripts(engine, &settings)?;
        return Ok(true);
    }
    let script = match verb.as_str() {
        "run" | "run-script" | "rum" | "urn" => operands.next(),
        "test" if name == "bun" => None,
        "t" | "tst" => Some("test".to_owned()),
        "test" | "start" | "stop" | "restart" => Some(verb),
        "x" if name == "bun" => operands.next(),
        own if name == "npm" || OWN_VERBS.split_whitespace().any(|verb| verb == own) => None,
        _ => Some(verb),
    };
    let Some(script) = script else {
        return Ok(false);
    };
    let is_script = |word: &Text| word.known().as_deref() == Some(&script);
    let at = words.iter().position(is_script).unwrap_or(words.len());
    let program = words[at..].to_vec();
    let rest: Vec<String> = operands.collect();
    engine.apart(|engine| {
        for directory in options.values(&DIRECTORY) {
            engine.call(&[Text::fixed("cd"), directory.clone()])?;
        }
        if name == "npm" {
            for named in options.values(&WORKSPACE) {
                if let Some(directory) = workspace(engine, named) {
                    enter(engine, &directory)?;
                }
            }
        }
        if let Some(above) = package_above(engine) {
            enter(engine, &above)?;
        }
        let content = engine.content(&Text::fixed(PACKAGE))?;
        let Some(scripts) = content.text().map_or_else(|| no_file(engine), scripts_in) else {
            engine.source_data(&Data::Unknown)?;
            return Ok(true);
        };
        let found = |wanted: &str| {
            let mut own = scripts.iter().filter(|(name, _)| name == wanted);
            own.next().map(|(_, code)| code.clone())
        };
        let Some(code) = found(&script) else {
            return run_program(engine, name, &program);
        };
        engine.print(&Data::Unknown);
        let around = [
            found(&format!("pre{script}")),
            Some(format!("{code} {}", rest.join(" "))),
            found(&format!("post{script}")),
        ];
        certain_only(engine, |engine| {
            for code in around.iter().flatten() {
                engine.apart(|engine| engine.script(code))?;
            }
            Ok(())
        })?;
        Ok(true)
    })
}

/// `npm pkg set scripts.NAME=CODE`: the scripts are others from here on.
fn set_scripts(engine: &mut Engine<'_>, settings: &[String]) -> Result<(), Stop> {
    let file = Text::fixed(PACKAGE);
    let before = engine.content(&file)?;
    let set = settings.iter().filter_map(|setting| {
        let (name, code) = setting.strip_prefix("scripts.")?.split_once('=')?;
        Some((name.to_owned(), code.to_owned()))
    });
    let mut scripts: Vec<(String, String)> = set.collect();
    scripts.extend(scripts_in(before.text().unwrap_or_default()).unwrap_or_default());
    // What is set wins over what was there.
    let scripts: Map<String, Value> = scripts
        .into_iter()
        .rev()
        .map(|(name, code)| (name, code.into()))
        .collect();
    let text = json!({ "scripts": scripts }).to_string();
    for place in engine.places(&file)? {
        if let Place::At(path, _) = place {
            let path = engine.resolver().beyond_links(&path);
            engine.remember(path, &Data::Known(text.clone()), false);
        }
    }
    Ok(())
}

/// Those that run scripts by their names alone run programs of packages so as well. A file
/// is code.
fn run_program(engine: &mut Engine<'_>, name: &str, call: &[Text]) -> Result<bool, Stop> {
    let is_file = |word: &Text| word.known_start().contains(['.', '/']);
    if name == "npm" || call.first().is_none_or(is_file) {
        return Ok(false);
    }
    engine.apart(|engine| engine.call(call))?;
    Ok(true)
}

/// The names and the code of the scripts in a `package.json`; `None` if it makes no sense.
fn scripts_in(text: &str) -> Option<Vec<(String, String)>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // As a value, of which the last of two keys counts, and which knows how deep it may be.
    let package: Value = serde_json::from_str(text).ok()?;
    let scripts = package.get("scripts").and_then(Value::as_object);
    let pairs = scripts.into_iter().flatten();
    let code = pairs.filter_map(|(name, code)| Some((name.clone(), code.as_str()?.to_owned())));
    Some(code.collect())
}

fn enter(engine: &mut Engine<'_>, directory: &Path) -> Result<(), Stop> {
    let directory = Text::fixed(directory.to_string_lossy());
    engine.call(&[Text::fixed("cd"), directory]).map(drop)
}

/// No scripts, where no file is known to have any: `None` if there is one that could not be read.
fn no_file(engine: &Engine<'_>) -> Option<Vec<(String, String)>> {
    let directory = engine.shell.directories.first().and_then(Option::as_ref);
    let is_unread = directory.is_some_and(|directory| has_package(engine, directory));
    (!is_unread).then(Vec::new)
}

fn has_package(engine: &Engine<'_>, directory: &Path) -> bool {
    let file = engine.resolver().beyond_links(&directory.join(PACKAGE));
    engine.shell.files.contains_key(&file) || engine.tree.kind(&file).is_some()
}

/// The directory of the package that one is in, where it is not the directory itself.
fn package_above(engine: &Engine<'_>) -> Option<PathBuf> {
    let directory = engine.shell.directories.first()?.as_ref()?;
    let found = directory
        .ancestors()
        .find(|above| has_package(engine, above))?;
    (found != directory).then(|| found.to_owned())
}

/// The directory of one of several packages, which is named by its path, or by its name, which is
/// that of its directory as a rule: `packages/NAME`.
fn workspace(engine: &Engine<'_>, named: &Text) -> Option<PathBuf> {
    let named = named.known()?;
    let directory = engine.shell.directories.first()?.as_ref()?;
    let last = named.rsplit('/').next().unwrap_or(&named);
    let names = engine.tree.list(directory);
    let below = names.iter().map(|name| directory.join(name).join(last));
    std::iter::once(directory.join(&named))
        .chain(below)
        .find(|place| has_package(engine, place))
}

#[cfg(test)]
mod tests {
    use super::scripts_in;

    #[test]
    fn scripts_are_those_that_a_parser_of_json_finds() {
        let own = [("a".to_owned(), "rm b".to_owned())];
        for text in [
            r#"{"scripts": {"a": "rm b"}}"#,
            "\u{feff}{\"scripts\": {\"a\": \"rm b\"}}",
            r#"{"files": ["scripts"], "author": {"a": "x"}, "scripts": {"a": "rm b"}}"#,
            r#"{"name": "scripts", "author": {"a": "x"}, "scripts": {"a": "rm b"}}"#,
            r#"{"config": {"scripts": {"a": "b"}}, "scripts": {"a": "rm b"}}"#,
            r#"{"scripts": {"x": {"a": "z"}, "n": 1, "a": "rm b"}}"#,
            r#"{"scripts": {"a": "true", "a": "rm b"}}"#,
            r#"{"scripts": {"a": "true"}, "scripts": {"a": "rm b"}}"#,
            r#"{"scr\u0069pts": {"a": "rm\u0020b"}}"#,
        ] {
            assert_eq!(scripts_in(text).as_deref(), Some(&own[..]), "{text}");
        }
        assert_eq!(scripts_in("{}").as_deref(), Some(&[][..]));
        assert_eq!(scripts_in(r#"{"scripts": "a"}"#).as_deref(), Some(&[][..]));
        assert_eq!(scripts_in(r#"{"scripts": {"a": "b"#), None);
        assert_eq!(scripts_in(&"[".repeat(100_000)), None);
    }
}
