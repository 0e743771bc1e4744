//! What is unknown but about certain paths: patches, and archives.

use std::path::PathBuf;

use super::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// The paths that something unknown is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Within {
    pub(crate) paths: Vec<Text>,
    /// Where they were named.
    from: Vec<Option<PathBuf>>,
    /// Whether each line is one of them, and nothing else.
    are_lines: bool,
}

impl Engine<'_> {
    pub(crate) fn within(&self, paths: Vec<Text>) -> Within {
        let from = self.shell.directories.clone();
        Within {
            paths,
            from,
            are_lines: false,
        }
    }

    /// Whether paths are still what they were where they were named.
    pub(crate) fn stands_where_named(&self, within: &Within) -> bool {
        self.shell.directories == within.from
    }

    /// Which paths the input is about, if that is all that is known of it.
    pub(crate) fn input_within(&self) -> Option<Within> {
        let is_unknown = self.stdin == Data::Unknown;
        self.stdin_within.clone().filter(|_| is_unknown)
    }

    /// Something unknown is printed that is about certain paths, such as a patch.
    pub(crate) fn print_within(&mut self, paths: Vec<Text>) {
        let is_all = self.out == Data::empty();
        let within = self.within(paths);
        self.print(&Data::Unknown);
        self.out_within = is_all.then_some(within);
    }

    /// Lines are printed of which only this is known.
    pub(crate) fn print_lines_like(&mut self, line: Text) {
        self.print_within(vec![line]);
        if let Some(within) = &mut self.out_within {
            within.are_lines = true;
        }
    }

    /// What each line of the input is like, where that is all that is known.
    pub(crate) fn input_lines(&self) -> Option<Vec<Text>> {
        let within = self.input_within().filter(|within| within.are_lines);
        within.map(|within| within.paths)
    }

    /// Which paths a file is about that was written on the way.
    pub(crate) fn file_within(&mut self, file: &Text) -> Result<Option<Within>, Stop> {
        let places = self.places(file)?;
        let [Place::At(path, _)] = places.as_slice() else {
            return Ok(None);
        };
        let path = self.resolver().beyond_links(path);
        Ok(self.shell.about.get(&path).cloned())
    }

    /// Remembers which paths a file is about that is written now.
    pub(crate) fn write_within(&mut self, file: &Text, paths: Vec<Text>) -> Result<(), Stop> {
        let within = self.within(paths);
        for place in self.places(file)? {
            if let Place::At(path, _) = place {
                let path = self.resolver().beyond_links(&path);
                self.shell.files.insert(path.clone(), Data::Unknown);
                self.shell.about.insert(path, within.clone());
            }
        }
        Ok(())
    }
}
