//! How a file becomes one that holds all its mutants at once.
//!
//! A *site* is a place where one or more mutants differ from the source. What is written in
//! its stead is made of parts: words of our own, the source as it was, and the source with
//! the sites in it rewritten. A mutant is only ever a copy of what was, with one change:
//! mutants within mutants would be twice as many with each level, and are never run.

use std::ops::Range;

/// A place in a file where the mutant that is on decides what happens.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// What it stands for, in bytes of the source.
    pub(super) range: Range<usize>,
    pub(super) parts: Vec<Part>,
    /// The sites within it.
    pub(super) inner: Vec<Site>,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Where one of these mutants can be on.
    Choice(Vec<usize>),
    /// A body of a function: changes nothing, but says what belongs together.
    Body,
}

/// What a site is made of.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Words(String),
    /// The source as it was.
    Original(Range<usize>),
    /// The source, with the sites in it.
    Rewritten(Range<usize>),
    /// What only this mutant does.
    Only(usize, Vec<Part>),
}

/// What a range of bytes in a rewritten file is there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) range: Range<usize>,
    pub(super) of: Of,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Mutant(usize),
    Site(Vec<usize>),
    Body,
}

/// A rewritten file.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    pub(super) text: String,
    pub(super) marks: Vec<Mark>,
}

impl Rewritten {
    pub(super) fn of(source: &str, sites: &[Site]) -> Self {
        let mut rewritten = Self::default();
        rewritten.write(source, 0..source.len(), sites);
        rewritten
    }

    fn write(&mut self, source: &str, range: Range<usize>, sites: &[Site]) {
        let mut written = range.start;
        for site in sites {
            if site.range.start < written || site.range.end > range.end {
                continue;
            }
            self.text.push_str(&source[written..site.range.start]);
            self.write_site(source, site);
            written = site.range.end;
        }
        self.text.push_str(&source[written..range.end]);
    }

    fn write_site(&mut self, source: &str, site: &Site) {
        let start = self.text.len();
        self.write_parts(source, &site.parts, &site.inner);
        let of = match &site.kind {
            Kind::Choice(mutants) => Of::Site(mutants.clone()),
            Kind::Body => Of::Body,
        };
        let range = start..self.text.len();
        self.marks.push(Mark { range, of });
    }

    fn write_parts(&mut self, source: &str, parts: &[Part], inner: &[Site]) {
        for part in parts {
            match part {
                Part::Words(words) => self.text.push_str(words),
                Part::Original(range) => self.text.push_str(&source[range.clone()]),
                Part::Rewritten(range) => self.write(source, range.clone(), inner),
                Part::Only(mutant, parts) => {
                    let start = self.text.len();
                    self.write_parts(source, parts, inner);
                    let range = start..self.text.len();
                    let of = Of::Mutant(*mutant);
                    self.marks.push(Mark { range, of });
                }
            }
        }
    }
}
