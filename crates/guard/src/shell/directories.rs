//! `cd` and its kin: where a shell goes.

use std::path::{Path, PathBuf};

use super::{Engine, Status};
use crate::commands::printing;
use crate::paths::without_dots;
use crate::stop::Stop;
use crate::text::{Data, Text};

impl Engine<'_> {
    pub(super) fn change_directory(&mut self, arguments: &[Text]) -> Result<Status, Stop> {
        let (arguments, operands) = options_and_operands(arguments);
        let target = match operands.first() {
            None => self.variable_or_unknown("HOME"),
            Some(target) if target.known().as_deref() == Some("-") => {
                let status = self.go_back();
                self.print(&printing::line(&self.working_directory()));
                return Ok(status);
            }
            Some(target) => target.clone(),
        };
        if target.is_unknown() {
            self.shell.go(vec![None], true);
            return Ok(None);
        }
        let physical = arguments
            .iter()
            .any(|text| text.known().as_deref() == Some("-P"));
        let mut reached: Vec<Option<PathBuf>> = Vec::new();
        let named = self.named_by(&target)?;
        for name in named.iter().flat_map(Text::alternatives) {
            let name = name.known();
            for from in self.shell.directories.clone() {
                let step = |name: &String| self.step(from.as_deref(), name, physical);
                reached.push(name.as_ref().and_then(step));
            }
        }
        if operands.len() > 1 || named.len() > 1 {
            // Too many for bash, which then stays.
            self.shell.go(reached, true);
            return Ok(None);
        }
        Ok(self.go(reached))
    }

    /// Without a word it changes places with the last one that was pushed. All the
    /// directories that are remembered are printed, here and when going back.
    pub(super) fn push_directory(&mut self, arguments: &[Text]) -> Result<Status, Stop> {
        self.print(&Data::Unknown);
        let left = self.shell.directories.clone();
        let rotates = arguments
            .iter()
            .any(|text| text.known_start().starts_with(['+', '-']));
        let status = match (arguments.is_empty(), self.shell.pushed.pop()) {
            _ if rotates => self.go(vec![None]),
            (true, None) => return Ok(Some(false)),
            (true, Some(back)) => self.go(back),
            (false, before) => {
                self.shell.pushed.extend(before);
                self.change_directory(arguments)?
            }
        };
        self.shell.pushed.push(left);
        Ok(status)
    }

    pub(super) fn pop_directory(&mut self) -> Status {
        self.print(&Data::Unknown);
        match self.shell.pushed.pop() {
            Some(back) => self.go(back),
            None => Some(false),
        }
    }

    fn go_back(&mut self) -> Status {
        self.go(self.shell.previous.clone())
    }

    /// Goes to one of these directories, which is certain to succeed where all of them exist.
    fn go(&mut self, directories: Vec<Option<PathBuf>>) -> Status {
        let exists =
            |path: &Option<PathBuf>| path.as_deref().is_some_and(|path| self.is_directory(path));
        let certain = directories.iter().all(exists);
        self.shell.go(directories, !certain);
        certain.then_some(true)
    }

    /// Where `cd` leads from one directory, with `CDPATH` looked through. Dots are taken away
    /// before links are followed, unless `-P` asks for the other order.
    fn step(&self, from: Option<&Path>, name: &str, physical: bool) -> Option<PathBuf> {
        let resolver = self.resolver();
        let searched = self.shell.known("CDPATH").unwrap_or_default();
        if !name.starts_with(['.', '/']) {
            for above in searched.split(':').filter(|above| !above.is_empty()) {
                let above = match from {
                    Some(from) => from.join(above),
                    None if above.starts_with('/') => PathBuf::from(above),
                    None => continue,
                };
                let path = resolver.beyond_links(&above.join(name));
                if self.is_directory(&path) {
                    return Some(path);
                }
            }
        }
        let from = if name.starts_with('/') {
            Path::new("/")
        } else {
            from?
        };
        let path = from.join(name);
        Some(if physical {
            resolver.beyond_links(&path)
        } else {
            without_dots(&path)
        })
    }
}

/// The options of `cd`, and what comes behind them, where nothing is an option any more.
fn options_and_operands(arguments: &[Text]) -> (&[Text], &[Text]) {
    let is_option = |text: &&Text| {
        let known = text.known();
        known.is_some_and(|text| text.len() > 1 && text.starts_with('-'))
    };
    let leading = arguments.iter().take_while(is_option).count();
    let dashes = arguments.iter().position(|text| *text == Text::fixed("--"));
    let at = dashes.map_or(leading, |dashes| leading.min(dashes + 1));
    arguments.split_at(at)
}
