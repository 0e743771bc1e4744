//! What is remembered of a session between two calls of a hook.
//!
//! Each call is a process of its own, so it is kept in a small file for each session, which
//! whoever changes it holds. The breaker's own memory is elsewhere and is not written for every
//! tool: what is lost with this file is the beginning of a turn, never a trip.

pub(crate) mod flight;

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fusebox_core::calls::{CallState, STATE_BYTES};
use fusebox_files::regular::{self, Links};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::exit;
use crate::failure::Failure;
use flight::Flight;

/// The version of the file.
const VERSION: u16 = 1;
/// The largest file that is believed: the calls, the features that pass, and a little beside them.
const MOST_BYTES: u64 = (STATE_BYTES + PASSING_BYTES + 4 * 1024) as u64;
/// The room for the features that pass.
pub(crate) const PASSING_BYTES: usize = 20 * 1024;

/// What most sessions stay below.
const USUAL_BYTES: usize = 4 * 1024;
/// How long to wait for another call of the same session.
const PATIENCE: Duration = Duration::from_secs(1);
/// Sessions that have been silent for longer are forgotten.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Why no tools may be used in a turn of which it is not known any more what it did.
const DAMAGED: &str = "what fusebox remembered of this session was cut off; it begins anew with the \
    next prompt";
/// The same where what it did could not be written down.
const LOST: &str = "fusebox could not keep what this session did, so what it has not seen might be \
    what decides; it begins anew with the next prompt";

/// What is remembered of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Turn {
    version: u16,
    /// The work tree when the turn began.
    pub(crate) tree: Option<String>,
    /// The features that passed then, where sessions are counted by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) passing: Option<Vec<u64>>,
    /// Whether something was done in this turn that could change files.
    pub(crate) attempted: bool,
    /// How long the transcript was when the turn began.
    pub(crate) transcript: Option<u64>,
    /// Whether there were copies of what is protected: then there must be some.
    #[serde(default)]
    pub(crate) kept: bool,
    /// The grant that somebody outside holds for this turn, who will report it: it was there
    /// when the turn began, and is of no turn before.
    #[serde(default)]
    pub(crate) awaited: Option<u64>,
    /// The last grant that was there when a turn began.
    #[serde(default)]
    met: Option<u64>,
    /// Whether the agent has been at work since somebody last looked at what is protected at
    /// the end of a turn. Whatever is lost meanwhile is not a person's doing.
    #[serde(default)]
    pub(crate) working: bool,
    /// The tools that are under way.
    #[serde(default)]
    flights: Vec<Flight>,
    /// Why no more tools may be used in this turn.
    pub(crate) over: Option<String>,
    /// The calls of the session, as far as loops are concerned.
    pub(crate) calls: CallState,
}

impl Turn {
    /// Another turn of the session begins, with the work tree and the features as they are.
    pub(crate) fn begin(&mut self, tree: Option<String>, passing: Option<Vec<u64>>) {
        self.tree = tree;
        self.passing = passing;
        self.attempted = false;
        self.over = None;
    }

    /// Whether it is over because something of it was lost, its end perhaps.
    pub(crate) fn is_lost(&self) -> bool {
        self.over.as_deref() == Some(LOST)
    }

    /// A turn begins while this grant waits for its report. A loop with `check` and `record` has
    /// one turn for each; a grant that is older was never a loop's, or has been given up.
    pub(crate) fn meet(&mut self, grant: Option<u64>) {
        self.awaited = grant.filter(|grant| self.met != Some(*grant));
        self.met = grant;
    }
}

/// The files of a workspace's sessions.
pub(crate) fn directory(workspace: &Path) -> PathBuf {
    workspace.join("hooks")
}

/// The file of a session of an agent.
pub(crate) fn file(workspace: &Path, agent: &str, session: &str, part: Option<&str>) -> PathBuf {
    let whole = format!("{session}\0{}", part.unwrap_or_default());
    directory(workspace).join(format!("{agent}-{}", short(&whole)))
}

/// A name for a file, made of anything.
pub(crate) fn short(text: &str) -> String {
    base16ct::lower::encode_string(&Sha256::digest(text)[..12])
}

/// Changes what is remembered, while holding it.
pub(crate) fn update(path: &Path, change: impl FnOnce(&mut Turn)) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        let what = format!(
            "cannot keep what this session did in {}: {error}",
            path.display()
        );
        Failure::new(exit::STATE, what)
    };
    if let Some(directory) = path.parent() {
        let made = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory);
        made.map_err(failed)?;
    }
    let mut file = fusebox_files::lock_file(path, PATIENCE).map_err(|busy| failed(busy.into()))?;
    let before = bytes(&mut file).unwrap_or_default();
    let mut turn = parsed(&before).unwrap_or_else(|| after_damage(&before));
    let lost = lost_beside(path);
    let has_lost = lost.exists();
    if has_lost {
        turn.over.get_or_insert_with(|| LOST.to_owned());
        turn.working = true;
    }
    change(&mut turn);
    turn.version = VERSION;
    let text = serde_json::to_vec(&turn).map_err(|error| failed(error.into()))?;
    if text != before.trim_ascii_end() {
        write_over(&file, &before, text).map_err(failed)?;
    }
    if has_lost {
        fs::remove_file(lost).map_err(failed)?;
    }
    Ok(())
}

/// What a session did could not be taken in: no more tools may be used in its turn, because what
/// is missing may be what would have decided. A file without content is made where a disk is full,
/// and whoever holds what is remembered does not hold this. Where not even that can be done, what
/// is remembered is cut off, which takes no room either; and where nothing can be changed, the
/// next tool is refused for that.
pub(crate) fn lose(path: &Path) {
    if regular::append(&lost_beside(path)).is_err()
        && let Ok(file) = fusebox_files::lock_file(path, PATIENCE)
    {
        // So short that it says nothing, however much of it was only filled up.
        let _ = file.set_len(1);
    }
}

/// What says that a session did more than is remembered.
pub(crate) fn lost_beside(turn: &Path) -> PathBuf {
    turn.with_extension("lost")
}

/// Writes in place: the file is its own lock, and a new one for every call of a tool would cost
/// more than all the rest. One write holds everything, so that a kill leaves the one text or the
/// other; what is shorter than before is filled up with spaces. A disk that takes only a part of it
/// has room for what was there before.
fn write_over(file: &File, before: &[u8], mut text: Vec<u8>) -> io::Result<()> {
    let whole = text.len().max(before.len());
    text.resize(whole, b' ');
    let written = file.write_all_at(&text, 0);
    let kept = if written.is_ok() { &text } else { before };
    let length = kept.len() as u64;
    if written.is_err() {
        file.write_all_at(before, 0)?;
    }
    // Dearer than all the rest, and seldom needed.
    if file.metadata()?.len() > length {
        file.set_len(length)?;
    }
    written
}

/// What is remembered in a file that another session may hold at the moment.
pub(crate) fn seen(path: &Path) -> Option<Turn> {
    let mut file = regular::open(path, Links::Refuse).ok()?;
    parsed(&bytes(&mut file)?)
}

fn bytes(file: &mut File) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(USUAL_BYTES);
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

/// What to go on with where nothing is remembered. A file that was cut off by a full disk may
/// have said that no more tools may be used in this turn: then that holds until the next one.
fn after_damage(text: &[u8]) -> Turn {
    let is_whole = text.is_empty() || serde_json::from_slice::<IgnoredAny>(text).is_ok();
    Turn {
        over: (!is_whole).then(|| DAMAGED.to_owned()),
        working: !is_whole,
        ..Turn::default()
    }
}

/// What is remembered; nothing, if it cannot be read or another release wrote it.
fn parsed(text: &[u8]) -> Option<Turn> {
    serde_json::from_slice::<Turn>(text)
        .ok()
        .filter(|turn| turn.version == VERSION && turn.calls.is_current())
}

/// A door for the fuzzer: what a session's file says is written as it was read, whatever is begun
/// and ended in it, and what is left of one that was cut off lets no more tools be used.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_back(bytes: &[u8]) {
    let remembered = |text: &[u8]| parsed(text).unwrap_or_else(|| after_damage(text));
    let mut turn = remembered(bytes);
    let over = turn.over.is_some();
    turn.take_off("call");
    assert!(turn.is_in_flight());
    turn.land("call");
    turn.meet(turn.awaited);
    assert_eq!(turn.over.is_some(), over);
    turn.version = VERSION;
    let text = serde_json::to_vec(&turn).expect("a turn can be written");
    assert_eq!(parsed(&text), Some(turn));
    let step = text.len() / 50 + 1;
    for end in (1..text.len()).step_by(step) {
        let cut = remembered(&text[..end]);
        assert!(cut.over.is_some() && cut.working, "cut at {end}");
    }
    // A shorter one that is written over a longer one is filled up to its length.
    let mut filled = text.clone();
    filled.resize(bytes.len().max(text.len()), b' ');
    assert_eq!(parsed(&filled), parsed(&text));
}

/// Forgets sessions that have long been silent. One that has just ended may be resumed, and
/// tells when the agent last called.
pub(crate) fn forget_old(workspace: &Path) {
    let entries = fs::read_dir(directory(workspace));
    for entry in entries.into_iter().flatten().flatten() {
        if silence(&entry).is_some_and(|silence| silence > KEPT) {
            // Somebody else may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// How long ago a file was written.
pub(crate) fn silence(entry: &fs::DirEntry) -> Option<Duration> {
    let written = entry.metadata().and_then(|about| about.modified()).ok()?;
    SystemTime::now().duration_since(written).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_their_parts_have_files_of_their_own() {
        let at = Path::new("/w");
        let names = [
            file(at, "claude", "s", None),
            file(at, "claude", "s", Some("a")),
            file(at, "claude", "sa", None),
            file(at, "codex", "s", None),
        ];
        for (index, name) in names.iter().enumerate() {
            assert!(!names[index + 1..].contains(name), "{name:?}");
        }
    }

    /// What was cut off may have said that no more tools may be used.
    #[test]
    fn what_cannot_be_read_is_begun_anew_and_what_was_cut_off_is_over() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("hooks/claude-1");
        for (damage, is_over) in [
            (&b""[..], false),
            (b"{", true),
            (b"\xff", true),
            (br#"{"version":9,"attempted":true}"#, false),
        ] {
            update(&path, |turn| turn.attempted = true).expect("kept");
            fs::write(&path, damage).expect("damaged");
            let mut seen = None;
            let note = |turn: &mut Turn| seen = Some((turn.attempted, turn.over.is_some()));
            update(&path, note).expect("kept");
            assert_eq!(seen, Some((false, is_over)), "{damage:?}");
            update(&path, |turn| turn.begin(None, None)).expect("kept");
        }
        update(&path, |turn| turn.attempted = true).expect("kept");
        let mut seen = None;
        update(&path, |turn| seen = Some(turn.attempted)).expect("kept");
        assert_eq!(seen, Some(true));
    }

    /// Whoever holds what is remembered keeps nobody from noting that it is not all.
    #[test]
    fn a_turn_of_which_something_was_lost_is_over_until_the_next_one() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("hooks/claude-1");
        update(&path, |turn| turn.attempted = true).expect("kept");
        let held = fusebox_files::lock_file(&path, PATIENCE).expect("held");
        lose(&path);
        drop(held);
        for _ in 0..2 {
            let mut seen = None;
            update(&path, |turn| seen = turn.over.clone()).expect("kept");
            assert_eq!(seen.as_deref(), Some(LOST));
        }
        update(&path, |turn| turn.begin(None, None)).expect("kept");
        let mut seen = None;
        update(&path, |turn| {
            seen = Some((turn.attempted, turn.over.clone()));
        })
        .expect("kept");
        assert_eq!(seen, Some((false, None)));
    }

    /// Where nothing can be made beside it, what is remembered goes instead.
    #[test]
    fn a_loss_that_cannot_be_noted_is_one_of_everything() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("hooks/claude-1");
        update(&path, |turn| turn.tree = Some("x".repeat(500))).expect("kept");
        update(&path, |turn| turn.tree = None).expect("kept");
        fs::create_dir(lost_beside(&path)).expect("in the way");
        lose(&path);
        fs::remove_dir(lost_beside(&path)).expect("removed");
        let mut seen = None;
        update(&path, |turn| seen = turn.over.clone()).expect("kept");
        assert_eq!(seen.as_deref(), Some(DAMAGED));
    }

    #[test]
    fn one_write_leaves_all_of_it_whatever_was_there_before() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("hooks/claude-1");
        let long = "x".repeat(500);
        update(&path, |turn| turn.tree = Some(long)).expect("kept");
        let before = fs::read(&path).expect("a file");
        update(&path, |turn| turn.tree = None).expect("kept");
        let after = fs::read(&path).expect("a file");
        assert_eq!(after.len(), before.len(), "it is not cut off afterwards");
        let calls = |turn: &mut Turn| assert_eq!((&turn.tree, &turn.over), (&None, &None));
        update(&path, calls).expect("kept");
        assert_eq!(fs::read(&path).expect("a file"), after, "nothing was new");
    }

    #[test]
    fn sessions_that_have_long_been_silent_are_forgotten() {
        let workspace = tempfile::tempdir().expect("a directory");
        let [old, new] = ["old", "new"].map(|name| file(workspace.path(), "claude", name, None));
        for path in [&old, &new] {
            update(path, |turn| turn.attempted = true).expect("kept");
        }
        let long_ago = SystemTime::now() - KEPT - Duration::from_secs(1);
        let handle = File::options().write(true).open(&old).expect("the file");
        handle.set_modified(long_ago).expect("dated back");
        forget_old(workspace.path());
        assert!(new.exists() && !old.exists());
    }
}
