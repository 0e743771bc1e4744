//! Which files a subcommand of git reaches.

use std::path::{Path, PathBuf};

use super::index;
use super::pathspec::{Spec, exclusion};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;
use crate::tree::Kind;

/// What a subcommand does.
#[derive(Clone, Copy)]
pub(super) enum Reach {
    /// The paths it is given, and nothing if there are none.
    Paths(Action),
    /// The paths it is given, or else the whole work tree.
    PathsOrAll(Action),
    /// The whole work tree, or as much of it as differs.
    All(Action),
}

pub(super) fn reach_if(
    engine: &mut Engine<'_>,
    really: bool,
    reach: Reach,
    paths: &[Text],
) -> Result<(), Stop> {
    if !really {
        return Ok(());
    }
    match reach {
        Reach::Paths(action) => pathspecs(engine, action, paths, Vec::new()),
        Reach::PathsOrAll(action) if !paths.is_empty() => {
            pathspecs(engine, action, paths, Vec::new())
        }
        Reach::PathsOrAll(action) | Reach::All(action) => {
            for top in top_level(engine) {
                engine.note(action, Target::Tree(top));
            }
            Ok(())
        }
    }
}

/// What is given, or all below where the command stands, without what has certain names.
pub(super) fn here_but(
    engine: &mut Engine<'_>,
    action: Action,
    paths: &[Text],
    names: &[Text],
    ignored: Vec<Spec>,
) -> Result<(), Stop> {
    let here = [Text::fixed(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut kept = specs(engine, names, Spec::ignored);
    // A name that is not understood may take back what the others leave out.
    if kept.len() < names.len() {
        kept.clear();
    }
    kept.extend(ignored);
    let tracked = tracked(engine, &kept);
    kept.extend(tracked);
    pathspecs(engine, action, paths, kept)
}

/// What the lines of the `.gitignore` at the top name, as far as they are plain.
pub(super) fn ignored(engine: &Engine<'_>) -> Vec<Spec> {
    let tops = top_level(engine);
    let [top] = tops.as_slice() else {
        return Vec::new();
    };
    let file = top.join(".gitignore");
    // One may take back what another leaves out, also in a directory further down.
    let lines = engine.tree.read(&file).filter(|lines| !lines.contains('!'));
    let lines = lines.filter(|_| !engine.may_have_touched(&file));
    let lines = lines.unwrap_or_default();
    let plain = lines.lines().map(str::trim_end);
    plain
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Spec::ignored(engine, &Text::fixed(line), top))
        .collect()
}

/// Something is done to all that is protected and ignored, but not tracked.
pub(super) fn all_ignored(engine: &mut Engine<'_>, action: Action) {
    let specs = ignored(engine);
    let tracked = index::tracked(engine).unwrap_or_default();
    for path in engine.everything() {
        let is_ignored = specs.iter().any(|spec| spec.covers(&path, engine.tree));
        let is_tracked = || tracked.keys().any(|own| own.starts_with(&path));
        if is_ignored && !is_tracked() {
            engine.note(action, Target::Path(path));
        }
    }
}

/// Replaces paths by what the index has of them: what is as it is there stays so.
pub(super) fn from_index(engine: &mut Engine<'_>, paths: &[Text]) -> Result<(), Stop> {
    let same = unchanged(engine);
    pathspecs(engine, Action::Overwrite, paths, same)
}

/// What is protected and no changed file of the index lies in.
fn unchanged(engine: &mut Engine<'_>) -> Vec<Spec> {
    let Some(tracked) = index::tracked(engine) else {
        return Vec::new();
    };
    let all = engine.everything();
    let is_same = |path: &&PathBuf| {
        let mut files = tracked.iter().filter(|(own, _)| own.starts_with(path));
        files.all(|(_, is_same)| *is_same)
    };
    let same = all.iter().filter(is_same);
    same.cloned().map(Spec::Tree).collect()
}

/// What is protected and tracked, which cleaning leaves alone: files, and directories that have
/// nothing else in them but what is ignored.
fn tracked(engine: &mut Engine<'_>, ignored: &[Spec]) -> Vec<Spec> {
    let Some(tracked) = index::tracked(engine) else {
        return Vec::new();
    };
    let all = engine.everything();
    let is_directory = |path: &Path| engine.tree.kind(path) == Some(Kind::Directory);
    let is_kept = |path: &PathBuf| {
        let mut files = all.iter().filter(|own| own.starts_with(path));
        let is_empty = |own: &Path| engine.tree.list(own).is_empty();
        files.all(|own| {
            let is_ignored = || ignored.iter().any(|spec| spec.covers(own, engine.tree));
            tracked.contains_key(own) || is_directory(own) && !is_empty(own) || is_ignored()
        })
    };
    let kept = all.iter().filter(|path| is_kept(path));
    kept.cloned().map(Spec::Tree).collect()
}

/// A path for git is a tree, may have wildcards that git itself matches, or magic. Those that
/// are left out, or kept besides, are left out of all others, and of everything if there are
/// no others.
fn pathspecs(
    engine: &mut Engine<'_>,
    action: Action,
    paths: &[Text],
    kept: Vec<Spec>,
) -> Result<(), Stop> {
    let own: Vec<Text> = paths.iter().filter_map(exclusion).collect();
    let mut excluded = kept;
    excluded.extend(specs(engine, &own, Spec::of));
    let mut meant = paths.iter().filter(|path| exclusion(path).is_none());
    let Some(first) = meant.next() else {
        let has_any = !paths.is_empty();
        for top in top_level(engine).into_iter().filter(|_| has_any) {
            all_but(engine, action, top, &excluded);
        }
        return Ok(());
    };
    for path in [first].into_iter().chain(meant) {
        if path.known_start().starts_with(':') {
            for top in top_level(engine) {
                all_but(engine, action, top, &excluded);
            }
            continue;
        }
        for place in engine.places(&path.unquoted())? {
            match place {
                Place::At(path, slash) => {
                    let resolver = engine.resolver();
                    let path = match slash {
                        true => resolver.beyond_links(&path),
                        false => resolver.up_to_link(&path),
                    };
                    all_but(engine, action, path, &excluded);
                }
                Place::Like(pattern) => engine.note(action, Target::Like(pattern)),
            }
        }
        for spec in specs(engine, std::slice::from_ref(path), Spec::of) {
            if let Spec::Wildcard { .. } = spec {
                all_matching(engine, action, &spec, &excluded);
            }
        }
    }
    Ok(())
}

/// What these mean, wherever the command may stand; what is not understood is left away.
fn specs(
    engine: &Engine<'_>,
    texts: &[Text],
    of: impl Fn(&Engine<'_>, &Text, &Path) -> Option<Spec>,
) -> Vec<Spec> {
    // In one of several directories nothing is certain to be left out.
    let [Some(here)] = engine.shell.directories.as_slice() else {
        return Vec::new();
    };
    let here = engine.resolver().beyond_links(here);
    let known = texts.iter().filter_map(|text| of(engine, text, &here));
    known.collect()
}

/// A tree without what is left out of it: where that is something, each protected thing in
/// the tree is looked at.
fn all_but(engine: &mut Engine<'_>, action: Action, tree: PathBuf, but: &[Spec]) {
    let is_kept = |engine: &Engine<'_>, path: &Path| {
        let mut specs = but.iter();
        specs.any(|spec| spec.covers(path, engine.tree))
    };
    let within = engine.protected.beneath(&tree, engine.tree);
    let is_whole = but.is_empty() || within.is_empty();
    if is_whole || engine.protected.rule_of(&tree).is_some() {
        if !is_kept(engine, &tree) {
            engine.note(action, Target::Tree(tree));
        }
        return;
    }
    for path in within {
        if !is_kept(engine, &path) {
            engine.note(action, Target::Tree(path));
        }
    }
}

/// Whatever protected a wildcard of git matches, at any depth.
fn all_matching(engine: &mut Engine<'_>, action: Action, spec: &Spec, but: &[Spec]) {
    for path in engine.everything() {
        let is_kept = but.iter().any(|but| but.covers(&path, engine.tree));
        if spec.covers(&path, engine.tree) && !is_kept {
            engine.note(action, Target::Path(path));
        }
    }
}

/// The top of the work tree that each possible directory lies in.
pub(super) fn top_level(engine: &Engine<'_>) -> Vec<PathBuf> {
    let directories = engine.shell.directories.iter();
    directories
        .map(|directory| match directory {
            Some(directory) => {
                // What was made a work tree on the way is one of its own.
                let has_git = |above: &&Path| {
                    engine.tree.kind(&above.join(".git")).is_some()
                        || engine.shell.filled.contains(*above)
                };
                let directory = engine.resolver().beyond_links(directory);
                let top = directory.ancestors().find(has_git);
                top.unwrap_or(&directory).to_owned()
            }
            None => engine.protected.root().to_owned(),
        })
        .collect()
}
