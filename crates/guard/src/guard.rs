//! The guard: a protected set, the files, and the limits of an analysis.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use crate::alternative;
use crate::effect::{Action, Effect, Target};
use crate::patch::{self, Deed};
use crate::paths::Resolver;
use crate::protected::Protected;
use crate::shell::{Engine, Shell};
use crate::stop::{Limits, Stop};
use crate::tree::{Disk, Seen, Tree};
use crate::verdict::{Decision, Route, Verdict, findings};

/// Enough for a parser that recurses as deep as the limits let it: 32 MiB.
const STACK: usize = 0x0200_0000;

/// What a tool that writes files would do to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// Change or replace what it holds: `Edit`, `Write`, a notebook cell, an update by patch.
    Update,
    /// Remove it.
    Delete,
    /// Move it away.
    Rename,
    /// Something that the name of the tool does not tell.
    Unknown,
}

/// Judges what would be done, before it is done.
#[derive(Clone)]
pub struct Guard {
    protected: Arc<Protected>,
    tree: Arc<dyn Tree + Send + Sync>,
    environment: Arc<BTreeMap<String, String>>,
    limits: Limits,
}

impl Guard {
    /// A guard over the real files.
    #[must_use]
    pub fn new(protected: Protected) -> Self {
        Self {
            protected: Arc::new(protected),
            tree: Arc::new(Disk),
            environment: Arc::new(BTreeMap::new()),
            limits: Limits::default(),
        }
    }

    /// The same over other files.
    #[must_use]
    pub fn with_tree(mut self, tree: impl Tree + Send + Sync + 'static) -> Self {
        self.tree = Arc::new(tree);
        self
    }

    /// With the variables that commands start with.
    #[must_use]
    pub fn with_environment(
        mut self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        self.environment = Arc::new(variables.into_iter().collect());
        self
    }

    /// With other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What is protected.
    #[must_use]
    pub fn protected(&self) -> &Protected {
        &self.protected
    }

    /// Judges a shell command that would run in `directory`.
    ///
    /// An ordinary one is followed at once. One that is long or nested gets a thread of its
    /// own, whose stack is as large as the parser may need, and the caller an answer in time
    /// even if that thread gives none.
    #[must_use]
    pub fn judge_command(&self, command: &[u8], directory: &Path) -> Verdict {
        let Ok(command) = str::from_utf8(command) else {
            return Verdict::without_analysis(Stop::NotText);
        };
        match self.analyse(command, directory, &self.limits.of_an_ordinary_command()) {
            Ok(verdict) => verdict,
            Err(Stop::TooLong(..) | Stop::TooDeep) => self.judge_apart(command, directory),
            Err(stop) => Verdict::without_analysis(stop),
        }
    }

    fn judge_apart(&self, command: &str, directory: &Path) -> Verdict {
        let (sender, receiver) = mpsc::channel();
        let (guard, command) = (self.clone(), command.to_owned());
        let directory = directory.to_owned();
        let analysis = move || {
            let verdict = guard.analyse(&command, &directory, &guard.limits);
            // The caller may have gone on without it.
            drop(sender.send(verdict));
        };
        let started = thread::Builder::new().stack_size(STACK).spawn(analysis);
        if started.is_err() {
            return Verdict::without_analysis(Stop::Failed);
        }
        let stop = match receiver.recv_timeout(self.limits.wall) {
            Ok(Ok(verdict)) => return verdict,
            Ok(Err(stop)) => stop,
            Err(mpsc::RecvTimeoutError::Timeout) => Stop::TooSlow,
            Err(mpsc::RecvTimeoutError::Disconnected) => Stop::Failed,
        };
        Verdict::without_analysis(stop)
    }

    fn analyse(&self, command: &str, directory: &Path, limits: &Limits) -> Result<Verdict, Stop> {
        let effects = |command: &str| self.effects(command, directory, limits);
        let mut verdict = self.verdict(effects(command)?, Route::Shell);
        if verdict.decision == Decision::Deny {
            let allows = |other: &String| {
                effects(other).is_ok_and(|effects| {
                    self.verdict(effects, Route::Shell).decision == Decision::Allow
                })
            };
            let root = self.protected.root();
            let candidates = alternative::candidates(&verdict, root);
            verdict.alternative = candidates.into_iter().find(allows);
        }
        Ok(verdict)
    }

    fn effects(
        &self,
        command: &str,
        directory: &Path,
        limits: &Limits,
    ) -> Result<Vec<Effect>, Stop> {
        let tree = Seen::new(&*self.tree);
        let mut engine = Engine::new(&self.protected, &tree, directory, &self.environment, limits);
        engine.source(command)?;
        engine.end()?;
        // What happens on several ways, or in several turns, is told once.
        let mut told = HashSet::new();
        let mut effects = engine.effects;
        effects.retain(|effect| told.insert((effect.action, effect.target.clone())));
        Ok(effects)
    }

    fn verdict(&self, effects: Vec<Effect>, route: Route) -> Verdict {
        let found = findings(&effects, &self.protected, &*self.tree, route);
        Verdict::of(effects, found, self.protected.root())
    }

    /// Judges what a tool called `tool` would do to a file. A relative path is taken from
    /// `directory`; links are followed, because that is where the tool would write. A tool
    /// that is not among those that may update is no better than a command.
    #[must_use]
    pub fn judge_write(&self, tool: &str, path: &Path, directory: &Path, write: Write) -> Verdict {
        let shell = Shell::new(directory, &BTreeMap::new());
        let resolver = Resolver {
            tree: &*self.tree,
            root: self.protected.root(),
            shell: &shell,
        };
        let path = directory.join(path);
        let (route, update) = if self.protected.may_update(tool) {
            (Route::Tool, Action::Edit)
        } else {
            (Route::Shell, Action::Overwrite)
        };
        let (action, target) = match write {
            Write::Update => (update, Target::Path(resolver.beyond_links(&path))),
            Write::Delete => (Action::Delete, Target::Tree(resolver.up_to_link(&path))),
            Write::Rename => (Action::Rename, Target::Tree(resolver.up_to_link(&path))),
            Write::Unknown => (Action::Unknown, Target::Path(resolver.beyond_links(&path))),
        };
        let by = tool.to_owned();
        let effect = Effect {
            action,
            target,
            by,
            is_guess: false,
        };
        self.verdict(vec![effect], route)
    }

    /// Judges a patch in the format of `apply_patch`: every file that it names.
    #[must_use]
    pub fn judge_patch(&self, patch: &str, directory: &Path) -> Verdict {
        let mut effects = Vec::new();
        let mut found = Vec::new();
        for (name, deed) in patch::deeds(patch) {
            let write = match deed {
                Deed::Write => Write::Update,
                Deed::Delete => Write::Delete,
                Deed::Rename => Write::Rename,
            };
            let verdict = self.judge_write("apply_patch", Path::new(name), directory, write);
            effects.extend(verdict.affected);
            found.extend(verdict.protected);
        }
        Verdict::of(effects, found, self.protected.root())
    }
}
