//! What is configured for git, in the files that it would read.

use std::path::{Path, PathBuf};

use super::reach::top_level;
use super::syntax::{Setting, settings_in};
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// Files that include each other are followed so far, and so many in all.
const DEEPEST_INCLUDE: usize = 8;
const MOST_FILES: usize = 64;

/// The settings in all files, the least first; whether a condition holds on which one is included
/// is not asked. `None` if one of the files cannot be read.
pub(super) fn settings(engine: &mut Engine<'_>) -> Result<Option<Vec<Setting>>, Stop> {
    let mut found = Found::default();
    for file in files(engine) {
        found.read(engine, &file, 0)?;
    }
    Ok(found.settings())
}

/// Those in one file, and in what it includes.
pub(super) fn settings_of(
    engine: &mut Engine<'_>,
    file: &str,
) -> Result<Option<Vec<Setting>>, Stop> {
    let file = from_home(engine, file);
    let mut found = Found::default();
    found.read(engine, &file, 0)?;
    Ok(found.settings())
}

/// Whether a setting names a file with more of them.
pub(super) fn is_include(name: &str) -> bool {
    name == "include.path" || (name.starts_with("includeif.") && name.ends_with(".path"))
}

#[derive(Default)]
struct Found {
    settings: Vec<Setting>,
    files: usize,
    is_unread: bool,
}

impl Found {
    fn settings(self) -> Option<Vec<Setting>> {
        (!self.is_unread).then_some(self.settings)
    }

    fn read(&mut self, engine: &mut Engine<'_>, file: &Path, depth: usize) -> Result<(), Stop> {
        let real = engine.resolver().beyond_links(file);
        if engine.tree.kind(&real).is_none() && !engine.shell.files.contains_key(&real) {
            return Ok(());
        }
        self.files += 1;
        if depth > DEEPEST_INCLUDE || self.files > MOST_FILES {
            self.is_unread = true;
            return Ok(());
        }
        let content = match engine.shell.files.get(&real) {
            Some(written) => written.clone(),
            None => engine.tree.read(&real).map_or(Data::Unknown, Data::Known),
        };
        engine.spend()?;
        let Some(text) = content.text() else {
            self.is_unread = true;
            return Ok(());
        };
        for (name, value) in settings_in(text) {
            if is_include(&name) {
                let beside = file.parent().unwrap_or(file);
                let included = beside.join(from_home(engine, &value));
                self.read(engine, &included, depth + 1)?;
            }
            self.settings.push((name, value));
        }
        Ok(())
    }
}

fn from_home(engine: &Engine<'_>, file: &str) -> PathBuf {
    let home = engine.shell.known("HOME");
    match (file.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => Path::new(&home).join(below),
        _ => PathBuf::from(file),
    }
}

/// The machine's, the person's, the repository's and the work tree's.
fn files(engine: &Engine<'_>) -> Vec<PathBuf> {
    let known = |name: &str| engine.shell.known(name).filter(|value| !value.is_empty());
    let system = known("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".to_owned());
    let mut files = vec![PathBuf::from(system)];
    match known("GIT_CONFIG_GLOBAL") {
        Some(named) => files.push(named.into()),
        None => {
            let home = known("HOME").map(PathBuf::from);
            let config = known("XDG_CONFIG_HOME").map(PathBuf::from);
            let config = config.or_else(|| Some(home.as_ref()?.join(".config")));
            files.extend(config.map(|config| config.join("git/config")));
            files.extend(home.map(|home| home.join(".gitconfig")));
        }
    }
    let tops = top_level(engine).into_iter().map(|top| top.join(".git"));
    let named = known("GIT_DIR").map(PathBuf::from);
    for git in tops.chain(named) {
        let git = own_directory(engine, git);
        let shared = named_in(engine, &git.join("commondir"), "");
        let shared = shared.map_or_else(|| git.clone(), |shared| git.join(shared));
        files.push(shared.join("config"));
        files.push(git.join("config.worktree"));
    }
    files
}

/// A linked work tree and a submodule have a file that says where it is.
fn own_directory(engine: &Engine<'_>, git: PathBuf) -> PathBuf {
    match named_in(engine, &git, "gitdir: ") {
        Some(named) => git.parent().unwrap_or(&git).join(named),
        None => git,
    }
}

fn named_in(engine: &Engine<'_>, file: &Path, behind: &str) -> Option<String> {
    let text = engine.tree.read(file)?;
    let named = text.lines().next()?.strip_prefix(behind)?;
    Some(named.trim_end().to_owned())
}

/// What `GIT_CONFIG_COUNT` and the variables that it announces set; `None` if that is not known.
pub(super) fn settings_of_variables(engine: &Engine<'_>) -> Option<Vec<Text>> {
    let Some(count) = engine.shell.get("GIT_CONFIG_COUNT") else {
        return Some(Vec::new());
    };
    let count: usize = count.first().known()?.trim().parse().unwrap_or(0);
    if count > MOST_FILES {
        return None;
    }
    let variable = |name: String| Some(engine.shell.get(&name)?.first());
    let setting = |number| {
        let mut setting = variable(format!("GIT_CONFIG_KEY_{number}"))?;
        setting.append(&Text::fixed("="));
        setting.append(&variable(format!("GIT_CONFIG_VALUE_{number}"))?);
        Some(setting)
    };
    // Git gives up where one is missing.
    Some((0..count).map_while(setting).collect())
}
