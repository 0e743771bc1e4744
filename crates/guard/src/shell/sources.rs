//! Which files the code that is followed stands in: `BASH_SOURCE`.

use super::{Engine, Shell, Variable};
use crate::stop::Stop;
use crate::text::Text;

const SOURCES: &str = "BASH_SOURCE";

impl Shell {
    /// A shell that starts knows nothing of the files of the one that started it.
    pub(crate) fn forget_sources(&mut self) {
        self.variables.remove(SOURCES);
        self.defined_in.clear();
    }

    /// A script is run: it is what it is called, and the file that its code stands in.
    pub(crate) fn start_script(&mut self, file: &Text) {
        self.forget_sources();
        self.name = file.clone();
        self.set(SOURCES, Variable::Array(vec![file.clone()]));
    }

    fn sources(&self) -> Vec<Text> {
        match self.get(SOURCES) {
            Some(Variable::Array(files)) => files.clone(),
            Some(other) => vec![other.first()],
            None => Vec::new(),
        }
    }

    /// A function knows all its life which file it came from.
    pub(super) fn remember_where_defined(&mut self, function: &str) {
        match self.sources().into_iter().next() {
            Some(file) => self.defined_in.insert(function.to_owned(), file),
            None => self.defined_in.remove(function),
        };
    }
}

impl Engine<'_> {
    /// Follows code in a file, which comes before those that it was called from.
    pub(super) fn in_file<T>(
        &mut self,
        file: Option<Text>,
        follow: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let Some(file) = file else {
            return follow(self);
        };
        let before = self.shell.variables.get(SOURCES).cloned();
        let files = std::iter::once(file).chain(self.shell.sources()).collect();
        self.shell.set(SOURCES, Variable::Array(files));
        let result = follow(self);
        match before {
            Some(before) => self.shell.variables.insert(SOURCES.to_owned(), before),
            None => self.shell.variables.remove(SOURCES),
        };
        result
    }
}
