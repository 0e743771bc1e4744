//! Working beside a blackboard that others write on.
//!
//! The observer reads all of it and writes its own section, a checkpoint and a
//! report. A blackboard is edited by everybody all day long, so what is held
//! against the memory is the section alone: whoever finds it as it was before we
//! wrote knows that we were interrupted, as it was after that nobody was here, and
//! different that a person was.
//!
//! A person may release by editing. That is believed only of an edit made after the
//! halt, with the checkpoint gone, and with nothing alive that the breaker guards.

mod follow;

pub(crate) use follow::report_of;

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use fusebox_core::journal::{Actor, AuthorityProof, Projection};
use fusebox_core::machine::{self, Adoption, Step};
use fusebox_core::patterns::EntryHash;
use fusebox_core::{Circuit, Entry, Moment, Policy};
use fusebox_files::regular;
use fusebox_seeds::liza::{self, Board, BoardStatus};
use rustix::fs::{Mode, OFlags};

use crate::digest::sha256;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;
use crate::text_file;

/// A checkpoint holds a few lines.
const CHECKPOINT_BYTES: u64 = 64 << 10;
/// And a report a table.
const REPORT_BYTES: u64 = 8 << 20;
/// How long others may hold the blackboard.
const PATIENCE: Duration = Duration::from_secs(5);

/// A blackboard as it was found.
pub(crate) struct Blackboard {
    /// Its text, if there is one.
    text: Option<String>,
    /// What it says.
    pub(crate) board: Option<Board>,
    /// What the checkpoint says, by its digest, if there is one.
    checkpoint: Option<String>,
    /// The report of what is being decided, once that is known.
    pub(crate) report: Option<String>,
    /// Held until everything is written.
    lock: Option<File>,
}

/// Whose an edit of the blackboard can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Editor {
    /// Only a person's: nothing is alive that the breaker guards, nor was until just now, as
    /// far as is known.
    Person,
    /// Anybody's.
    Unknown,
    /// That of an agent which was at work until just now.
    Agent,
}

/// The circuit after a look at the blackboard, and what came of that.
pub(crate) struct Reconciled {
    /// Whether the blackboard is to be told again what an agent took back.
    retell: bool,
    pub(crate) circuit: Circuit,
    pub(crate) entries: Vec<Entry>,
    pub(crate) notes: Vec<String>,
}

impl Blackboard {
    /// Reads the blackboard below `root`; what was read `earlier` is not taken apart
    /// again.
    pub(crate) fn read(root: &Path, earlier: Option<Self>) -> Result<Self, Failure> {
        // Two holds on one lock would wait for each other.
        let earlier = earlier.map(|Self { text, board, .. }| (text, board));
        let lock = lock(root)?;
        let checkpoint = read(root, liza::CHECKPOINT, CHECKPOINT_BYTES)?;
        let text = read(root, liza::STATE, liza::MOST_BYTES)?;
        let board = match (&text, earlier) {
            (None, _) => None,
            (Some(_), Some((earlier, board))) if earlier == text => board,
            (Some(text), _) => Some(Board::read(text).map_err(|broken| misread(root, &broken))?),
        };
        Ok(Self {
            checkpoint: checkpoint.as_deref().map(sha256),
            report: None,
            text,
            board,
            lock,
        })
    }

    /// What would be analysed on the blackboard below `root`, by a digest: the anomalies, and
    /// the sprint that they are counted in.
    pub(crate) fn analysed(root: &Path) -> Result<String, Failure> {
        let board = Self::read(root, None)?.board;
        let analysed = board.map(|board| {
            let hashes: Vec<EntryHash> = board.anomalies.iter().map(EntryHash::of).collect();
            let passed: Vec<&str> = board.passed.iter().map(|one| one.why.as_str()).collect();
            sha256(&format!("{hashes:?} {passed:?} {:?}", board.sprint_ms))
        });
        Ok(analysed.unwrap_or_default())
    }

    /// The digest of the section, if there is one.
    fn section_digest(&self) -> Option<String> {
        let (text, board) = (self.text.as_ref()?, self.board.as_ref()?);
        board.section(text).map(sha256)
    }

    fn status(&self) -> &BoardStatus {
        self.board
            .as_ref()
            .map_or(&BoardStatus::Absent, |board| &board.status)
    }

    /// Whether it says that work may go on. Where nobody ever wrote a section, the
    /// checkpoint alone speaks.
    fn is_free(&self, without_section: bool) -> bool {
        let said = without_section || *self.status() != BoardStatus::Absent;
        said && self.is_untriggered() && self.checkpoint.is_none()
    }

    /// Whether its section, if there is one, names no trigger: whatever halts, then, is the
    /// checkpoint.
    fn is_untriggered(&self) -> bool {
        let named = self
            .board
            .as_ref()
            .is_some_and(|board| board.trigger.is_some());
        !named && matches!(self.status(), BoardStatus::Absent | BoardStatus::Ok)
    }

    /// Why it says that nothing may go on.
    fn halt(&self) -> Option<String> {
        match self.status() {
            _ if self.checkpoint.is_some() => Some(format!("{} is there", liza::CHECKPOINT)),
            BoardStatus::Triggered => Some(format!("{} says TRIGGERED", liza::STATE)),
            BoardStatus::Other(word) => {
                Some(format!("{} says `{word}`, which nobody knows", liza::STATE))
            }
            BoardStatus::Absent | BoardStatus::Ok => None,
        }
    }

    /// Takes over what the blackboard says: a halt always, a release only from a
    /// person.
    pub(crate) fn reconcile(
        &self,
        circuit: &Circuit,
        policy: &Policy,
        editor: Editor,
        now: &Moment,
    ) -> Result<Reconciled, Failure> {
        let mut done = Reconciled::unchanged(circuit);
        let found = self.section_digest();
        let known = projection(circuit, liza::SECTION);
        let Some(opening) = circuit.core.phase.opening() else {
            if let Some(why) = self.halt() {
                let adoption = Adoption {
                    open: Some(why.clone()),
                    // Whoever analyses at somebody else's checkpoint must be able to find
                    // something; the checkpoint halts all the same.
                    placeholder: self.is_untriggered(),
                    ..Adoption::default()
                };
                done.take(adopt(circuit, policy, &adoption, why, now));
                let files = vec![Projection {
                    path: liza::SECTION.into(),
                    before: found,
                    after: None,
                }];
                done.take(machine::project(&done.circuit, policy, files, now));
            }
            return Ok(done);
        };
        let theirs = is_theirs(circuit);
        let edited = known.is_some_and(|known| known.after != found && known.before != found);
        let freed = self.is_free(theirs) && (edited || theirs);
        if freed && editor == Editor::Agent && !theirs {
            let what = "that it was released, while an agent was at work".to_owned();
            done.notes
                .push(format!("{} said {what}; it is told otherwise", liza::STATE));
            done.take(machine::refuse_edit(
                circuit,
                policy,
                (liza::STATE.into(), what),
                now,
            ));
            done.retell = true;
        }
        if freed && editor == Editor::Person {
            let at_ms = opening.since.wall_ms;
            let board = self.board.as_ref();
            let said = board.and_then(|board| board.resolution(at_ms));
            let resolution = said.unwrap_or("released on the blackboard").to_owned();
            done.notes.push(format!(
                "released by an edit of {}: {resolution}",
                liza::STATE
            ));
            done.take(machine::resolve(
                circuit,
                policy,
                resolution,
                whoever_edited(),
                now,
            )?);
        }
        Ok(done)
    }
}

impl Reconciled {
    pub(crate) fn unchanged(circuit: &Circuit) -> Self {
        Self {
            retell: false,
            circuit: circuit.clone(),
            entries: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Whether the blackboard is to be told again, after what was decided on it: an agent took
    /// back what it said, or a mere sign to halt has given way to what only we know of.
    pub(crate) fn must_be_retold(&self, step: &Step) -> bool {
        self.retell || (is_placeholder(&self.circuit) && !is_placeholder(&step.circuit))
    }

    fn take(&mut self, step: Step) {
        self.entries.extend(step.entries);
        self.circuit = step.circuit;
    }
}

/// The last that a file was made to say.
fn projection<'c>(circuit: &'c Circuit, path: &str) -> Option<&'c Projection> {
    circuit.projections.iter().find(|known| known.path == path)
}

/// Whether what is open was halted by others, on the blackboard.
fn is_theirs(circuit: &Circuit) -> bool {
    let open = circuit.core.phase.opening().is_some();
    open && projection(circuit, liza::SECTION).is_some_and(|known| known.after.is_none())
}

/// Whether all that is known of an opening is that somebody wanted a halt.
fn is_placeholder(circuit: &Circuit) -> bool {
    let opening = circuit.core.phase.opening();
    opening.is_some_and(|opening| opening.placeholder)
}

fn adopt(
    circuit: &Circuit,
    policy: &Policy,
    adoption: &Adoption,
    why: String,
    now: &Moment,
) -> Step {
    let said = (liza::STATE.to_owned(), why);
    machine::adopt(circuit, policy, adoption, said, now)
}

/// Whoever edited the blackboard. They had to be outside of everything guarded.
fn whoever_edited() -> Actor {
    Actor {
        user: format!("an edit of {}", liza::STATE),
        proof: AuthorityProof::EditedFile,
    }
}

fn read(root: &Path, path: &str, most: u64) -> Result<Option<String>, Failure> {
    text_file::read_beneath(root, Path::new(path), most).map_err(|why| {
        Failure::new(exit::STATE, format!("{}: {why}", shown(&root.join(path))))
            .hint("treated as halted, and nothing was changed")
    })
}

fn misread(root: &Path, broken: &impl std::fmt::Display) -> Failure {
    let what = format!("{}: {broken}", shown(&root.join(liza::STATE)));
    Failure::new(exit::STATE, what).hint("the blackboard is left as it is; fix its YAML first")
}

/// Takes the lock that everybody takes who writes to the blackboard. Where there
/// can be none, nothing can be written either, and that is told when it comes to it.
fn lock(root: &Path) -> Result<Option<File>, Failure> {
    let directory = root.join(liza::DIRECTORY);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(directory) = rustix::fs::open(&directory, flags, Mode::empty()) else {
        return Ok(None);
    };
    let name = Path::new(liza::LOCK).file_name().unwrap_or_default();
    let Ok(file) = regular::update_at(&directory, name, Mode::from(0o644)) else {
        return Ok(None);
    };
    fusebox_files::lock(&file, PATIENCE).map_err(|busy| {
        let what = format!("{}: {busy}", shown(&root.join(liza::LOCK)));
        Failure::new(exit::STATE, what).hint("nothing was changed; run it again")
    })?;
    Ok(Some(file))
}
