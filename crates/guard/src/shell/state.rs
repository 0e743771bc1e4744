//! What a shell remembers, as far as it can be known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use brush_parser::ast::FunctionBody;

use crate::text::{Data, Text};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Scalar(Text),
    Array(Vec<Text>),
    /// Another name for a variable (`declare -n`).
    Reference(String),
}

impl Variable {
    pub(crate) fn first(&self) -> Text {
        match self {
            Self::Scalar(text) => text.clone(),
            Self::Array(texts) => texts.first().cloned().unwrap_or_default(),
            Self::Reference(_) => Text::unknown(),
        }
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Scalar(text) if text.known().is_some_and(|text| text.is_empty()))
    }
}

/// A shell and what it has done to files so far.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    /// Where it may be; `None` is somewhere unknown.
    pub(crate) directories: Vec<Option<PathBuf>>,
    /// Where it is instead if the last `cd` failed.
    stayed: Vec<Option<PathBuf>>,
    pub(crate) previous: Vec<Option<PathBuf>>,
    pub(crate) variables: BTreeMap<String, Variable>,
    /// Variables that only some of the ways here have set.
    pub(crate) may_be_unset: BTreeSet<String>,
    pub(crate) functions: BTreeMap<String, FunctionBody>,
    pub(crate) arguments: Vec<Text>,
    pub(crate) name: Text,
    /// What was written to files on the way, for those who read them again.
    pub(crate) files: BTreeMap<PathBuf, Data>,
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    pub(crate) made: BTreeSet<PathBuf>,
    /// Aliases of git that were configured on the way.
    pub(crate) git_aliases: BTreeMap<String, String>,
    /// How many process substitutions there were.
    pub(crate) pipes: usize,
}

impl Shell {
    pub(crate) fn new(directory: &Path, environment: &BTreeMap<String, String>) -> Self {
        let variables = environment
            .iter()
            .map(|(name, value)| (name.clone(), Variable::Scalar(Text::fixed(value.as_str()))))
            .collect();
        Self {
            directories: vec![Some(directory.to_owned())],
            stayed: Vec::new(),
            previous: vec![None],
            variables,
            may_be_unset: BTreeSet::new(),
            functions: BTreeMap::new(),
            arguments: Vec::new(),
            name: Text::fixed("bash"),
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            made: BTreeSet::new(),
            git_aliases: BTreeMap::new(),
            pipes: 0,
        }
    }

    /// Goes to one of these directories; if that may fail, it may also have stayed.
    pub(crate) fn go(&mut self, directories: Vec<Option<PathBuf>>, may_fail: bool) {
        let left = std::mem::replace(&mut self.directories, directories);
        if may_fail {
            self.stayed.extend(left.iter().cloned());
        }
        self.previous = left;
    }

    /// A command that does not depend on the last one: a `cd` that failed counts from here.
    pub(crate) fn settle(&mut self) {
        for stayed in std::mem::take(&mut self.stayed) {
            if !self.directories.contains(&stayed) {
                self.directories.push(stayed);
            }
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: Variable) {
        let target = match self.variables.get(name) {
            Some(Variable::Reference(other)) => other.clone(),
            _ => name.to_owned(),
        };
        self.may_be_unset.remove(&target);
        self.variables.insert(target, value);
    }

    pub(crate) fn set_text(&mut self, name: &str, text: Text) {
        self.set(name, Variable::Scalar(text));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Variable> {
        match self.variables.get(name) {
            Some(Variable::Reference(other)) => self.variables.get(other),
            found => found,
        }
    }

    pub(crate) fn known(&self, name: &str) -> Option<String> {
        self.get(name).and_then(|value| value.first().known())
    }

    /// What splits words; unset is blank, tab and newline.
    pub(crate) fn separators(&self) -> String {
        self.known("IFS").unwrap_or_else(|| " \t\n".to_owned())
    }

    /// A shell that has ended leaves its files behind and nothing else.
    pub(crate) fn keep_files_of(&mut self, ended: Self) {
        self.files = ended.files;
        self.links = ended.links;
        self.made = ended.made;
        self.git_aliases = ended.git_aliases;
        self.pipes = ended.pipes;
    }

    /// Either this shell or the other: what differs could be both.
    pub(crate) fn or(mut self, other: Self) -> Self {
        for directory in other.directories {
            if !self.directories.contains(&directory) {
                self.directories.push(directory);
            }
        }
        self.stayed.extend(other.stayed);
        self.join_variables(other.variables, other.may_be_unset);
        self.functions.extend(other.functions);
        for (path, theirs) in other.files {
            let ours = self.files.entry(path).or_insert_with(|| theirs.clone());
            if *ours != theirs {
                *ours = Data::Unknown;
            }
        }
        self.links.extend(other.links);
        self.made.extend(other.made);
        self.git_aliases.extend(other.git_aliases);
        self.pipes = self.pipes.max(other.pipes);
        self
    }

    /// Each variable may be as it is here, or as it is there. One that only one of the two
    /// has set, to something or to nothing, is most likely set: scripts give defaults so.
    fn join_variables(
        &mut self,
        theirs: BTreeMap<String, Variable>,
        may_be_unset: BTreeSet<String>,
    ) {
        let only_here = self
            .variables
            .keys()
            .filter(|name| !theirs.contains_key(*name));
        let only_here: Vec<String> = only_here.cloned().collect();
        self.may_be_unset
            .extend(may_be_unset.into_iter().chain(only_here));
        for (name, theirs) in theirs {
            let both = match self.variables.get(&name) {
                Some(ours) if *ours == theirs => continue,
                Some(ours) if !theirs.is_nothing() && !ours.is_nothing() => {
                    Variable::Scalar(ours.first().or(&theirs.first()))
                }
                Some(ours) if theirs.is_nothing() => {
                    let ours = ours.clone();
                    self.may_be_unset.insert(name.clone());
                    ours
                }
                _ => {
                    self.may_be_unset.insert(name.clone());
                    theirs
                }
            };
            self.variables.insert(name, both);
        }
    }

    /// Whether commands would find the same values and the same directories.
    pub(crate) fn stands_as(&self, other: &Self) -> bool {
        self.variables == other.variables && self.directories == other.directories
    }

    /// A way here on which the last commands did not run: what they have set may be as it was.
    pub(crate) fn or_variables_of(&mut self, skipped: Self) {
        self.join_variables(skipped.variables, skipped.may_be_unset);
    }
}
