//! From effects to a verdict: the checklist before anything destructive.
//!
//! First everything that would be affected is listed, then each of it is checked against
//! the protected set. One protected thing that would be lost denies the command.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::effect::{Action, Effect, Pattern, Target};
use crate::glob;
use crate::protected::Protected;
use crate::rule::{Mode, Rule};
use crate::stop::Stop;
use crate::tree::Tree;

/// More findings than these are not told one by one.
const MOST_FINDINGS: usize = 64;

/// Whether it may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// Something protected that would be affected in a way that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What would happen.
    pub action: Action,
    /// To which path.
    pub path: PathBuf,
    /// Which rule protects it.
    pub rule: Rule,
    /// By which command.
    pub by: String,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may be done.
    pub decision: Decision,
    /// Everything that would be affected, as far as it can be told.
    pub affected: Vec<Effect>,
    /// What of it is protected and would be lost.
    pub protected: Vec<Finding>,
    /// Why, in one sentence.
    pub why: String,
    /// What could be done instead; the guard itself would allow it.
    pub alternative: Option<String>,
    /// Why there was no analysis, if there was none.
    pub stopped: Option<Stop>,
}

impl Verdict {
    /// Denies for want of an analysis.
    pub(crate) fn without_analysis(stop: Stop) -> Self {
        Self {
            decision: Decision::Deny,
            affected: Vec::new(),
            protected: Vec::new(),
            why: format!("{stop}; commands that cannot be analyzed are blocked"),
            alternative: None,
            stopped: Some(stop),
        }
    }

    pub(crate) fn of(affected: Vec<Effect>, protected: Vec<Finding>, root: &Path) -> Self {
        let decision = if protected.is_empty() {
            Decision::Allow
        } else {
            Decision::Deny
        };
        let why = match protected.first() {
            None if affected.is_empty() => "no files affected".to_owned(),
            None => "no protected files affected".to_owned(),
            Some(first) => {
                let path = first.path.strip_prefix(root).unwrap_or(&first.path);
                let (others, are) = match protected.len() - 1 {
                    0 => (String::new(), "is"),
                    count => (format!(" and {count} more"), "are"),
                };
                let (by, action) = (&first.by, first.action);
                format!(
                    "`{by}` would {action} {}{others}, which {are} protected",
                    path.display()
                )
            }
        };
        Self {
            decision,
            affected,
            protected,
            why,
            alternative: None,
            stopped: None,
        }
    }
}

/// Who does it. A tool that edits files may update them; a command may not replace them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    Shell,
    Tool,
}

/// Checks every effect against the protected set.
pub(crate) fn findings(
    effects: &[Effect],
    protected: &Protected,
    tree: &dyn Tree,
    route: Route,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let files = Files {
        protected,
        tree,
        everything: OnceCell::new(),
    };
    for effect in effects {
        for path in files.reached(effect) {
            let Some(rule) = protected.rule_of(&path) else {
                continue;
            };
            let presence = files.presence_of(&path, effect.is_guess);
            if is_allowed(effect.action, rule.mode(), presence, route, protected) {
                continue;
            }
            let finding = Finding {
                action: effect.action,
                path,
                rule: rule.clone(),
                by: effect.by.clone(),
            };
            if !found.contains(&finding) && found.len() < MOST_FINDINGS {
                found.push(finding);
            }
        }
    }
    found
}

/// Whether something is at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    There,
    /// Nothing is, but another path may be meant, or something be made there meanwhile.
    Perhaps,
    Absent,
}

fn is_allowed(
    action: Action,
    mode: Mode,
    presence: Presence,
    route: Route,
    protected: &Protected,
) -> bool {
    let exists = presence == Presence::There;
    match (mode, action) {
        (Mode::Frozen, _) => false,
        (Mode::Append, Action::Edit) => !exists,
        (Mode::Stay | Mode::Keep, Action::Edit) => true,
        (Mode::Stay, Action::Overwrite | Action::Append) => true,
        (_, Action::ChangeMode) => true,
        // What is not there cannot be lost.
        (_, Action::Delete | Action::Rename | Action::Truncate) => presence == Presence::Absent,
        // Whoever writes what is not there yet takes nothing away.
        (_, Action::Overwrite | Action::Unknown) => !exists,
        (_, Action::Append) => route == Route::Tool || protected.shell_may_append(),
    }
}

/// The protected files, listed once and only if somebody asks.
struct Files<'a> {
    protected: &'a Protected,
    tree: &'a dyn Tree,
    everything: OnceCell<Vec<PathBuf>>,
}

impl Files<'_> {
    fn everything(&self) -> &[PathBuf] {
        self.everything
            .get_or_init(|| self.protected.everything(self.tree))
    }

    fn presence_of(&self, path: &Path, is_guess: bool) -> Presence {
        if self.tree.kind(path).is_some() {
            return Presence::There;
        }
        // What a rule is about may be made at any time; only what would lie in it is absent.
        let is_within = path
            .parent()
            .is_some_and(|above| self.protected.rule_of(above).is_some());
        match is_within && !is_guess && !self.may_name_others(path) {
            true => Presence::Absent,
            false => Presence::Perhaps,
        }
    }

    /// What the shell leaves alone, a program may take for a wildcard of its own.
    fn may_name_others(&self, path: &Path) -> bool {
        let wildcard = path.to_string_lossy().to_lowercase();
        let fits = |other: &PathBuf| {
            let other = other.to_string_lossy().to_lowercase();
            glob::matches(&wildcard, &other)
        };
        let is_pattern = glob::is_pattern(&wildcard);
        wildcard.contains('{') || is_pattern && self.everything().iter().any(fits)
    }

    /// The protected paths that an effect reaches.
    fn reached(&self, effect: &Effect) -> Vec<PathBuf> {
        match &effect.target {
            // Taking one of its names away leaves a file as it is.
            Target::Path(path) if matches!(effect.action, Action::Delete | Action::Rename) => {
                vec![path.clone()]
            }
            Target::Path(path) => self.names_of(path),
            Target::Tree(path) => {
                let mut paths = vec![path.clone()];
                paths.extend(self.protected.beneath(path, self.tree));
                paths
            }
            Target::Like(pattern) => self.fitting(effect.action, pattern),
        }
    }

    /// Everything that fits, or that lies beneath something that fits and is lost with it.
    fn fitting(&self, action: Action, pattern: &Pattern) -> Vec<PathBuf> {
        let takes_all_beneath = matches!(action, Action::Delete | Action::Rename | Action::Unknown);
        let root = self.protected.root();
        let could_be = |path: &Path| pattern.could_be(&path.to_string_lossy());
        let above = |path: &Path| {
            let ancestors = path.ancestors().skip(1);
            let mut within = ancestors.take_while(|above| above.starts_with(root));
            takes_all_beneath && within.any(could_be)
        };
        let everything = self.everything().iter();
        everything
            .filter(|path| could_be(path) || above(path))
            .cloned()
            .collect()
    }

    /// The path and the protected names of the same file: a write through a hard link is a
    /// write to them.
    fn names_of(&self, path: &Path) -> Vec<PathBuf> {
        let mut names = vec![path.to_owned()];
        if let Some(identity) = self.tree.identity(path) {
            let others = self.everything().iter();
            let same =
                |other: &&PathBuf| *other != path && self.tree.identity(other) == Some(identity);
            names.extend(others.filter(same).cloned());
        }
        names
    }
}
