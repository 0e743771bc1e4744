//! When are two errors the same error?
//!
//! The same failure rarely prints the same bytes twice: line numbers move,
//! addresses and durations change, temporary paths come and go. A
//! [`Signature`] is what is left when those are masked. The error's type stays
//! part of it, so that two different failures with alike wording stay apart.

mod data;
mod normalise;
mod output;
mod template;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::observation::{ErrorReport, Observation};
use crate::policy::ErrorIdentity;
use crate::text::clip;

pub use normalise::normalise;
use normalise::without_directories;
pub use output::output_id;
pub use template::Template;

/// The longest normalised text that is kept for showing, in bytes.
const SHOWN_BYTES: usize = 160;

/// The identity of an error across iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(pub u64);

/// The errors that were seen in one iteration, each with its identity; `None`
/// where nothing is known of errors.
pub(crate) type Identified<'a> = Option<Vec<(Signature, &'a ErrorReport)>>;

/// Finds out the identity of each error once, for all who ask for it.
pub(crate) fn identified(facts: &Observation, identity: ErrorIdentity) -> Identified<'_> {
    let with_identity = |error| Some((Signature::of(error, identity)?, error));
    let errors = facts.errors.seen()?;
    Some(errors.iter().filter_map(with_identity).collect())
}

impl Signature {
    /// The identity of `error`; `None` if this way of telling errors apart does
    /// not take it for one.
    ///
    /// ```
    /// use fusebox_core::observation::ErrorReport;
    /// use fusebox_core::policy::ErrorIdentity;
    /// use fusebox_core::signature::Signature;
    ///
    /// let signature = |message: &str| {
    ///     let error = ErrorReport {
    ///         kind: Some("TypeError".into()),
    ///         message: message.into(),
    ///         ..ErrorReport::default()
    ///     };
    ///     Signature::of(&error, ErrorIdentity::Normalised)
    /// };
    /// // What varies is masked, what is wrong is not.
    /// let first = signature("'total' is not a function after 12 ms");
    /// assert_eq!(first, signature("'total' is not a function after 31 ms"));
    /// assert_ne!(first, signature("'price' is not a function after 12 ms"));
    /// ```
    #[must_use]
    pub fn of(error: &ErrorReport, identity: ErrorIdentity) -> Option<Self> {
        let kind = error.kind.as_deref().unwrap_or_default();
        match identity {
            ErrorIdentity::Normalised => {
                Some(Self::hash(&[kind.trim(), "\0", &normalise(&error.message)]))
            }
            ErrorIdentity::Placed => {
                let message = normalise(&error.message);
                let (what, place) = place(error).unwrap_or_default();
                Some(Self::hash(&[kind.trim(), "\0", &message, what, &place]))
            }
            ErrorIdentity::Exact => Some(Self::hash(&[&error.message, kind])),
            ErrorIdentity::FirstLine => {
                first_line(error).map(|line| Self::hash(&[&mask_lines(&line)]))
            }
        }
    }

    /// The first bits of the SHA-256 of all parts, few enough to be exact in
    /// every reader of JSON.
    fn hash(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        parts.iter().for_each(|part| hash.update(part));
        Self::of_digest(&hash.finalize().into())
    }

    /// The identity that goes with a SHA-256, for those who know no more of an
    /// error than that.
    #[must_use]
    pub fn of_digest(digest: &[u8; 32]) -> Self {
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        Self(u64::from_be_bytes(first) >> 11)
    }
}

/// What tells two errors with the same message apart, and what kind of thing that is: the name of
/// the failing test, with what varies in it masked; without a test, the name of the file, without
/// its directories; without a file, a hash of the whole output. The line number does not count,
/// because every edit moves it.
fn place(error: &ErrorReport) -> Option<(&'static str, String)> {
    let test = error.test.as_deref().map(str::trim);
    let file = || error.file.as_deref().map(without_directories);
    let output = || error.output.map(|digest| digest.to_string());
    test.map(|name| ("\0test\0", test_name(name)))
        .or_else(|| Some(("\0file\0", file()?)))
        .or_else(|| Some(("\0output\0", output()?)))
}

/// The name of a test without what is easily another one each time: a number, an identifier, the
/// directories of a path, and with which parameters it was run.
fn test_name(name: &str) -> String {
    let parameters = name.strip_suffix(']').and_then(|name| name.find('['));
    normalise(&name[..parameters.filter(|at| *at > 0).unwrap_or(name.len())])
}

/// What an error says, for those that nothing but their output places: a program can print something
/// else each time it fails in the same way.
pub(crate) fn of_message(error: &ErrorReport) -> Option<Signature> {
    let is_placed = error.test.is_some() || error.file.is_some();
    error.output.filter(|_| !is_placed)?;
    Signature::of(error, ErrorIdentity::Normalised)
}

/// The first line that names an error. A reported type counts as part of the
/// line, since it is where `TypeError:` comes from.
fn first_line(error: &ErrorReport) -> Option<String> {
    const NAMES: [&str; 4] = ["Error:", "Exception:", "Failed:", "FAIL:"];
    let whole = match error.kind.as_deref() {
        Some(kind) if !error.message.starts_with(kind) => format!("{kind}: {}", error.message),
        _ => error.message.clone(),
    };
    whole
        .lines()
        .find(|line| NAMES.iter().any(|name| line.contains(name)))
        .map(str::to_owned)
}

/// `at line 12` becomes `at line N`, `:12:` becomes `:N:`, and nothing else.
#[must_use]
pub fn mask_lines(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let digits = from
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(from.len());
        let (number, after) = from.split_at(digits);
        out.push_str(before);
        let between_colons = out.ends_with(':') && after.starts_with(':');
        out.push_str(if between_colons || out.ends_with("at line ") {
            "N"
        } else {
            number
        });
        rest = after;
    }
    out + rest
}

/// The error in a few words, as it is told apart from others: of a text of which one line counts,
/// that line.
pub(crate) fn told(error: &ErrorReport, identity: ErrorIdentity) -> String {
    let line = first_line(error).filter(|_| identity == ErrorIdentity::FirstLine);
    line.map_or_else(
        || summary(error),
        |line| clip(line.trim(), SHOWN_BYTES).to_owned(),
    )
}

/// The longest name of a test that is added to what is shown, in bytes.
const TEST_BYTES: usize = 96;

/// The test of the error, as far as it is shown.
pub(crate) fn test_shown(error: &ErrorReport) -> Option<String> {
    let test = error.test.as_deref()?.trim();
    Some(clip(test, TEST_BYTES).to_owned())
}

/// The error in a few words, for evidence.
#[must_use]
pub fn summary(error: &ErrorReport) -> String {
    let text = error
        .message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let text = clip(&text, SHOWN_BYTES);
    match error.kind.as_deref() {
        Some(kind) if text.is_empty() => kind.to_owned(),
        Some(kind) if !text.starts_with(kind) => format!("{kind}: {text}"),
        _ => text.to_owned(),
    }
}
