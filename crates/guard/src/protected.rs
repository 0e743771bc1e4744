//! Which paths must not be lost, and what may still be done to them.
//!
//! A rule is a path below the root, possibly with wildcards, and covers everything beneath
//! it. Rules apply to names and not to files, so that a path which does not exist yet is
//! protected as well. Of several rules the most specific one counts.

use std::path::{Component, Path, PathBuf};

use crate::glob;
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

/// How many entries below protected directories are looked at, at most.
const MOST_ENTRIES: usize = 4_000;

/// What may still be done to a protected path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing: it is not written, and not created either.
    Frozen,
    /// It may be updated, but not deleted, renamed, emptied or replaced by a command.
    Keep,
    /// Lines may be added, and that is all.
    Append,
}

/// One protected path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    parts: Vec<String>,
    mode: Mode,
}

impl Rule {
    /// A rule for `pattern` below the root. `*`, `?` and `[…]` stay within one name, `**`
    /// stands for any number of directories.
    #[must_use]
    pub fn new(pattern: &str, mode: Mode) -> Self {
        let parts = pattern
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect();
        Self { parts, mode }
    }

    /// What may still be done.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The pattern as it was given, without its slash at the end.
    #[must_use]
    pub fn pattern(&self) -> String {
        self.parts.join("/")
    }

    fn is_literal(&self) -> bool {
        !self.parts.iter().any(|part| glob::is_pattern(part))
    }

    /// How much of a name the rule spells out; wildcards say nothing.
    fn specificity(&self) -> (usize, usize) {
        let plain = self.parts.iter().filter(|part| !glob::is_pattern(part));
        (plain.clone().count(), plain.map(String::len).sum())
    }

    fn covers(&self, names: &[String]) -> bool {
        !self.parts.is_empty() && glob::matches_prefix(&self.parts, names)
    }

    /// Whether something beneath the directory could be covered.
    fn reaches_below(&self, names: &[String]) -> bool {
        let steps = self.parts.iter().zip(names);
        let mut open = false;
        for (part, name) in steps {
            if part == "**" {
                open = true;
                break;
            }
            if !glob::matches(part, name) {
                return false;
            }
        }
        open || self.parts.len() > names.len()
    }
}

/// All protected paths of one workspace.
#[derive(Clone, Debug)]
pub struct Protected {
    root: PathBuf,
    rules: Vec<Rule>,
    shell_may_append: bool,
}

impl Protected {
    /// The default set below `root`, which must be absolute and free of links.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        let mut rules: Vec<_> = DEFAULT
            .iter()
            .map(|path| Rule::new(path, Mode::Keep))
            .collect();
        rules.push(Rule::new("fusebox.toml", Mode::Frozen));
        Self::with_rules(root, rules)
    }

    /// Only these rules.
    #[must_use]
    pub fn with_rules(root: &Path, rules: Vec<Rule>) -> Self {
        Self {
            root: root.to_owned(),
            rules,
            shell_may_append: true,
        }
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
        let names = self.names_below_root(path)?;
        let covering = self.rules.iter().filter(|rule| rule.covers(&names));
        covering.max_by_key(|rule| rule.specificity())
    }

    /// What exists and is protected strictly beneath a directory.
    pub(crate) fn beneath(&self, directory: &Path, tree: &dyn Tree) -> Vec<PathBuf> {
        let names = match self.names_below_root(directory) {
            Some(names) => names,
            None if self.root.starts_with(directory) => Vec::new(),
            None => return Vec::new(),
        };
        let from = if self.root.starts_with(directory) {
            &self.root
        } else {
            directory
        };
        let mut found = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.reaches_below(&names)) {
            if rule.is_literal() {
                let path = self.root.join(rule.parts.join("/"));
                found.extend(tree.kind(&path).map(|_| path));
            } else {
                let mut left = MOST_ENTRIES;
                self.walk(
                    from,
                    tree,
                    &mut left,
                    &mut |path| {
                        let covered = self.names_below_root(path);
                        covered.is_some_and(|names| rule.covers(&names))
                    },
                    &mut found,
                );
            }
        }
        found
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
        let below = path.strip_prefix(&self.root).ok()?;
        let name = |part: Component<'_>| part.as_os_str().to_string_lossy().into_owned();
        Some(below.components().map(name).collect())
    }
}
