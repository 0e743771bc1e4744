//! What a shell remembers, as far as it can be known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use brush_parser::ast::FunctionBody;

use super::Within;
use crate::text::{Data, Text};

/// Where a shell may be at once, at most.
const MOST_DIRECTORIES: usize = 64;

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

    fn or(&self, other: Self) -> Self {
        match (self, other) {
            (Self::Array(ours), Self::Array(theirs)) => Self::Array(either_list(ours, &theirs)),
            (Self::Array(list), other) => Self::Array(either_list(list, &[other.first()])),
            (one, Self::Array(list)) => Self::Array(either_list(&list, &[one.first()])),
            (one, other) => Self::Scalar(one.first().or(&other.first())),
        }
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
    /// Where `pushd` was called, the last one last.
    pub(crate) pushed: Vec<Vec<Option<PathBuf>>>,
    pub(crate) variables: BTreeMap<String, Variable>,
    /// Variables that only some of the ways here have set.
    pub(crate) may_be_unset: BTreeSet<String>,
    /// Variables that programs find in their environment.
    pub(super) exported: BTreeSet<String>,
    /// Variables that `read` has filled.
    pub(crate) read: BTreeSet<String>,
    /// What a function may be; `None` where it may not be one.
    pub(crate) functions: BTreeMap<String, Vec<Option<Rc<FunctionBody>>>>,
    /// The files that functions were defined in.
    pub(super) defined_in: BTreeMap<String, Text>,
    pub(crate) arguments: Vec<Text>,
    pub(crate) name: Text,
    /// What was written to files on the way, for those who read them again.
    pub(crate) files: BTreeMap<PathBuf, Data>,
    /// The sources of programs that were built on the way.
    pub(crate) built: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// Which paths those of them are about of which nothing else is known.
    pub(crate) about: BTreeMap<PathBuf, Within>,
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    pub(crate) made: BTreeSet<PathBuf>,
    /// Directories that were filled with what is not known: clones, other work trees.
    pub(crate) filled: BTreeSet<PathBuf>,
    /// Directories that this shell sees elsewhere, and where they really are.
    pub(crate) mounts: BTreeMap<PathBuf, PathBuf>,
    /// Aliases of git that were configured on the way.
    pub(crate) git_aliases: BTreeMap<String, String>,
    /// Whether git was told to clean without being forced.
    pub(crate) cleans_unforced: bool,
    /// Whether git may track other files than its index says now.
    pub(crate) index_may_differ: bool,
    /// Where git was told to look for hooks.
    pub(crate) hooks_path: Option<String>,
    /// How many process substitutions there were.
    pub(crate) pipes: usize,
    /// What `shopt -s` has switched on.
    pub(crate) switched_on: BTreeSet<String>,
    pub(crate) aliases: BTreeMap<String, String>,
    /// What `trap` keeps, by signal.
    pub(crate) traps: BTreeMap<String, Vec<Text>>,
    /// Whether it has come to an end: nothing more is followed.
    pub(crate) has_ended: bool,
    /// Variables whose values the command itself has spelled out, as long as that can be told.
    pub(super) own: Option<BTreeSet<String>>,
    /// Those that are one of several things, and never several at once.
    pub(super) taken: BTreeSet<String>,
    /// Whether what is printed may go nowhere.
    pub(crate) may_not_print: bool,
    /// Whether it ends where a command fails that nobody asks about (`set -e`).
    pub(crate) ends_on_failure: bool,
    /// Whether somebody asks: in a condition, or before `&&` and `||`.
    pub(crate) is_asked: bool,
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
            pushed: Vec::new(),
            variables,
            may_be_unset: BTreeSet::new(),
            exported: environment.keys().cloned().collect(),
            read: BTreeSet::new(),
            functions: BTreeMap::new(),
            defined_in: BTreeMap::new(),
            arguments: Vec::new(),
            name: Text::fixed("bash"),
            files: BTreeMap::new(),
            built: BTreeMap::new(),
            about: BTreeMap::new(),
            links: BTreeMap::new(),
            made: BTreeSet::new(),
            filled: BTreeSet::new(),
            mounts: BTreeMap::new(),
            git_aliases: BTreeMap::new(),
            cleans_unforced: false,
            index_may_differ: false,
            hooks_path: None,
            pipes: 0,
            switched_on: BTreeSet::new(),
            aliases: BTreeMap::new(),
            traps: BTreeMap::new(),
            has_ended: false,
            own: Some(BTreeSet::new()),
            taken: BTreeSet::new(),
            may_not_print: false,
            ends_on_failure: false,
            // Agents put a command before `&&`, and `set -e` does nothing there.
            is_asked: true,
        }
    }

    /// Goes to one of these directories; if that may fail, it may also have stayed.
    pub(crate) fn go(&mut self, directories: Vec<Option<PathBuf>>, may_fail: bool) {
        let mut reached = Vec::new();
        add_directories(&mut reached, directories);
        let left = std::mem::replace(&mut self.directories, reached);
        if may_fail {
            add_directories(&mut self.stayed, left.iter().cloned());
        }
        self.previous = left;
    }

    /// The last `cd` is known to have succeeded, or nothing would go on.
    pub(crate) fn went(&mut self) {
        self.stayed.clear();
    }

    /// A command that does not depend on the last one: a `cd` that failed counts from here.
    pub(crate) fn settle(&mut self) {
        let stayed = std::mem::take(&mut self.stayed);
        add_directories(&mut self.directories, stayed);
    }

    pub(crate) fn set(&mut self, name: &str, value: Variable) {
        let target = match self.variables.get(name) {
            Some(Variable::Reference(other)) => other.clone(),
            _ => name.to_owned(),
        };
        self.may_be_unset.remove(&target);
        if let Some(own) = &mut self.own {
            own.remove(&target);
        }
        self.taken.remove(&target);
        self.variables.insert(target, value);
    }

    pub(crate) fn set_text(&mut self, name: &str, text: Text) {
        self.set(name, Variable::Scalar(text));
    }

    /// After `while read x`, which ended because there was nothing more, `x` is empty.
    pub(crate) fn read_to_the_end(&mut self) {
        for name in std::mem::take(&mut self.read) {
            if let Some(value) = self.get(&name) {
                let value = value.first().or(&Text::fixed(""));
                self.set_text(&name, value);
            }
        }
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
        self.built = ended.built;
        self.about = ended.about;
        self.links = ended.links;
        self.made = ended.made;
        self.filled = ended.filled;
        self.git_aliases = ended.git_aliases;
        self.cleans_unforced = ended.cleans_unforced;
        self.index_may_differ = ended.index_may_differ;
        self.hooks_path = ended.hooks_path;
        self.pipes = ended.pipes;
    }

    /// Everything at or below a path that was put there on the way, as far as it is known.
    pub(crate) fn put_below(&self, path: &Path) -> impl Iterator<Item = &PathBuf> {
        let all = self.files.keys().chain(&self.made);
        all.filter(move |own| own.starts_with(path))
    }

    /// Either this shell or the other: what differs could be both.
    pub(crate) fn or(mut self, other: Self) -> Self {
        // Nobody comes here from where it has ended.
        match (self.has_ended, other.has_ended) {
            (true, false) => return other,
            (false, true) => return self,
            _ => {}
        }
        add_directories(&mut self.directories, other.directories);
        add_directories(&mut self.stayed, other.stayed);
        self.read.extend(other.read);
        self.exported.extend(other.exported);
        if self.previous != other.previous {
            self.previous = vec![None];
        }
        if self.pushed != other.pushed {
            let most = self.pushed.len().max(other.pushed.len());
            self.pushed = vec![vec![None]; most];
        }
        self.join_variables(other.variables, other.may_be_unset);
        self.join_functions(other.functions);
        for (name, theirs) in other.defined_in {
            let ours = self.defined_in.entry(name);
            ours.and_modify(|ours| *ours = ours.or(&theirs))
                .or_insert(theirs);
        }
        self.arguments = either_list(&self.arguments, &other.arguments);
        self.built.extend(other.built);
        for (path, theirs) in other.files {
            let ours = self.files.entry(path).or_insert_with(|| theirs.clone());
            if *ours != theirs {
                *ours = Data::Unknown;
            }
        }
        self.about
            .retain(|path, ours| other.about.get(path) == Some(ours));
        self.links.extend(other.links);
        self.made.extend(other.made);
        self.filled.extend(other.filled);
        self.mounts.extend(other.mounts);
        self.git_aliases.extend(other.git_aliases);
        self.cleans_unforced |= other.cleans_unforced;
        self.index_may_differ |= other.index_may_differ;
        self.hooks_path = self.hooks_path.or(other.hooks_path);
        self.pipes = self.pipes.max(other.pipes);
        self.switched_on.extend(other.switched_on);
        self.aliases.extend(other.aliases);
        self.ends_on_failure &= other.ends_on_failure;
        self.own = self
            .own
            .zip(other.own)
            .map(|(ours, theirs)| &ours & &theirs);
        self.taken = &self.taken & &other.taken;
        self.may_not_print |= other.may_not_print;
        for (signal, theirs) in other.traps {
            let ours = self.traps.entry(signal).or_default();
            ours.extend(
                theirs
                    .into_iter()
                    .filter(|code| !ours.contains(code))
                    .collect::<Vec<_>>(),
            );
        }
        self
    }

    /// Each variable may be as it is here, or as it is there. One that only one of the two
    /// has set is most likely set: scripts give defaults so.
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
                Some(ours) => ours.or(theirs),
                None => {
                    self.may_be_unset.insert(name.clone());
                    theirs
                }
            };
            self.variables.insert(name, both);
        }
    }

    fn join_functions(&mut self, mut theirs: BTreeMap<String, Vec<Option<Rc<FunctionBody>>>>) {
        for (name, ours) in &mut self.functions {
            let other = theirs.remove(name).unwrap_or_else(|| vec![None]);
            for body in other {
                let is_same = |own: &Option<Rc<FunctionBody>>| match (own, &body) {
                    (Some(own), Some(body)) => Rc::ptr_eq(own, body),
                    (own, body) => own.is_none() && body.is_none(),
                };
                if !ours.iter().any(is_same) {
                    ours.push(body);
                }
            }
        }
        for (name, mut bodies) in theirs {
            bodies.push(None);
            self.functions.insert(name, bodies);
        }
    }

    /// Whether commands would find the same values and the same directories.
    pub(crate) fn stands_as(&self, other: &Self) -> bool {
        self.variables == other.variables
            && self.arguments == other.arguments
            && self.directories == other.directories
    }

    /// Takes what has changed since then for unknown.
    pub(crate) fn forget_what_differs(&mut self, then: &Self) {
        for (name, value) in &mut self.variables {
            if then.variables.get(name) != Some(value) {
                *value = Variable::Scalar(Text::unknown());
            }
        }
        if self.arguments != then.arguments {
            self.arguments.fill(Text::unknown());
        }
        if self.directories != then.directories {
            add_directories(&mut self.directories, [None]);
        }
    }

    /// A way here on which the last commands did not run: what they have set may be as it was.
    pub(crate) fn or_variables_of(&mut self, skipped: Self) {
        self.join_variables(skipped.variables, skipped.may_be_unset);
    }
}

/// One list or the other, word by word; what only one of them has may be nothing.
fn either_list(ours: &[Text], theirs: &[Text]) -> Vec<Text> {
    let nothing = Text::default();
    let either = |at: usize| {
        let (one, other) = (ours.get(at), theirs.get(at));
        one.unwrap_or(&nothing).or(other.unwrap_or(&nothing))
    };
    (0..ours.len().max(theirs.len())).map(either).collect()
}

/// Adds directories to those where a shell may be. Too many are as good as unknown.
fn add_directories(
    all: &mut Vec<Option<PathBuf>>,
    more: impl IntoIterator<Item = Option<PathBuf>>,
) {
    for directory in more {
        if !all.contains(&directory) {
            all.push(directory);
        }
        if all.len() > MOST_DIRECTORIES {
            *all = vec![None];
        }
    }
}
