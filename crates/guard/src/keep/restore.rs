//! Putting back: whole, in one step, and never through a link.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use fusebox_files::beneath::Missing;
use fusebox_files::drafts;
use fusebox_files::replace::{Permissions, put_at};
use rustix::fs::{AtFlags, FileType, Mode};

use super::Kept;
use super::beneath::{Root, kind, mode, parts};
use super::chmod;
use super::examine::Findings;
use super::ledger::{Entry, Form};
use super::report::{KeepError, Lost};
use super::signature::Seen;

/// Names that are tried for what must be moved out of the way, before one that says less.
const TRIES: u32 = 100;

impl Kept {
    /// Puts back everything that was lost, and says of each whether that worked.
    pub(super) fn restore(
        &mut self,
        root: &Root,
        findings: &Findings,
    ) -> Result<Vec<Lost>, KeepError> {
        let mut restored = Vec::new();
        // No more than the copies that are no longer wanted may have.
        let mut room = self.bounds.total_bytes;
        for (path, how) in findings.lost() {
            let Some(entry) = self.ledger.get(path).cloned() else {
                continue;
            };
            self.put_aside(root, path, &mut room)?;
            let result = self.put_back(root, path, &entry);
            if result.is_ok()
                && let Ok(now) = root.stat(path)
            {
                self.ledger.see(path, Seen::of(&now));
            }
            restored.push(Lost {
                path: path.to_owned(),
                how: how.clone(),
                restored: Some(result.map_err(|error| error.to_string())),
            });
        }
        Ok(restored)
    }

    /// Keeps what is there now: it may be somebody's work, only in the wrong place. What is too
    /// much for a copy stays beside it, under another name.
    fn put_aside(&self, root: &Root, path: &Path, room: &mut u64) -> Result<(), KeepError> {
        match root.content(path, self.bounds.file_bytes.min(*room)) {
            Ok(Some(content)) if !content.is_empty() => {
                self.objects.put(&content)?;
                *room -= content.len() as u64;
            }
            // Where it cannot be moved either, what is protected goes first.
            Ok(None) => drop(Place::of(root, path).and_then(|place| place.move_aside())),
            Ok(Some(_)) | Err(_) => {}
        }
        Ok(())
    }

    fn put_back(&self, root: &Root, path: &Path, entry: &Entry) -> io::Result<()> {
        let place = Place::of(root, path)?;
        let permissions = mode(entry.permissions);
        match &entry.form {
            Form::Directory => place.directory(permissions),
            Form::Link(target) => {
                place.clear_unless(FileType::Symlink)?;
                let new = drafts::free(&place.parent, Path::new(&place.name))?;
                rustix::fs::symlinkat(target, &place.parent, &new)?;
                place.take_from(&new)
            }
            Form::File { size, digest } => {
                let content = self.objects.get(*digest, *size)?;
                place.clear_unless(FileType::RegularFile)?;
                place.file(&content, permissions)
            }
        }
    }
}

/// A name in a directory that is held open.
struct Place {
    parent: OwnedFd,
    name: OsString,
}

impl Place {
    fn of(root: &Root, path: &Path) -> io::Result<Self> {
        let (parent, name) = parts(path)?;
        Ok(Self {
            parent: root.directory(parent, Missing::IsMade)?,
            name: name.to_owned(),
        })
    }

    fn parent(&self) -> BorrowedFd<'_> {
        self.parent.as_fd()
    }

    fn kind(&self) -> Option<FileType> {
        let stat = rustix::fs::statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        stat.ok().map(|stat| kind(&stat))
    }

    fn directory(&self, permissions: Mode) -> io::Result<()> {
        self.clear_unless(FileType::Directory)?;
        if self.kind().is_none() {
            rustix::fs::mkdirat(self.parent(), &self.name, permissions)?;
        }
        chmod::directory(self.parent(), &self.name, permissions)
    }

    fn file(&self, content: &[u8], permissions: Mode) -> io::Result<()> {
        let permissions = Permissions::Kept(permissions);
        put_at(&self.parent, &self.name, permissions, content).map(drop)
    }

    /// Gives this name to what was made under another one.
    fn take_from(&self, new: &Path) -> io::Result<()> {
        rustix::fs::renameat(self.parent(), new, self.parent(), &self.name)?;
        Ok(())
    }

    /// Moves out of the way what cannot simply be replaced. A link is only a name, and is
    /// replaced; anything else that is in the way may hold somebody's work.
    fn clear_unless(&self, wanted: FileType) -> io::Result<()> {
        match self.kind() {
            None => Ok(()),
            Some(found) if found == wanted => Ok(()),
            Some(FileType::Symlink) => {
                rustix::fs::unlinkat(self.parent(), &self.name, AtFlags::empty())?;
                Ok(())
            }
            Some(_) => self.move_aside(),
        }
    }

    /// Gives what is there another name, beside this one.
    fn move_aside(&self) -> io::Result<()> {
        let rename = |name: &OsString| {
            rustix::fs::renameat_with(
                self.parent(),
                &self.name,
                self.parent(),
                name,
                rustix::fs::RenameFlags::NOREPLACE,
            )
            .map_err(io::Error::from)
        };
        for number in 1..=TRIES {
            let mut name = self.name.clone();
            name.push(format!(".aside.{number}"));
            match rename(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // There is no room for a longer name.
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename => break,
                done => return done,
            }
        }
        self.unused(rename)
    }

    /// Does something with a name that is not in use. It is short, because this one may be as
    /// long as names can be, and nobody can have occupied it.
    fn unused(&self, with: impl FnOnce(&OsString) -> io::Result<()>) -> io::Result<()> {
        let random = getrandom::u64().map_err(io::Error::other)?;
        with(&OsString::from(format!(".fusebox-{random:016x}")))
    }
}
