//! The file that holds an agent's settings.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use fusebox_agents::hook::Scope;
use fusebox_files::regular::{self, Links, OWNER_ALONE};
use fusebox_files::replace::{Permissions, replace_for};

use super::super::Context;
use crate::cli::Hooked;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// Far more than any settings are.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Where an agent's settings are.
pub(super) struct Place {
    pub(super) path: PathBuf,
}

impl Place {
    pub(super) fn of(context: &Context<'_>, agent: Hooked, scope: Scope) -> Result<Self, Failure> {
        let registration = agent.registration();
        let path = match scope {
            Scope::Project => {
                // Agents read the settings of the project that they are started in.
                let project = context.session_despite_config()?.located.project;
                project.join(registration.project)
            }
            Scope::User => {
                let named = registration.variable.and_then(|(variable, file)| {
                    let directory = std::env::var_os(variable).map(PathBuf::from);
                    Some(directory.filter(|path| path.is_absolute())?.join(file))
                });
                match named {
                    Some(path) => path,
                    None => home()?.join(registration.user),
                }
            }
        };
        Ok(Self { path })
    }

    /// What the file holds; `None` if there is no such file.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, Failure> {
        let about = match fs::symlink_metadata(&self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.refusal(&error.to_string())),
        };
        if about.is_symlink() {
            return Err(self.refusal("it is a symbolic link, and what it leads to may be shared"));
        }
        if !about.is_file() {
            return Err(self.refusal("it is not a file"));
        }
        if about.len() > MOST_BYTES {
            return Err(self.refusal("it is larger than any settings should be"));
        }
        if about.permissions().readonly() {
            return Err(self.refusal("it is read-only"));
        }
        let bytes = self.text();
        let bytes = bytes.map_err(|error| self.refusal(&error.to_string()))?;
        Ok(Some(bytes))
    }

    /// What there is to read, also where nothing would be written.
    pub(super) fn text(&self) -> io::Result<Vec<u8>> {
        let file = regular::open(&self.path, Links::Follow)?;
        let mut text = Vec::new();
        match regular::read_up_to(&file, MOST_BYTES, &mut text)? {
            true => Ok(text),
            false => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    /// Puts a new file in the place of the old one, whole or not at all. Answers with the
    /// directories that had to be made.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<Vec<PathBuf>, Failure> {
        let failed = |error: io::Error| self.refusal(&error.to_string());
        let directory = self.path.parent().unwrap_or(Path::new("/"));
        let missing = directory.ancestors().take_while(|path| !path.exists());
        let made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        let mut builder = fs::DirBuilder::new();
        builder
            .recursive(true)
            .mode(0o755)
            .create(directory)
            .map_err(failed)?;
        let permissions = match fs::metadata(&self.path) {
            Ok(about) => Permissions::of(&about),
            Err(_) => Permissions::New(OWNER_ALONE),
        };
        replace_for(&self.path, permissions, bytes).map_err(failed)?;
        Ok(made)
    }

    /// Removes the file, and the directories that were made for it and are empty again.
    pub(super) fn remove(&self, made: &[PathBuf]) -> Result<(), Failure> {
        fs::remove_file(&self.path).map_err(|error| self.refusal(&error.to_string()))?;
        for directory in made {
            // One that has got other files meanwhile stays.
            let _ = fs::remove_dir(directory);
        }
        Ok(())
    }

    /// Why the file was left as it is.
    pub(super) fn refusal(&self, why: &str) -> Failure {
        let what = format!("{} was left as it is: {why}", shown(&self.path));
        Failure::new(exit::REFUSED, what)
            .hint("`--print` shows what would be written; put it there by hand, or mend the file")
    }
}

fn home() -> Result<PathBuf, Failure> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.filter(|path| path.is_absolute()).ok_or_else(|| {
        Failure::new(exit::MISSING, "there is no home directory: HOME is not set")
            .hint("set HOME, or register in the project")
    })
}
