//! Living beside the tools of another system: their files say what the memory
//! says, and what they say differently is noticed.
//!
//! The memory stays the truth. A file of theirs is read at the start of every
//! step, held against the digest of what was written last, and written at the
//! end of it. Whoever edited it in between is believed where that is stricter,
//! for anyone may trip; anything else is written anew from the memory and noted
//! as tampering. Both digests stand in the log before the file is touched, so
//! that a crash in between is not taken for an edit.
//!
//! All of it happens under the lock of the memory, which is the lock of the
//! files as well.

pub(crate) mod place;
mod whereabouts;

use std::path::Path;
use std::rc::Rc;

use fusebox_core::journal::Projection;
use fusebox_core::machine::{self, Step};
use fusebox_core::{Circuit, Entry, Moment, Policy, Preset, State};
use fusebox_seeds::{Choice, Content, Edit, Menu, ProjectedFile, Scene, Seed, Wrong, seed};

pub(crate) use whereabouts::Whereabouts;

use crate::digest::sha256;
use crate::excerpt::Excerpt;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// The only circuit that the files of other systems speak of.
const CIRCUIT: &str = "default";

/// What is said in the language of another system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// What its log says of what has just happened.
    pub(crate) log: Vec<String>,
    /// The block that it gives out after a tick.
    pub(crate) block: Option<String>,
    /// What a person is asked, while the breaker is open.
    pub(crate) menu: Option<Menu>,
    /// What its log calls it that the breaker has opened just now.
    pub(crate) opened: Option<&'static str>,
}

impl Said {
    /// What is said of `scene` in the language of its policy.
    pub(crate) fn of(scene: &Scene<'_>) -> Self {
        let companion = scene.policy.companion;
        let opened = companion.filter(|_| scene.entries.iter().any(has_opened));
        let opened = opened.map(|companion| companion.open_event);
        let Some(seed) = seed(scene.policy.preset) else {
            return Self {
                opened,
                ..Self::default()
            };
        };
        Self {
            log: seed.log(scene),
            block: seed.status_block(scene),
            menu: seed.menu(scene),
            opened,
        }
    }
}

fn has_opened(entry: &Entry) -> bool {
    let mut transitions = entry.outcome.transitions.iter();
    transitions.any(|transition| transition.to == State::Open)
}

/// The keys that answer the question which `preset` asks in words of its own.
pub(crate) fn choices(preset: Preset) -> &'static [(char, Choice)] {
    seed(preset).map_or(&[], |seed| seed.choices())
}

/// The files of another system during one step.
pub(crate) struct Beside<'a> {
    seed: &'static dyn Seed,
    places: Rc<Whereabouts>,
    policy: &'a Policy,
    now: &'a Moment,
    files: Vec<Found>,
    /// What is read beside them.
    beside: Vec<(&'static str, Option<String>)>,
    /// The circuit, with what was taken over from the files.
    pub(crate) circuit: Circuit,
    /// What was taken over, and what was refused.
    entries: Vec<Entry>,
    /// Why nothing else may happen in this step.
    pub(crate) refused: Option<Failure>,
    /// What is worth mentioning.
    pub(crate) notes: Vec<String>,
}

/// A file as it was found.
struct Found {
    file: ProjectedFile,
    text: Option<String>,
    digest: Option<String>,
}

/// What is to be done to the files once the log says so.
#[derive(Default)]
pub(crate) struct Writing {
    places: Rc<Whereabouts>,
    files: Vec<(&'static str, Content)>,
    appendices: Vec<fusebox_seeds::Appendix>,
    /// The lock of whoever else writes to them, let go when all is written.
    #[expect(dead_code, reason = "holding it is all that it is for")]
    held: Option<std::fs::File>,
}

impl<'a> Beside<'a> {
    /// The files that go with `policy`, if any do.
    ///
    /// # Errors
    /// When one of them cannot be read or understood. It is left as it is.
    pub(crate) fn look(
        (root, circuit_name): (&Path, &str),
        circuit: &Circuit,
        policy: &'a Policy,
        now: &'a Moment,
    ) -> Result<Option<Self>, Failure> {
        let Some(seed) = seed(policy.preset).filter(|_| circuit_name == CIRCUIT) else {
            return Ok(None);
        };
        let places = Rc::new(Whereabouts::of(root, policy)?);
        let read = |file: &ProjectedFile| Found::read(&places, *file);
        let further = |file: &ProjectedFile| Ok((file.path, Found::read(&places, *file)?.text));
        Ok(Some(Self {
            beside: seed
                .reads()
                .iter()
                .map(further)
                .collect::<Result<_, Failure>>()?,
            seed,
            policy,
            now,
            files: seed
                .projections()
                .iter()
                .map(read)
                .collect::<Result<_, _>>()?,
            places,
            circuit: circuit.clone(),
            entries: Vec::new(),
            refused: None,
            notes: Vec::new(),
        }))
    }

    /// Holds the files against what was last written to them.
    ///
    /// # Errors
    /// When an edited one cannot be understood. It is left as it is.
    pub(crate) fn reconcile(mut self) -> Result<Self, Failure> {
        for at in 0..self.files.len() {
            let found = &self.files[at];
            let path = found.file.path;
            let mut known = self.circuit.projections.iter();
            let known = known.find(|known| known.path == path);
            let is_ours = known
                .is_some_and(|known| found.digest == known.after || found.digest == known.before);
            match &found.text {
                None if known.is_some_and(|known| known.after.is_some()) => {
                    self.notes
                        .push(format!("{path} was missing and has been rewritten"));
                }
                Some(text) if !is_ours => {
                    let is_first = known.is_none();
                    let edit = self
                        .seed
                        .edit(path, text, &self.scene(&self.circuit, &[]))
                        .map_err(|wrong| self.misunderstood(path, text, &wrong))?;
                    self.judge(path, edit, is_first);
                }
                _ => {}
            }
        }
        Ok(self)
    }

    /// Takes over what is stricter. Less is only ever noted: at first sight it is
    /// what the other tool knows, later somebody wants something released.
    fn judge(&mut self, path: &str, edit: Edit, is_first: bool) {
        if let Some((adoption, words)) = edit.tightens {
            let from = (path.to_owned(), words.clone());
            let step = machine::adopt(&self.circuit, self.policy, &adoption, from, self.now);
            self.notes.push(format!("taken over from {path}: {words}"));
            self.take(step);
        }
        let Some(words) = edit.relaxes else {
            return;
        };
        if is_first {
            self.notes
                .push(format!("{path} says {words}; what is in force here stays"));
            return;
        }
        let what = format!("{path} was edited to say {words}");
        let about = (path.to_owned(), words);
        let step = machine::refuse_edit(&self.circuit, self.policy, about, self.now);
        self.take(step);
        self.refused = Some(
            Failure::new(exit::STATE, what)
                .hint("it is rewritten from the stored state; `fusebox history` keeps the edit")
                .hint("a person releases with `fusebox reset --reason …` in a separate terminal"),
        );
    }

    fn take(&mut self, step: Step) {
        self.entries.extend(step.entries);
        self.circuit = step.circuit;
    }

    /// What the files must say after `step`: the entries for the log, and what to
    /// write when they are in it.
    ///
    /// # Errors
    /// When a file cannot be understood. It is left as it is.
    pub(crate) fn follow(&self, step: Option<Step>) -> Result<(Vec<Entry>, Writing), Failure> {
        let mut entries = self.entries.clone();
        let mut circuit = self.circuit.clone();
        if let Some(step) = step {
            entries.extend(step.entries);
            circuit = step.circuit;
        }
        let scene = self.scene(&circuit, &entries);
        let mut intents = Vec::new();
        let mut files = Vec::new();
        for found in &self.files {
            let path = found.file.path;
            let text = found.text.as_deref();
            let content = self
                .seed
                .project(path, text, &scene)
                .map_err(|wrong| self.misunderstood(path, text.unwrap_or_default(), &wrong))?;
            let after = match &content {
                Content::AsFound => found.digest.clone(),
                Content::Removed => None,
                Content::Text(text) => Some(sha256(text)),
            };
            let before = found.digest.clone();
            let known = circuit.projections.iter().find(|known| known.path == path);
            if known.is_none_or(|known| known.after != after) {
                let path = path.to_owned();
                intents.push(Projection {
                    path,
                    before: before.clone(),
                    after: after.clone(),
                });
            }
            if before != after {
                files.push((path, content));
            }
        }
        let writing = Writing {
            places: Rc::clone(&self.places),
            files,
            appendices: self.seed.appendices(&scene),
            held: None,
        };
        let noted = machine::project(&circuit, self.policy, intents, self.now);
        entries.extend(noted.entries);
        Ok((entries, writing))
    }

    fn scene<'s>(&'s self, circuit: &'s Circuit, entries: &'s [Entry]) -> Scene<'s> {
        Scene {
            policy: self.policy,
            circuit,
            entries,
            now_ms: self.now.wall_ms,
            beside: &self.beside,
        }
    }

    fn misunderstood(&self, path: &str, text: &str, wrong: &Wrong) -> Failure {
        let place = self.places.whole(path);
        Failure::new(exit::STATE, format!("{}: {}", shown(&place), wrong.what))
            .excerpt(Excerpt::of(text, &wrong.span).lines(&place))
            .hint("treated as OPEN, and the file is left as it is")
            .hint("repair it, or move it away: it is rewritten from the stored state")
    }
}

impl Found {
    fn read(places: &Whereabouts, file: ProjectedFile) -> Result<Self, Failure> {
        let text = places.read(file.path, file.most_bytes);
        let text =
            text.map_err(|failure| failure.hint("treated as OPEN, and nothing was changed"))?;
        let digest = text.as_deref().map(sha256);
        Ok(Self { file, text, digest })
    }
}

impl Writing {
    /// Files to be written in this order, under the lock of those they belong to.
    pub(crate) fn locked(
        root: &Path,
        files: Vec<(&'static str, Content)>,
        held: Option<std::fs::File>,
    ) -> Self {
        Self {
            places: Rc::new(Whereabouts::usual(root)),
            files,
            appendices: Vec::new(),
            held,
        }
    }

    /// Makes the files say it. What is only added somewhere must not stop
    /// anything: it is told by a line instead.
    pub(crate) fn carry_out(self) -> Result<Vec<String>, Failure> {
        let failed = |path: &str, error: &std::io::Error| {
            format!(
                "{}: it cannot be written: {error}",
                shown(&self.places.whole(path))
            )
        };
        for (path, content) in &self.files {
            let (base, way) = self.places.find(path);
            let done = match content {
                Content::AsFound => Ok(()),
                Content::Removed => place::remove(base, &way),
                Content::Text(text) => self
                    .places
                    .prepare(path)
                    .and_then(|()| place::replace(base, &way, text.as_bytes())),
            };
            done.map_err(|error| {
                Failure::new(exit::STATE, failed(path, &error))
                    .hint("the decision is stored; the file follows as soon as it can be written")
            })?;
        }
        let mut notes = Vec::new();
        for one in &self.appendices {
            let (base, way) = self.places.find(one.path);
            let added = self.places.prepare(one.path);
            let added = added.and_then(|()| place::append(base, &way, &one.header, &one.text));
            if let Err(error) = added {
                notes.push(failed(one.path, &error));
            }
        }
        Ok(notes)
    }
}
