//! What is protected here: the built-in paths, what is configured, and what the
//! protection itself rests on.
//!
//! An agent that may rewrite the settings of the guard, take its hooks out or
//! replace its binary is not guarded. So those are frozen for everybody, and no
//! configuration relaxes that.

mod real_paths;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fusebox_agents::hook::{HOOKED, Registration};
use fusebox_core::Policy;
use fusebox_guard::{Authority, DEFAULT, Guard, Mode, Protected, Rule, TASK_LISTS};
use fusebox_store::{Homes, Located};

use crate::cli::Global;
use crate::config::{self, Key, Layers, Source};
use crate::failure::Failure;
use crate::session::{self, Session};
use real_paths::RealPaths;

/// The protected paths of a workspace, and why each of them is.
pub(crate) struct Protection {
    pub(crate) protected: Protected,
    /// Why, for each rule in order.
    sources: Vec<Cow<'static, str>>,
}

/// What belongs to fusebox itself, outside any workspace.
pub(crate) struct Own {
    homes: Homes,
    /// The user's configuration, if one is named.
    config: Option<PathBuf>,
}

impl Own {
    pub(crate) fn of(global: &Global) -> Result<Self, Failure> {
        Ok(Self {
            homes: session::homes(global, None)?,
            config: global.config.clone(),
        })
    }

    pub(crate) fn of_session(session: &Session) -> Self {
        Self {
            homes: session.homes.clone(),
            config: session.config.clone(),
        }
    }

    /// What an agent has no business to even look at.
    pub(crate) fn memory(&self) -> [&Path; 2] {
        [&self.homes.state, &self.homes.heads]
    }
}

impl Protection {
    /// What is protected below `root`.
    pub(crate) fn of(root: &Path, own: &Own, layers: &Layers, policy: &Policy) -> Self {
        Self::of_projects(root, &[root], own, layers, policy)
    }

    /// The same, where several directories are projects: one within another has a plan,
    /// specifications and settings of its own.
    fn of_projects(
        root: &Path,
        projects: &[&Path],
        own: &Own,
        layers: &Layers,
        policy: &Policy,
    ) -> Self {
        let mut found = Rules::default();
        for project in projects {
            found.protect_project(project.strip_prefix(root).unwrap_or(project));
        }
        let mut real = RealPaths::default();
        for path in outside(root, own_paths(own), &mut real) {
            found.freeze(&path.to_string_lossy(), "part of fusebox");
        }
        for path in outside(root, home_registrations(root), &mut real) {
            found.freeze(&path.to_string_lossy(), "hooks of an agent");
        }
        for (path, mode, origin) in layers.protected_paths() {
            let authority = match origin.source {
                Source::Managed => Authority::Machine,
                Source::Project => Authority::Repository,
                _ => Authority::Owner,
            };
            found.add(Rule::new(path, mode).by(authority), origin.place.clone());
        }
        let tools = match layers.words(Key::ProtectTools) {
            Some((tools, _)) => tools.to_vec(),
            None => editing_tools(),
        };
        let mut protected = Protected::with_rules(root, found.rules).with_tools(tools);
        if !policy.commands_may_append {
            protected = protected.without_append_by_shell();
        }
        Self {
            protected,
            sources: found.sources,
        }
    }

    /// What is protected in the workspace of a session, with the configuration as
    /// it is now.
    pub(crate) fn of_session(session: &Session, policy: &Policy) -> Self {
        let layers = session.layers.borrow();
        let own = Own::of_session(session);
        let Located { root, project, .. } = &session.located;
        let projects = [root.as_path(), project];
        let projects = if root == project {
            &projects[..1]
        } else {
            &projects
        };
        Self::of_projects(root, projects, &own, &layers, policy)
    }

    /// Judges by it, with the variables of this process, which are those that a command
    /// would start with.
    pub(crate) fn guard(&self) -> Guard {
        judging(self.protected.clone())
    }

    /// The same, where nobody asks for reasons afterwards.
    pub(crate) fn into_guard(self) -> Guard {
        judging(self.protected)
    }

    /// Each rule with why it is there.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&Rule, &str)> {
        let sources = self.sources.iter().map(AsRef::as_ref);
        self.protected.rules().iter().zip(sources)
    }
}

/// Judges by the built-in set alone, where nothing is known but the root.
pub(crate) fn guard(root: &Path) -> Guard {
    judging(Protected::new(root).with_tools(editing_tools()))
}

/// The tools that may update what is protected unless something else is configured.
fn editing_tools() -> Vec<String> {
    let tools = fusebox_agents::hook::editing_tools();
    tools.into_iter().map(str::to_owned).collect()
}

fn judging(protected: Protected) -> Guard {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    Guard::new(protected).with_environment(std::env::vars_os().filter_map(text))
}

/// Where the copies of a session's protected files are.
pub(crate) fn vault(session: &Session) -> PathBuf {
    session.located.workspace_dir().join("kept")
}

#[derive(Default)]
struct Rules {
    rules: Vec<Rule>,
    sources: Vec<Cow<'static, str>>,
}

impl Rules {
    fn add(&mut self, rule: Rule, why: impl Into<Cow<'static, str>>) {
        self.rules.push(rule);
        self.sources.push(why.into());
    }

    /// What every project has that must not be lost.
    fn protect_project(&mut self, project: &Path) {
        let within = |path: &str| project.join(path).to_string_lossy().into_owned();
        for path in DEFAULT {
            self.add(Rule::new(&within(path), Mode::Keep), "built in");
        }
        for path in TASK_LISTS {
            self.add(Rule::new(&within(path), Mode::Stay), "a list of tasks");
        }
        self.freeze(&within("fusebox.toml"), "the configuration of fusebox");
        for path in registrations().flat_map(|one| one.decisive.in_project) {
            self.freeze(&within(path), "hooks of an agent");
        }
    }

    fn freeze(&mut self, path: &str, why: &'static str) {
        self.add(Rule::new(path, Mode::Frozen).by(Authority::Machine), why);
    }
}

/// Memory, configuration and binary.
fn own_paths(own: &Own) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = own.memory().map(Path::to_owned).to_vec();
    paths.extend(own.config.clone().or_else(config::user_file));
    paths.push(config::MANAGED.into());
    paths.extend(std::env::current_exe().ok());
    paths
}

fn registrations() -> impl Iterator<Item = Registration> {
    HOOKED.iter().map(|hooks| hooks.registration())
}

/// Settings in the workspace that decide which hooks an agent calls, as far as there are any.
pub(crate) fn settings_in(located: &Located) -> Vec<PathBuf> {
    let all = registrations().flat_map(|one| one.decisive.in_project);
    let paths = all.flat_map(|path| [located.root.join(path), located.project.join(path)]);
    let mut there: Vec<PathBuf> = paths
        .filter(|path| path.symlink_metadata().is_ok())
        .collect();
    there.sort_unstable();
    there.dedup();
    there
}

/// What decides which hooks are called in every project of this person: below the home, or
/// where a variable of the agent's says.
fn home_registrations(root: &Path) -> Vec<PathBuf> {
    let elsewhere = registrations().filter_map(|one| {
        let (variable, file) = one.variable?;
        Some(PathBuf::from(std::env::var_os(variable)?).join(file))
    });
    let mut paths: Vec<PathBuf> = elsewhere.collect();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    if let Some(home) = home.filter(|home| home.is_absolute() && home != root) {
        let at_home = registrations().flat_map(|one| one.decisive.at_home);
        paths.extend(at_home.map(|path| home.join(path)));
    }
    paths
}

/// Of these paths those that are neither the workspace's own nor hold it, as they really
/// are: whoever writes follows links, so rules are about what is behind them.
fn outside(root: &Path, paths: Vec<PathBuf>, real: &mut RealPaths) -> Vec<PathBuf> {
    let absolute = paths.into_iter().filter(|path| path.is_absolute());
    absolute
        .map(|path| real.of(&path))
        .filter(|path| !root.starts_with(path) && !path.starts_with(root))
        .collect()
}
