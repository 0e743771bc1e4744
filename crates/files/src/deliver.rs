//! What a person asked to be written where they said.
//!
//! Whoever names a file wants that file to be there whole, or what was there before; whoever
//! names a device or a pipe wants it to be fed, and not to be gone. So what is named decides:
//!
//! * a regular file, or nothing yet: replaced in one step;
//! * a link: what it leads to, by these same rules, and the link stays;
//! * a pipe or a device: written through, if somebody is there to take it;
//! * a directory: refused.

use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::replace::{Permissions, replace_for};

/// As many links in a row as the system itself follows.
const MOST_LINKS: usize = 40;

/// Writes `content` to what `path` names. `mode` is that of a new file; one that was there
/// keeps its own.
///
/// # Errors
/// What the system says; a regular file is then what it was before.
pub fn deliver(path: &Path, mode: Mode, content: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(about) if about.is_file() => {
            let real = fs::canonicalize(path)?;
            // A file that is open and has no name any more has nothing to be replaced.
            if !fs::metadata(&real).is_ok_and(|found| is_same(&found, &about)) {
                return through(path, &about, content);
            }
            replace_for(&real, Permissions::of(&about), content)
        }
        Ok(about) => through(path, &about, content),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            replace_for(&end_of_links(path)?, Permissions::New(mode), content)
        }
        Err(error) => Err(error),
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Opened without waiting, because nobody may ever come to read; written with patience,
/// because whoever reads may be slow.
fn through(path: &Path, about: &Metadata, content: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| match error {
        Errno::NXIO if about.file_type().is_fifo() => {
            io::Error::other("it is a pipe, and nobody reads from it")
        }
        error => error.into(),
    })?;
    let mut file = File::from(opened);
    if !is_same(&file.metadata()?, about) {
        return Err(io::Error::other("it was replaced meanwhile"));
    }
    let patient = rustix::fs::fcntl_getfl(&file)? - OFlags::NONBLOCK;
    rustix::fs::fcntl_setfl(&file, patient)?;
    if about.is_file() {
        file.set_len(0)?;
    }
    file.write_all(content)
}

/// Where a row of links leads that ends at nothing.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&at) {
            Ok(next) => at = at.parent().unwrap_or(Path::new("")).join(next),
            // No link, or nothing at all: this is where the file is to be.
            Err(_) => return Ok(at),
        }
    }
    Err(Errno::LOOP.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::pipe;
    use std::io::Read as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn deliver(path: &Path, content: &str) -> io::Result<()> {
        super::deliver(path, Mode::from(0o640), content.as_bytes())
    }

    #[test]
    fn a_file_is_replaced_in_one_step_and_keeps_who_may_read_it() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        let mode_of = |name| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        deliver(&at("page"), "new").unwrap();
        assert_eq!(mode_of("page"), 0o640);
        fs::set_permissions(at("page"), fs::Permissions::from_mode(0o606)).unwrap();
        fs::hard_link(at("page"), at("before")).unwrap();
        deliver(&at("page"), "newer").unwrap();
        assert_eq!(fs::read_to_string(at("page")).unwrap(), "newer");
        assert_eq!(mode_of("page"), 0o606);
        let before = fs::read_to_string(at("before")).unwrap();
        assert_eq!(before, "new", "it was written over in place");
        fs::create_dir(at("folder")).unwrap();
        deliver(&at("folder"), "newest").unwrap_err();
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_replaced() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::create_dir(at("kept")).unwrap();
        symlink("kept/page", at("first")).unwrap();
        symlink("first", at("second")).unwrap();
        for content in ["made", "replaced"] {
            deliver(&at("second"), content).unwrap();
            assert_eq!(fs::read_to_string(at("kept/page")).unwrap(), content);
        }
        assert!(at("first").is_symlink() && at("second").is_symlink());
        assert_eq!(fs::read_dir(at("kept")).unwrap().count(), 1);
        symlink("round", at("round")).unwrap();
        deliver(&at("round"), "never").unwrap_err();
        assert!(at("round").is_symlink());
    }

    #[test]
    fn a_pipe_is_fed_and_stays_one() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("pipe");
        pipe(&path);
        let alone = deliver(&path, "nobody reads").unwrap_err();
        assert!(alone.to_string().contains("nobody reads from it"));
        // More than a pipe holds, so that writing has to wait.
        let content = "line\n".repeat(100_000);
        let both = File::options().read(true).write(true).open(&path).unwrap();
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut read = vec![0; content.len()];
                (&both).read_exact(&mut read).unwrap();
                read
            });
            deliver(&path, &content).unwrap();
            reader.join().unwrap()
        });
        assert_eq!(read, content.as_bytes());
        let about = path.symlink_metadata().unwrap();
        assert!(about.file_type().is_fifo());
    }
}
