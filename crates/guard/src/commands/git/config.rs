//! What git is configured to do: aliases, and programs that it starts.

use super::configured::{is_include, settings, settings_of, settings_of_variables};
use super::reach::top_level;
use super::{Options, subcommand};
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// What git does itself, whatever is configured.
const BUILT_IN: &str = "\
    add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr \
    check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean \
    clone column commit commit-graph commit-tree config count-objects credential describe \
    diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch \
    fetch-pack fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id \
    grep hash-object help hook index-pack init init-db interpret-trailers log ls-files ls-remote \
    ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree \
    mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs \
    patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog remote \
    repack replace rerere reset restore rev-list rev-parse revert rm send-pack shortlog show \
    show-branch show-index show-ref sparse-checkout stage stash status stripspace switch \
    symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info \
    upload-archive upload-pack var verify-commit verify-pack verify-tag version worktree \
    write-tree";

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
    if is_include(&name) {
        return include(engine, &value);
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

/// A file of settings, each of which counts as if it were named itself.
fn include(engine: &mut Engine<'_>, file: &Text) -> Result<(), Stop> {
    let found = match file.known() {
        Some(file) => settings_of(engine, &file)?,
        None => None,
    };
    let Some(settings) = found else {
        engine.could_do_anything();
        return Ok(());
    };
    let inner = settings.iter().filter(|(name, _)| !is_include(name));
    for (name, value) in inner {
        configure(engine, &Text::fixed(format!("{name}={value}")))?;
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

/// What is configured by variables, for which no file is read.
pub(super) fn configure_by_variables(engine: &mut Engine<'_>) -> Result<(), Stop> {
    match settings_of_variables(engine) {
        Some(settings) => settings
            .iter()
            .try_for_each(|setting| configure(engine, setting)),
        None => {
            engine.could_do_anything();
            Ok(())
        }
    }
}

/// An alias of this command, or of a configuration file. Where several have it, and which of them
/// counts depends on more than is looked at, it is each.
pub(super) fn alias(
    engine: &mut Engine<'_>,
    verb: &str,
    words: &[Text],
    depth: usize,
) -> Result<(), Stop> {
    engine.print(&Data::Unknown);
    // Git would not look either.
    if BUILT_IN.split_whitespace().any(|own| own == verb) {
        return Ok(());
    }
    let verb = verb.to_lowercase();
    if let Some(meaning) = engine.shell.git_aliases.get(&verb).cloned() {
        return mean(engine, &meaning, words, depth);
    }
    let Some(settings) = settings(engine)? else {
        engine.could_do_anything();
        return Ok(());
    };
    let name = format!("alias.{verb}");
    let mut meanings: Vec<String> = Vec::new();
    for (_, meaning) in settings.into_iter().filter(|(found, _)| *found == name) {
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }
    for meaning in meanings {
        mean(engine, &meaning, words, depth)?;
    }
    Ok(())
}

/// Does what an alias stands for.
fn mean(engine: &mut Engine<'_>, meaning: &str, words: &[Text], depth: usize) -> Result<(), Stop> {
    if depth >= DEEPEST_ALIAS {
        return Err(Stop::TooDeep);
    }
    if let Some(code) = meaning.strip_prefix('!') {
        // At the top of the work tree, wherever git was started.
        return top_level(engine).into_iter().try_for_each(|top| {
            engine.apart(|engine| {
                let top = Text::fixed(top.to_string_lossy());
                engine.call(&[Text::fixed("cd"), top])?;
                engine.shell.arguments = words.to_vec();
                engine.script(code).map(drop)
            })
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
