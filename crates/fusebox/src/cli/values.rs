//! How values are read that several commands take.

use fusebox_core::policy::THRESHOLD_RANGE;
use fusebox_workspace::SnapshotId;

use crate::amounts;

pub(super) fn snapshot(text: &str) -> Result<SnapshotId, String> {
    text.parse()
        .map_err(|_| "not the name of a snapshot".into())
}

/// Reads words for somebody who will read them: there must be some.
pub(super) fn words(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it must not be empty".into());
    }
    Ok(text.to_owned())
}

/// Reads the `-` that stands for standard input. A file is given to it by the shell.
pub(super) fn standard_input(text: &str) -> Result<String, String> {
    match text {
        "-" => Ok(text.to_owned()),
        _ => Err(format!(
            "it can only be `-`; a file is read with `- < {text}`"
        )),
    }
}

/// Reads the one letter or digit that a menu is answered with.
pub(super) fn key(text: &str) -> Result<char, String> {
    let mut keys = text.chars();
    match (keys.next(), keys.next()) {
        (Some(key), None) => Ok(key),
        _ => Err(format!("`{text}` is not one key such as c")),
    }
}

/// Reads a number that may be anything but zero.
pub(super) fn one_or_more(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("`{text}` is not a whole number of 1 or more"))
}

/// Reads a size in bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    amounts::bytes(text).ok_or_else(|| format!("`{text}` is not a size such as 64MB or 1GB"))
}

/// Reads an amount of US dollars as millionths.
pub(super) fn dollars(text: &str) -> Result<u64, String> {
    amounts::micro_usd(text)
        .ok_or_else(|| format!("`{text}` is not an amount of US dollars such as 5 or 2.50"))
}

pub(super) fn threshold() -> clap::builder::RangedU64ValueParser<u32> {
    let range = u64::from(*THRESHOLD_RANGE.start())..=u64::from(*THRESHOLD_RANGE.end());
    clap::builder::RangedU64ValueParser::new().range(range)
}
