//! Lists that are files in the repository.
//!
//! The repository is not trusted: a list is opened without following links, of a
//! bounded size, and beneath the root. It is replaced as a whole, under a lock on
//! the file itself, which is the lock that other tools take if they take one.

mod checkboxes;
mod damage;
mod feature_list;
mod jsonl;
mod place;
mod prd;
mod records;
mod taskmaster;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::SourceError;
use crate::source::{Capabilities, Kept, Move, Source};
use crate::task::Task;

pub(crate) use checkboxes::Checkboxes;
pub(crate) use damage::damage;
pub(crate) use feature_list::FeatureList;
pub use jsonl::BUILT_IN;
pub(crate) use jsonl::Lines;
pub(crate) use place::Place;
pub(crate) use prd::{Prd, Stories};
pub(crate) use taskmaster::Taskmaster;

/// How tasks stand in a text.
pub(crate) trait Shape: Send {
    /// What people call it.
    fn name(&self) -> &'static str;

    fn capabilities(&self, text: &str) -> Capabilities;

    /// The key that holds the tasks, where the list is one JSON document.
    fn key(&self) -> Option<&'static str> {
        None
    }

    /// Whether a text is such a list, as far as its beginning shows.
    fn recognises(&self, text: &str) -> bool {
        self.read(text).is_some()
    }

    /// The tasks in a text; `None` if it is something else.
    fn read(&self, text: &str) -> Option<Vec<Task>>;

    /// The text after a move, or `None` if it has no words for it.
    fn moved(&self, text: &str, id: &str, to: &Move<'_>) -> Option<String>;
}

/// A list in a file.
pub(crate) struct FileSource {
    name: String,
    /// Below the root of the repository, unless the list is our own.
    path: Option<PathBuf>,
    place: Place,
    shape: Box<dyn Shape>,
    capabilities: Capabilities,
}

impl FileSource {
    /// The list at `path` beneath `root`, if there is one and it has this shape.
    ///
    /// # Errors
    /// [`SourceError`] if there is a file that cannot be read: that it is not a list
    /// of tasks would be a guess.
    pub(crate) fn find(
        root: &Path,
        path: &str,
        shape: Box<dyn Shape>,
    ) -> Result<Option<Self>, SourceError> {
        let place = Place::new(root, path);
        let Some(text) = place.read()? else {
            return Ok(None);
        };
        if !shape.recognises(&text) {
            return Ok(None);
        }
        let capabilities = shape.capabilities(&text);
        let name = path.to_owned();
        Ok(Some(Self {
            name,
            path: Some(place.below_root()),
            place,
            shape,
            capabilities,
        }))
    }

    /// The list at `path`, which need not be there yet.
    pub(crate) fn at(root: &Path, path: &str, shape: Box<dyn Shape>) -> Self {
        let (name, capabilities) = (shape.name().to_owned(), shape.capabilities(""));
        Self {
            name,
            path: None,
            place: Place::new(root, path),
            shape,
            capabilities,
        }
    }

    fn text(&self) -> Result<String, SourceError> {
        match self.place.read()? {
            Some(text) => Ok(text),
            // Our own need not be there yet.
            None if self.path.is_none() => Ok(String::new()),
            None => Err(SourceError::Malformed {
                path: self.place.shown(),
                why: "it is not there any more".into(),
            }),
        }
    }

    fn parse(&self, text: &str) -> Result<Vec<Task>, SourceError> {
        let malformed = |why| SourceError::Malformed {
            path: self.place.shown(),
            why,
        };
        let tasks = self.shape.read(text).ok_or_else(|| {
            let key = self.shape.key();
            let damage = damage(&self.name, text, key.as_slice());
            let name = self.shape.name();
            malformed(damage.unwrap_or_else(|| format!("it is no longer a list of tasks ({name})")))
        })?;
        // Whatever is done with one of two tasks that go by the same id is done with the
        // other, and nobody would ever hear of that one again.
        match twin(&tasks) {
            Some(id) => Err(malformed(format!(
                "two tasks there have the id `{id}`, and could not be told apart"
            ))),
            None => Ok(tasks),
        }
    }

    /// Adds a line to a list of lines, made of what stands there already, so that whoever adds
    /// at the same time has seen it.
    pub(crate) fn append(&self, line: impl FnOnce(&[Task]) -> String) -> Result<(), SourceError> {
        self.place.update(|text| {
            let line = line(&self.parse(text)?);
            let gap = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            Ok(Some(format!("{text}{gap}{line}\n")))
        })
    }
}

/// The first id that stands there a second time.
fn twin(tasks: &[Task]) -> Option<&str> {
    let mut seen = HashSet::new();
    let ids = tasks.iter().map(|task| task.id.as_str());
    ids.into_iter().find(|id| !seen.insert(*id))
}

impl Source for FileSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    fn copy(&self) -> Option<String> {
        self.path.as_ref()?;
        self.place.raw().ok()
    }

    fn broken(&self) -> Option<String> {
        self.path.as_ref()?;
        let malformed = match self.place.read() {
            Ok(text) => self.parse(&text.filter(|text| !text.trim().is_empty())?),
            Err(error) => Err(error),
        };
        match malformed {
            Err(SourceError::Malformed { why, .. }) => Some(why),
            _ => None,
        }
    }

    fn put_back(&self, copy: &str) -> Result<(), SourceError> {
        self.place.put_back(copy)
    }

    fn capabilities(&self) -> Capabilities {
        // Reading and writing happen under one lock, so nothing is overwritten that
        // was not seen.
        Capabilities {
            guard: true,
            ..self.capabilities
        }
    }

    fn list(&self) -> Result<Vec<Task>, SourceError> {
        self.parse(&self.text()?)
    }

    fn apply(&self, seen: &Task, to: &Move<'_>) -> Result<Kept, SourceError> {
        let mut kept = Kept::NotExpressible;
        self.place.update(|text| {
            let tasks = self.parse(text)?;
            let now = tasks.into_iter().find(|task| task.id == seen.id);
            let now = now.ok_or_else(|| SourceError::NoSuchTask {
                task: seen.id.clone(),
                source_name: self.name.clone(),
            })?;
            if now.status != seen.status {
                return Err(SourceError::Lost {
                    task: seen.id.clone(),
                    why: format!("it is {} now", now.status.name()),
                });
            }
            let moved = self.shape.moved(text, &seen.id, to);
            kept = if moved.is_some() {
                Kept::Recorded
            } else {
                Kept::NotExpressible
            };
            Ok(moved.filter(|moved| moved != text))
        })?;
        Ok(kept)
    }
}
