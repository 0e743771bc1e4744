//! One protected path: what may still be done to it, and on whose word.

use std::path::{Path, PathBuf};

use crate::glob;

/// What may still be done to a protected path, the most lenient first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Anything may write it, programs of its own included, but it is not deleted, renamed or
    /// emptied.
    Stay,
    /// It may be updated, but not deleted, renamed, emptied or replaced by a command.
    Keep,
    /// Lines may be added, and that is all.
    Append,
    /// Nothing: it is not written, and not created either.
    Frozen,
}

impl Mode {
    /// All of them, the most lenient first.
    pub const ALL: [Self; 4] = [Self::Stay, Self::Keep, Self::Append, Self::Frozen];

    /// The word that names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stay => "stay",
            Self::Keep => "keep",
            Self::Append => "append",
            Self::Frozen => "frozen",
        }
    }

    /// What may be done to a path that is protected in this way, in one sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Keep => "It may be updated in place, never deleted, emptied or moved.",
            Self::Append => "Lines may be added at its end; nothing else may be done to it.",
            Self::Stay => "It may be rewritten, never deleted, emptied or moved.",
            Self::Frozen => "Only a person may change it.",
        }
    }
}

/// On whose word a rule stands. Nobody relaxes what another one asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// The guard itself, or whoever runs the machine.
    Machine,
    /// Whoever the workspace belongs to.
    Owner,
    /// Whoever wrote the repository, perhaps the agent.
    Repository,
}

/// One protected path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    parts: Vec<String>,
    is_absolute: bool,
    mode: Mode,
    authority: Authority,
}

impl Rule {
    /// An owner's rule for `pattern`, below the root unless it begins with a slash. `*`, `?`
    /// and `[…]` stay within one name, `**` stands for any number of directories.
    #[must_use]
    pub fn new(pattern: &str, mode: Mode) -> Self {
        let parts = pattern
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect();
        Self {
            parts,
            is_absolute: pattern.starts_with('/'),
            mode,
            authority: Authority::Owner,
        }
    }

    /// The same rule on somebody else's word.
    #[must_use]
    pub fn by(mut self, authority: Authority) -> Self {
        self.authority = authority;
        self
    }

    /// On whose word it stands.
    #[must_use]
    pub fn authority(&self) -> Authority {
        self.authority
    }

    /// What may still be done.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The pattern as it was given, without its slash at the end.
    #[must_use]
    pub fn pattern(&self) -> String {
        let slash = if self.is_absolute { "/" } else { "" };
        format!("{slash}{}", self.parts.join("/"))
    }

    /// Whether it is about the machine and not about the workspace.
    #[must_use]
    pub fn is_absolute(&self) -> bool {
        self.is_absolute
    }

    /// The one path that it is about, if it has no wildcards.
    #[must_use]
    pub fn path(&self, root: &Path) -> Option<PathBuf> {
        self.is_literal().then(|| root.join(self.pattern()))
    }

    fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| is_plain(part))
    }

    /// How much of a name the rule spells out; wildcards say nothing.
    pub(crate) fn specificity(&self) -> (usize, usize) {
        let plain = self.parts.iter().filter(|part| is_plain(part));
        (plain.clone().count(), plain.map(String::len).sum())
    }

    pub(crate) fn covers(&self, names: &[String]) -> bool {
        !self.parts.is_empty() && glob::matches_prefix(&self.parts, names)
    }

    /// Whether something beneath the directory could be covered.
    pub(crate) fn reaches_below(&self, names: &[String]) -> bool {
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

/// Whether a part means the one name that it spells; a backslash spells another.
fn is_plain(part: &str) -> bool {
    !glob::is_pattern(part) && !part.contains('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_path_of_a_rule_is_the_one_it_covers() {
        let root = Path::new("/w");
        let path = |pattern| Rule::new(pattern, Mode::Keep).path(root);
        assert_eq!(path("./a//b/"), Some("/w/a/b".into()));
        assert_eq!(path("/etc/x"), Some("/etc/x".into()));
        // It covers `as`, and not what it looks like.
        let escaped = Rule::new("a\\s", Mode::Keep);
        assert_eq!(escaped.path(root), None);
        assert!(escaped.covers(&["as".to_owned()]));
        assert_eq!(path("a*"), None);
    }
}
