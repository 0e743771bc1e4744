//! Where paths lead, links followed.
//!
//! Most of what is looked up here does not exist, and nearly all of it lies below a few
//! directories; an agent waits meanwhile. So each directory is looked at once, and what lies
//! below one that is not there is not looked for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Paths that were followed, and where they lead.
#[derive(Default)]
pub(super) struct RealPaths {
    /// By the letters of the path: comparing paths name by name is most of the work otherwise.
    known: BTreeMap<OsString, Real>,
}

#[derive(Clone)]
struct Real {
    path: PathBuf,
    exists: bool,
}

impl RealPaths {
    /// Where an absolute path leads. What does not exist yet lies where it would be created.
    pub(super) fn of(&mut self, path: &Path) -> PathBuf {
        self.follow(path).path
    }

    fn follow(&mut self, path: &Path) -> Real {
        if let Some(known) = self.known.get(path.as_os_str()) {
            return known.clone();
        }
        let real = self.look(path);
        self.known.insert(path.into(), real.clone());
        real
    }

    fn look(&mut self, path: &Path) -> Real {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            // The root, or a path that ends in `..`.
            let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            return Real { path, exists: true };
        };
        let parent = self.follow(parent);
        let path = parent.path.join(name);
        if !parent.exists {
            return Real {
                path,
                exists: false,
            };
        }
        match fs::symlink_metadata(&path) {
            Err(_) => Real {
                path,
                exists: false,
            },
            Ok(about) if about.is_symlink() => match path.canonicalize() {
                Ok(path) => Real { path, exists: true },
                // It leads nowhere yet; the link itself is what can be protected.
                Err(_) => Real {
                    path,
                    exists: false,
                },
            },
            Ok(_) => Real { path, exists: true },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_what_is_and_to_what_would_be() {
        let place = tempfile::tempdir().expect("a directory");
        let at = place.path().canonicalize().expect("its path");
        fs::create_dir_all(at.join("dotfiles/claude")).expect("directories");
        fs::write(at.join("dotfiles/rc"), "").expect("a file");
        symlink("dotfiles/claude", at.join(".claude")).expect("a link");
        symlink("dotfiles/rc", at.join(".rc")).expect("a link");
        symlink("nowhere", at.join(".lost")).expect("a link");
        let mut real = RealPaths::default();
        for (path, leads_to) in [
            (".claude", "dotfiles/claude"),
            (".claude/settings.json", "dotfiles/claude/settings.json"),
            (".claude/new/deep/file", "dotfiles/claude/new/deep/file"),
            (".rc", "dotfiles/rc"),
            (".lost", ".lost"),
            (".lost/below", ".lost/below"),
            ("dotfiles/claude", "dotfiles/claude"),
            ("dotfiles/../.claude", "dotfiles/claude"),
        ] {
            assert_eq!(real.of(&at.join(path)), at.join(leads_to), "{path}");
        }
        assert_eq!(real.of(Path::new("/")), Path::new("/"));
    }
}
