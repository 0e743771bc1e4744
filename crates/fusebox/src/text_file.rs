//! Reading a text file without trusting it to be one.
//!
//! A file of the project was put there by whoever wrote the repository. It may be
//! a link to a secret, a pipe that never ends, or larger than memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use fusebox_files::beneath::{self, Missing};
use fusebox_files::regular;
use rustix::io::Errno;

pub(crate) use fusebox_files::Links;

/// The text of a file of no more than `most` bytes; `None` if there is none. The error
/// says why it cannot be had, without the path.
pub(crate) fn read(path: &Path, links: Links, most: u64) -> Result<Option<String>, String> {
    text(regular::open(path, links), links, most)
}

/// The same for `path` below `root`, with no link followed on the way either.
pub(crate) fn read_beneath(root: &Path, path: &Path, most: u64) -> Result<Option<String>, String> {
    let opened = || {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::XDEV.into());
        };
        let parent = beneath::directory(beneath::root(root)?, parent, Missing::Fails)?;
        regular::open_at(parent, name, Links::Refuse)
    };
    text(opened(), Links::Refuse, most)
}

fn text(opened: io::Result<File>, links: Links, most: u64) -> Result<Option<String>, String> {
    let file = match opened {
        Ok(file) => file,
        Err(error) => return unopened(&error, links),
    };
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("it cannot be read: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("it is larger than {} KB", most / 1024));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        format!("line {line} is not UTF-8")
    })?;
    Ok(Some(text))
}

/// That there is none is no mistake; everything else is.
fn unopened(error: &io::Error, links: Links) -> Result<Option<String>, String> {
    Err(match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Some(Errno::XDEV) => "it is not below the workspace".into(),
        Some(Errno::LOOP) if links == Links::Refuse => {
            "it is a symbolic link or behind one, and a repository's are not followed".into()
        }
        Some(error) => format!("it cannot be opened: {error}"),
        // Not the system's refusal, but ours.
        None => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST_BYTES: u64 = 64 << 10;

    #[test]
    fn links_are_followed_only_where_the_user_keeps_their_own() {
        let top = tempfile::tempdir().unwrap();
        let (real, link) = (top.path().join("real"), top.path().join("link"));
        std::fs::write(&real, "x = 1").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(
            read(&link, Links::Follow, MOST_BYTES),
            Ok(Some("x = 1".into()))
        );
        assert!(
            read(&link, Links::Refuse, MOST_BYTES)
                .unwrap_err()
                .contains("symbolic link")
        );
        assert_eq!(
            read(&top.path().join("none"), Links::Refuse, MOST_BYTES),
            Ok(None)
        );
        assert_eq!(
            read(&real.join("below"), Links::Follow, MOST_BYTES),
            Ok(None)
        );
    }

    #[test]
    fn the_largest_file_is_read_and_a_byte_more_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("file");
        let most = usize::try_from(MOST_BYTES).unwrap();
        std::fs::write(&path, " ".repeat(most)).unwrap();
        assert_eq!(
            read(&path, Links::Refuse, MOST_BYTES)
                .unwrap()
                .map(|t| t.len()),
            Some(most)
        );
        std::fs::write(&path, " ".repeat(most + 1)).unwrap();
        assert_eq!(
            read(&path, Links::Refuse, MOST_BYTES),
            Err("it is larger than 64 KB".into())
        );
    }
}
