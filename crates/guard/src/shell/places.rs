//! From words to the paths that they name.

use std::path::{Path, PathBuf};

use super::wildcards::{self, Braces, Manner};
use super::{Engine, Place};
use crate::effect::Pattern;
use crate::stop::Stop;
use crate::text::{Part, Text};

impl Engine<'_> {
    /// The paths that a word names, with its wildcards matched against the files.
    pub(crate) fn places(&mut self, word: &Text) -> Result<Vec<Place>, Stop> {
        let mut places = Vec::new();
        for text in word.alternatives() {
            for directory in self.shell.directories.clone() {
                self.spend()?;
                places.extend(self.places_from(&text, directory.as_deref()));
            }
        }
        Ok(places)
    }

    /// The files that a wildcard matches. One that seems to match nothing in a protected
    /// directory is matched again as a shell would that was told to match more, since
    /// whether it was is not always seen.
    fn matched_by(&self, wildcard: &str, base: &Path) -> Vec<PathBuf> {
        let switched_on = &self.shell.switched_on;
        let manner = Manner {
            from_dots: switched_on.contains("dotglob"),
            any_case: switched_on.contains("nocaseglob"),
            any_depth: switched_on.contains("globstar"),
        };
        let mut found = self.matched_in(manner, wildcard, base);
        self.add_what_was_put(manner, wildcard, base, &mut found);
        let literal = self.resolver().up_to_link(&base.join(wildcard));
        if !found.is_empty() || self.protected.rule_of(&literal).is_none() {
            return found;
        }
        self.matched_in(Manner::MOST, wildcard, base)
    }

    /// What was put there on the way is matched as well.
    fn add_what_was_put(
        &self,
        manner: Manner,
        wildcard: &str,
        base: &Path,
        found: &mut Vec<PathBuf>,
    ) {
        let names = wildcard.split('/').filter(|name| !name.is_empty()).count();
        let above = match wildcard.starts_with('/') {
            true => Path::new("/"),
            false => base,
        };
        let depth = above.iter().count() + names;
        for put in self.shell.put_below(above) {
            let path: PathBuf = put.iter().take(depth).collect();
            let is_new = self.tree.kind(&path).is_none() && !found.contains(&path);
            if is_new && wildcards::reaches(base, wildcard, &path, manner) {
                found.push(path);
            }
        }
    }

    /// What is protected and matched by a wildcard that a program matches itself, with braces
    /// and through any number of directories.
    pub(crate) fn protected_matching(&self, wildcard: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for directory in self.shell.directories.iter().flatten() {
            let base = self.resolver().beyond_links(directory);
            let wildcards = match wildcards::braces(wildcard) {
                Braces::Words(words) => words,
                Braces::Many { before, after } => vec![format!("{before}**{after}")],
            };
            for wildcard in wildcards {
                found.extend(self.matched_in(Manner::MOST, &wildcard, &base));
            }
        }
        found
    }

    /// Through any number of directories only what is protected is looked for, since nothing
    /// else matters to the verdict.
    fn matched_in(&self, manner: Manner, wildcard: &str, base: &Path) -> Vec<PathBuf> {
        if !wildcard.contains("**") || !manner.any_depth {
            return wildcards::matching(self.tree, &self.resolver(), base, wildcard, manner);
        }
        let mut found = Vec::new();
        for path in self.protected.everything(self.tree) {
            let above = path.ancestors().map(Path::to_owned);
            found.extend(above.take_while(|above| above.starts_with(base)));
        }
        found.sort();
        found.dedup();
        found.retain(|path| wildcards::reaches(base, wildcard, path, manner));
        found
    }

    fn places_from(&self, text: &Text, directory: Option<&Path>) -> Vec<Place> {
        // A shell remembers by which links it came; files are found from where it really is.
        let directory = directory.map(|directory| self.resolver().beyond_links(directory));
        let directory = directory.as_deref();
        let absolute = text.known_start().starts_with('/');
        if text.is_unknown() || (directory.is_none() && !absolute) {
            return vec![Place::Like(pattern(text, directory))];
        }
        let base = directory.unwrap_or(Path::new("/"));
        let has_wildcards = text
            .parts()
            .iter()
            .any(|part| matches!(part, Part::Glob(_)));
        let name = text.known().unwrap_or_default();
        if name.is_empty() {
            return Vec::new();
        }
        let slash = name.ends_with('/') || name.ends_with("/.");
        if has_wildcards {
            let found = self.matched_by(&escaped(text), base);
            if !found.is_empty() {
                return found
                    .into_iter()
                    .map(|path| Place::At(path, slash))
                    .collect();
            }
        }
        vec![Place::At(base.join(name), slash)]
    }
}

/// The text as a wildcard, with what was quoted in it escaped.
fn escaped(text: &Text) -> String {
    let mut escaped = String::new();
    for part in text.parts() {
        match part {
            Part::Glob(piece) => escaped.push_str(piece),
            Part::Fixed(piece) => {
                for c in piece.chars() {
                    if "*?[\\".contains(c) {
                        escaped.push('\\');
                    }
                    escaped.push(c);
                }
            }
            Part::OneOf(_) | Part::Unknown => {}
        }
    }
    escaped
}

/// An absolute pattern for a word of which parts are unknown.
fn pattern(text: &Text, directory: Option<&Path>) -> Pattern {
    let mut pattern = Pattern::default();
    let start = text.known_start();
    let starts_unknown = matches!(text.parts().first(), Some(Part::Unknown));
    if !start.starts_with('/') && !starts_unknown {
        match directory {
            Some(directory) => pattern.push_known(&directory.to_string_lossy()),
            None => pattern.push_unknown(),
        }
        pattern.push_known("/");
    }
    for part in text.with_wildcards_unknown().parts() {
        match part {
            Part::Fixed(piece) | Part::Glob(piece) => {
                pattern.push_known(piece.trim_start_matches("./"));
            }
            Part::OneOf(_) | Part::Unknown => pattern.push_unknown(),
        }
    }
    pattern
}
