//! Which paths must not be lost, and what may still be done to them.
//!
//! A rule is a path, possibly with wildcards, and covers everything beneath it. Most are
//! below the root; an absolute one is about the machine, such as the guard's own settings.
//! Rules apply to names and not to files, so that a path which does not exist yet is
//! protected as well. Of several rules by the same authority the most specific one counts,
//! and of what several authorities say the strictest.

use std::path::{Component, Path, PathBuf};

use crate::glob;
use crate::rule::{Authority, Mode, Rule};
use crate::tree::{Kind, Tree};

/// The paths that are kept unless something else is configured.
pub const DEFAULT: [&str; 8] = [
    ".ralph/",
    ".ralphrc",
    "IMPLEMENTATION_PLAN.md",
    "AGENTS.md",
    "specs/",
    ".claude/",
    "CLAUDE.md",
    "memory/",
];

/// Lists of tasks, by the names that loops know them by. Whose they are has programs that rewrite
/// them, so all that is asked is that they stay.
pub const TASK_LISTS: [&str; 10] = [
    "prd.json",
    ".agents/tasks/prd.json",
    "scripts/ralph/prd.json",
    "feature_list.json",
    "plan/feature_list.json",
    ".cub/tasks.jsonl",
    ".taskmaster/tasks/tasks.json",
    "tasks/tasks.json",
    "fix_plan.md",
    "@fix_plan.md",
];

/// How many entries below protected directories are looked at, at most.
const MOST_ENTRIES: usize = 4_000;

/// All protected paths of one workspace.
#[derive(Clone, Debug)]
pub struct Protected {
    root: PathBuf,
    rules: Vec<Rule>,
    tools: Vec<String>,
    shell_may_append: bool,
}

impl Protected {
    /// The default set below `root`, which must be absolute and free of links.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        let kept = DEFAULT.iter().map(|path| Rule::new(path, Mode::Keep));
        let lists = TASK_LISTS.iter().map(|path| Rule::new(path, Mode::Stay));
        let mut rules: Vec<_> = kept.chain(lists).collect();
        rules.push(Rule::new("fusebox.toml", Mode::Frozen).by(Authority::Machine));
        Self::with_rules(root, rules)
    }

    /// Only these rules.
    #[must_use]
    pub fn with_rules(root: &Path, rules: Vec<Rule>) -> Self {
        Self {
            root: root.to_owned(),
            rules,
            tools: Vec::new(),
            shell_may_append: true,
        }
    }

    /// With the tools that may update what is protected; without, there are none. A name may have
    /// wildcards.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<String>) -> Self {
        self.tools = tools;
        self
    }

    /// The tools that may update what is protected; whatever else writes may only add.
    #[must_use]
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    pub(crate) fn may_update(&self, tool: &str) -> bool {
        self.tools.iter().any(|known| glob::matches(known, tool))
    }

    /// Adds a rule; it wins over an earlier one that is as specific.
    #[must_use]
    pub fn and(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Also denies that commands add lines with `>>`.
    #[must_use]
    pub fn without_append_by_shell(mut self) -> Self {
        self.shell_may_append = false;
        self
    }

    /// The directory that the rules are about.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The rules, in the order in which they were given.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(crate) fn shell_may_append(&self) -> bool {
        self.shell_may_append
    }

    /// The rule that covers the path, which must be absolute and resolved.
    #[must_use]
    pub fn rule_of(&self, path: &Path) -> Option<&Rule> {
        let below_root = self.names_below_root(path);
        let in_full = self.has_absolute_rules().then(|| names_of(path));
        let covers = |rule: &&Rule| {
            let names = if rule.is_absolute() {
                &in_full
            } else {
                &below_root
            };
            names.as_ref().is_some_and(|names| rule.covers(names))
        };
        let most_specific = |authority: Authority| {
            let theirs = self
                .rules
                .iter()
                .filter(|rule| rule.authority() == authority);
            theirs.filter(covers).max_by_key(|rule| rule.specificity())
        };
        [Authority::Repository, Authority::Owner, Authority::Machine]
            .into_iter()
            .filter_map(most_specific)
            .max_by_key(|rule| rule.mode())
    }

    fn has_absolute_rules(&self) -> bool {
        self.rules.iter().any(|rule| rule.is_absolute())
    }

    /// What exists and is protected strictly beneath a directory.
    pub(crate) fn beneath(&self, directory: &Path, tree: &dyn Tree) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for rule in &self.rules {
            if let Some(path) = rule.path(&self.root) {
                if path.starts_with(directory) && path != directory {
                    found.extend(tree.kind(&path).map(|_| path));
                }
            } else if !rule.is_absolute() {
                self.fitting_beneath(directory, rule, tree, &mut found);
            }
        }
        found
    }

    /// What a rule with wildcards covers beneath a directory.
    fn fitting_beneath(
        &self,
        directory: &Path,
        rule: &Rule,
        tree: &dyn Tree,
        found: &mut Vec<PathBuf>,
    ) {
        let from = if self.root.starts_with(directory) {
            &self.root
        } else {
            directory
        };
        let Some(names) = self.names_below_root(from) else {
            return;
        };
        if rule.reaches_below(&names) {
            let mut covered = |path: &Path| {
                let names = self.names_below_root(path);
                names.is_some_and(|names| rule.covers(&names))
            };
            let mut left = MOST_ENTRIES;
            self.walk(from, tree, &mut left, &mut covered, found);
        }
    }

    /// Every existing protected path with all that lies beneath it, as far as the bound goes.
    pub(crate) fn everything(&self, tree: &dyn Tree) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut left = MOST_ENTRIES;
        for path in self.beneath(&self.root, tree) {
            if tree.kind(&path) == Some(Kind::Directory) {
                self.walk(&path, tree, &mut left, &mut |_| true, &mut found);
            }
            found.push(path);
        }
        found.sort();
        found.dedup();
        found
    }

    fn walk(
        &self,
        directory: &Path,
        tree: &dyn Tree,
        left: &mut usize,
        wanted: &mut dyn FnMut(&Path) -> bool,
        found: &mut Vec<PathBuf>,
    ) {
        let mut pending = vec![directory.to_owned()];
        while let Some(directory) = pending.pop() {
            for name in tree.list(&directory) {
                if *left == 0 {
                    return;
                }
                *left -= 1;
                let path = directory.join(name);
                if wanted(&path) {
                    found.push(path.clone());
                }
                if tree.kind(&path) == Some(Kind::Directory) && !path.ends_with(".git") {
                    pending.push(path);
                }
            }
        }
    }

    fn names_below_root(&self, path: &Path) -> Option<Vec<String>> {
        path.strip_prefix(&self.root).ok().map(names_of)
    }
}

/// The names that a path is made of, without the root of the file system.
pub(crate) fn names_of(path: &Path) -> Vec<String> {
    let name = |part: Component<'_>| match part {
        Component::RootDir => None,
        other => Some(other.as_os_str().to_string_lossy().into_owned()),
    };
    path.components().filter_map(name).collect()
}
