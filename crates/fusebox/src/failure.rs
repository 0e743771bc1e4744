//! What went wrong, said once: what, why, and what to do.

use std::io;

use fusebox_core::machine::Refused;
use fusebox_store::Error as StoreError;

use crate::exit;

/// What to do about a memory that the system does not let us read or write.
pub(crate) const NOT_OURS_TO_WRITE: &str =
    "let this user read and write there (`ls -ld` shows who may), then run it again";

/// What to do about a disk without room. Nothing was lost: whatever stood there still does.
pub(crate) const TO_MAKE_ROOM: &str =
    "what was there before is still there; make room and run it again";

/// Whether it failed for want of room, which no permission would change.
pub(crate) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// A command that could not be carried out.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: u8,
    /// What and why, in one line.
    pub(crate) what: String,
    /// The lines of a file that it is about.
    pub(crate) excerpt: Vec<String>,
    /// What to do, one line each.
    pub(crate) hints: Vec<String>,
    /// What else is wrong, where it would be a waste of time to tell one by one.
    pub(crate) also: Vec<Self>,
}

impl Failure {
    pub(crate) fn new(code: u8, what: impl Into<String>) -> Self {
        Self {
            code,
            what: what.into(),
            excerpt: Vec::new(),
            hints: Vec::new(),
            also: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn excerpt(mut self, lines: Vec<String>) -> Self {
        self.excerpt = lines;
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Whether it means that the memory cannot be believed.
    pub(crate) fn is_distrust(&self) -> bool {
        self.code == exit::STATE
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::OnlyTheCooldown => Self::new(exit::REFUSED, "this preset leaves a release to the cooldown alone")
                .hint("`fusebox status` says when a probe may run; `fusebox recover` changes what it will do"),
            Refused::OnlyACorrection => {
                Self::new(exit::REFUSED, "this preset leaves a release to the correction of what caused it")
                    .hint("a person corrects it, and says so: `fusebox resolve --resolution …`")
            }
            Refused::NotByCorrection => Self::new(exit::REFUSED, "this preset does not leave a release to a correction")
                .hint("`fusebox status` says what would release it"),
            Refused::NotOpen => Self::new(exit::REFUSED, "the breaker is not open"),
            Refused::NoSuchStrategy => Self::new(exit::REFUSED, "there is no such strategy, or no further one")
                .hint("strategies are numbered 1 to 4; where there are none, a person is to look at once"),
            Refused::NoPhase => Self::new(exit::REFUSED, "there is no phase to skip here"),
            Refused::StillOpen => Self::new(exit::REFUSED, "the breaker is open, and its rules do not change while it is")
                .hint("release it first; `fusebox status` says how"),
            Refused::OnlyAPerson => Self::new(
                exit::REFUSED,
                "what opened the breaker is for a person to look at, before another model tries",
            )
            .hint("`fusebox explain` says what it was; `fusebox reset --reason …` releases it"),
            Refused::TopOfTheLadder => Self::new(exit::REFUSED, "there is no stronger model left"),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let what = error.to_string();
        match error {
            StoreError::Tampered(_) => Self::new(exit::STATE, what)
                .hint("treated as OPEN until a person has reviewed it: see `fusebox doctor`")
                .hint("where its state is kept elsewhere, give `--state-dir` or FUSEBOX_STATE_DIR as before")
                .hint("`fusebox reset --reason …` starts over and keeps a copy"),
            StoreError::Newer { .. } => {
                Self::new(exit::STATE, what).hint("install that release, or a later one")
            }
            StoreError::Full { .. } => Self::new(exit::STATE, what)
                .hint("nothing was changed and nothing is lost; make room and run it again"),
            StoreError::Io { ref source, .. } if is_full(source) => Self::new(exit::STATE, what)
                .hint("treated as OPEN: unreadable state never counts as permission")
                .hint(TO_MAKE_ROOM),
            StoreError::Io { .. } => Self::new(exit::STATE, what)
                .hint("treated as OPEN: unreadable state never counts as permission")
                .hint(NOT_OURS_TO_WRITE),
            StoreError::Busy { .. }
            | StoreError::DraftRefused(_)
            | StoreError::ReadModel { .. } => Self::new(exit::INTERNAL, what),
            StoreError::Unsafe { .. } => Self::new(exit::CONFIG, what).hint(
                "make the directory private (`chmod 700`), or name another with `--state-dir`",
            ),
            StoreError::HeadsElsewhere { .. } => Self::new(exit::CONFIG, what)
                .hint("set XDG_DATA_HOME, or HOME, as it was when fusebox was first used here"),
            StoreError::RemoteFilesystem { .. } => Self::new(exit::MISSING, what)
                .hint("name a directory on a local disk with `--state-dir`"),
            StoreError::NoHome => {
                Self::new(exit::MISSING, what).hint("set HOME, or name one with `--state-dir`")
            }
            StoreError::CircuitName(_) | StoreError::TooLarge { .. } => {
                Self::new(exit::USAGE, what)
            }
        }
    }
}
