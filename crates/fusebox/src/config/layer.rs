//! One source of settings, and where in it each of them stands.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::key::Key;
use super::kind::Value;
use crate::excerpt::Excerpt;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// Where a value comes from. Later ones win, as far as they may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// The way of working itself.
    Preset,
    /// The machine's file: a floor for everything after it.
    Managed,
    User,
    /// The repository's file: not trusted, and only ever stricter.
    Project,
    Environment,
    Flag,
    /// The circuit was begun so.
    Circuit,
}

/// One setting of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) key: Key,
    pub(super) value: Value,
    pub(super) at: At,
}

/// Where in its layer a setting stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// The bytes of a file that hold the value.
    Bytes(Range<usize>),
    /// The variable or flag of this name.
    Name(&'static str),
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// A setting in a file that has no effect, and why.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) file: PathBuf,
    /// The bytes that say it.
    pub(crate) span: Range<usize>,
    pub(crate) why: String,
}

impl Held {
    /// Nothing where it is not in a file.
    pub(super) fn of(layer: &Layer, setting: &Setting, why: String) -> Option<Self> {
        let At::Bytes(span) = &setting.at else {
            return None;
        };
        Some(Self {
            file: layer.document.as_ref()?.path.clone(),
            span: span.clone(),
            why,
        })
    }
}

/// The settings of one source.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) source: Source,
    pub(super) document: Option<Document>,
    pub(super) settings: Vec<Setting>,
    /// What is worth saying of it as a whole, one line each.
    pub(super) remarks: Vec<String>,
}

impl Document {
    /// `path:line`, safe to show.
    pub(super) fn place(&self, span: &Range<usize>) -> String {
        format!(
            "{}:{}",
            shown(&self.path),
            Excerpt::of(&self.text, span).line
        )
    }

    /// A complaint about a part of the file, with the part.
    pub(super) fn complaint(&self, what: String, span: &Range<usize>) -> Failure {
        let excerpt = Excerpt::of(&self.text, span);
        Failure::new(exit::CONFIG, what).excerpt(excerpt.lines(&self.path))
    }
}

impl Layer {
    /// Where a setting stands, in a few words.
    pub(super) fn place(&self, setting: &Setting) -> String {
        match (&setting.at, &self.document) {
            (At::Bytes(span), Some(document)) => document.place(span),
            (At::Name(name), _) => (*name).to_owned(),
            (At::Bytes(_), None) => self.source.to_string(),
        }
    }

    /// The layer as a whole, in a few words.
    pub(super) fn name(&self) -> String {
        let path = self
            .document
            .as_ref()
            .map(|document| shown(&document.path as &Path));
        path.unwrap_or_else(|| self.source.to_string())
    }

    /// A complaint about one setting.
    pub(super) fn complaint(&self, what: String, setting: &Setting) -> Failure {
        match (&setting.at, &self.document) {
            (At::Bytes(span), Some(document)) => document.complaint(what, span),
            _ => Failure::new(exit::CONFIG, format!("{}: {what}", self.place(setting))),
        }
    }

    /// The last value that it gives to `key`.
    pub(super) fn get(&self, key: Key) -> Option<&Setting> {
        self.settings
            .iter()
            .rev()
            .find(|setting| setting.key == key)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Preset => "preset",
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Flag => "flag",
            Self::Circuit => "circuit",
        })
    }
}
