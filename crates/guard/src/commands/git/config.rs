//! What git is configured to do: aliases, and programs that it starts.

use std::path::{Path, PathBuf};

use super::reach::top_level;
use super::{Options, subcommand};
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// Aliases that name each other are followed so far.
const DEEPEST_ALIAS: usize = 5;

/// `-c name=value` and `git config name value`: aliases and programs are what matters.
pub(super) fn configure(engine: &mut Engine<'_>, setting: &Text) -> Result<(), Stop> {
    let start = setting.known_start();
    let Some((name, _)) = start.split_once('=') else {
        // A name that is not known may be one of those that run something.
        if setting.known().is_none() {
            engine.could_do_anything();
        }
        return Ok(());
    };
    let value = setting.without_start(name.len() + 1);
    let name = name.to_lowercase();
    if let Some(alias) = name.strip_prefix("alias.") {
        match value.known() {
            Some(meaning) => engine.shell.git_aliases.insert(alias.to_owned(), meaning),
            None => return engine.code(&value).map(drop),
        };
    }
    if name == "core.hookspath" {
        engine.shell.hooks_path = value.known();
    }
    let runs = [
        "core.editor",
        "core.pager",
        "core.sshcommand",
        "core.fsmonitor",
        "sequence.editor",
        "diff.external",
        "credential.helper",
    ];
    if runs.contains(&name.as_str())
        || name.starts_with("pager.")
        || name.ends_with(".textconv")
        || name.ends_with(".cmd")
        || is_filter(&name)
    {
        let code = match value.known_start().starts_with('!') {
            true => value.without_start(1),
            false => value,
        };
        engine.apart(|engine| engine.code(&code))?;
    }
    Ok(())
}

/// Whether a setting is a program that files go through on their way in or out.
fn is_filter(name: &str) -> bool {
    let ends = [".clean", ".smudge", ".process"];
    name.starts_with("filter.") && ends.iter().any(|end| name.ends_with(end))
}

/// Whether a setting lets git clean without being forced.
pub(super) fn is_unforced(setting: &str) -> bool {
    let setting = setting.to_lowercase();
    let value = setting.strip_prefix("clean.requireforce=");
    value.is_some_and(|value| matches!(value, "false" | "no" | "off" | "0" | ""))
}

/// `git config NAME VALUE`.
pub(super) fn set(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["--file", "-f", "--type"]);
    let set = |name: &Text, value: &Text| {
        let mut setting = name.clone();
        setting.append(&Text::fixed("="));
        setting.append(value);
        setting
    };
    let setting = match options.operands.as_slice() {
        [name, value] => set(name, value),
        [verb, name, value] if verb.known().as_deref() == Some("set") => set(name, value),
        _ => return Ok(()),
    };
    engine.shell.cleans_unforced |= setting.known().as_deref().is_some_and(is_unforced);
    configure(engine, &setting)
}

/// An alias of this command, or of the repository's own configuration.
pub(super) fn alias(
    engine: &mut Engine<'_>,
    verb: &str,
    words: &[Text],
    depth: usize,
) -> Result<(), Stop> {
    engine.print(&Data::Unknown);
    let configured = engine.shell.git_aliases.get(&verb.to_lowercase()).cloned();
    let Some(meaning) = configured.or_else(|| alias_on_disk(engine, verb)) else {
        return Ok(());
    };
    if depth >= DEEPEST_ALIAS {
        return Err(Stop::TooDeep);
    }
    if let Some(code) = meaning.strip_prefix('!') {
        let code = code.to_owned();
        return engine.apart(|engine| {
            engine.shell.arguments = words.to_vec();
            engine.script(&code).map(drop)
        });
    }
    let mut expanded: Vec<Text> = meaning.split_whitespace().map(Text::fixed).collect();
    expanded.extend(words.iter().cloned());
    match expanded.split_first() {
        Some((verb, rest)) => {
            let verb = verb.known().unwrap_or_default();
            subcommand(engine, &verb, rest, false, depth + 1)
        }
        None => Ok(()),
    }
}

fn alias_on_disk(engine: &Engine<'_>, verb: &str) -> Option<String> {
    let mut files: Vec<PathBuf> = top_level(engine)
        .into_iter()
        .map(|top| top.join(".git/config"))
        .collect();
    if let Some(home) = engine.shell.known("HOME") {
        files.push(Path::new(&home).join(".gitconfig"));
        files.push(Path::new(&home).join(".config/git/config"));
    }
    let texts = files.iter().filter_map(|file| engine.tree.read(file));
    texts.into_iter().find_map(|text| alias_in(&text, verb))
}

/// The alias in a configuration file: a section, and a line in it.
fn alias_in(config: &str, verb: &str) -> Option<String> {
    let mut in_section = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_section = line.to_lowercase().starts_with("[alias]");
        } else if in_section
            && let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case(verb)
        {
            return Some(value.trim().trim_matches('"').replace("\\\"", "\""));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::alias_in;

    #[test]
    fn aliases_are_found_in_their_section_only() {
        let config = "[user]\n wipe = x\n[alias]\n\twipe = clean -fdx\n st=status\n[core]\n";
        assert_eq!(alias_in(config, "wipe").as_deref(), Some("clean -fdx"));
        assert_eq!(alias_in(config, "st").as_deref(), Some("status"));
        assert_eq!(alias_in(config, "co"), None);
    }
}
