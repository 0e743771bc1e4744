//! Which workspace a directory belongs to.
//!
//! The answer must not be the agent's to choose. A directory that already has
//! a store keeps it when it is renamed, because it is known by device, inode
//! and birth time (an inode number alone is reused by the next directory).
//!
//! Where several directories on the way up are known, the one registered first
//! wins. What is planted later, a `.git` further down or a workspace of its own
//! further up, then opens no fresh breaker. First means the lowest ordinal, not
//! the earliest clock, because whoever starts a process chooses its clock. The
//! root of the file system and a person's home are passed over unless they are
//! marked as projects: who was once there did not mean all that they have.
//!
//! A directory is found by its path, through the hash that names its store, and
//! by its index entry; where neither is left, by what the workspaces say
//! themselves (`moved.rs`). The two witnesses must not contradict each other, and a
//! store must say itself that it is this directory's; otherwise rewriting one
//! line of the index would lead away from an open breaker. A contradiction does
//! not keep the workspace from being located, because a person has to be able
//! to start it afresh: it becomes the store's answer.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::birth;
use crate::disk;
use crate::kin::Belonging;
use crate::roll::{self, Repeated};
use crate::workspace_file;
use crate::{BootId, CircuitName, DEFAULT_PATIENCE, Error, Homes, Location, Tamper, hex, moved};

/// A directory's workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The workspace's name: 32 hexadecimal digits.
    pub id: String,
    /// The root of the workspace, where it is now.
    pub root: PathBuf,
    /// The project that was asked about: the nearest directory with a mark of its own, where
    /// that lies within the workspace, and else its root.
    pub project: PathBuf,
    /// Whether it is known.
    pub standing: Standing,
    pub(crate) key: Key,
    pub(crate) homes: Homes,
    /// What speaks against this being the right store.
    pub(crate) doubt: Option<Tamper>,
    /// Whether all that registering would write was found written already.
    pub(crate) described: bool,
    /// Whether its circuits must be listed twice.
    listed_twice: bool,
    /// When it was registered, among all of them: 0, the oldest of all, where nothing can be
    /// believed that says so. A store that lost its description must not lose its precedence
    /// with it.
    pub(crate) ordinal: u64,
    /// Where it belongs, if that was ever asked.
    pub(crate) belonging: Option<Belonging>,
}

/// What is known of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing: no store, no index entry, no head.
    FirstUse,
    /// It was here before.
    Known,
    /// It was here before under another path.
    Moved {
        /// The path it had.
        from: PathBuf,
    },
}

/// What stays the same when a directory is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    /// Nanoseconds; 0 where the file system does not keep birth times.
    pub(crate) born: i128,
}

impl Key {
    pub(crate) fn of(path: &Path) -> Result<Self, Error> {
        birth::key_of(path).map_err(|errno| Error::io("examine", path)(errno.into()))
    }

    /// The name that a directory goes by.
    pub(crate) fn name(self) -> String {
        format!("{:x}-{:x}-{:x}", self.dev, self.ino, self.born)
    }

    pub(crate) fn index_entry(self, homes: &Homes) -> PathBuf {
        homes.index_dir().join(self.name())
    }
}

/// Finds the workspace that `named` belongs to. Writes nothing. The path is
/// followed to where it leads, but what it is called counts as well: a link may
/// stand where a workspace was.
///
/// # Errors
/// When a directory cannot be examined, the index is unreadable, or the heads
/// of the workspace are kept elsewhere ([`Error::HeadsElsewhere`]).
pub fn locate(named: &Path, homes: &Homes) -> Result<Located, Error> {
    let cwd = named.canonicalize().map_err(Error::io("resolve", named))?;
    let found = known_from(&cwd, homes)?;
    match moved::replaced_by_a_link(named, &cwd, found.as_ref(), homes)?.or(found) {
        Some(mut first) => {
            refuse_heads_elsewhere(&first, homes)?;
            let own = marked(&cwd).filter(|own| own.starts_with(&first.located.root));
            if let Some(own) = own {
                own.clone_into(&mut first.located.project);
            }
            Ok(first.located)
        }
        None => first_use(&cwd, homes),
    }
}

/// The workspace that `cwd` belongs to, if that was ever used.
fn known_from(cwd: &Path, homes: &Homes) -> Result<Option<Known>, Error> {
    let mut first: Option<Known> = None;
    for directory in cwd.ancestors() {
        // Walking outwards, so that among equals the outermost wins.
        if let Some(found) = known(directory, homes)?
            && first
                .as_ref()
                .is_none_or(|first| found.located.ordinal <= first.located.ordinal)
            && (directory == cwd || !is_passed_over(directory, homes))
        {
            first = Some(found);
        }
    }
    match first {
        None => moved::found_again(cwd, homes),
        first => Ok(first),
    }
}

/// Whether a directory is a workspace for itself alone: somebody was there once, and everything
/// that they have would belong to it.
pub(crate) fn is_passed_over(directory: &Path, homes: &Homes) -> bool {
    homes.is_above_all(directory) && !is_marked(directory)
}

/// The nearest directory that something says is a project.
fn marked(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().find(|directory| is_marked(directory))
}

/// Whether something says that a directory is a project.
fn is_marked(directory: &Path) -> bool {
    let mut marks = ["fusebox.toml", ".git"].into_iter();
    marks.any(|name| directory.join(name).exists())
}

fn first_use(cwd: &Path, homes: &Homes) -> Result<Located, Error> {
    let root = marked(cwd).unwrap_or(cwd);
    Ok(Located {
        id: path_id(root),
        root: root.to_owned(),
        project: root.to_owned(),
        standing: Standing::FirstUse,
        key: Key::of(root)?,
        homes: homes.clone(),
        doubt: None,
        described: false,
        listed_twice: false,
        ordinal: 0,
        belonging: None,
    })
}

/// A directory that has, or had, a store.
pub(crate) struct Known {
    pub(crate) located: Located,
    heads: Option<PathBuf>,
}

/// The workspace rooted at exactly this directory, if there ever was one.
fn known(directory: &Path, homes: &Homes) -> Result<Option<Known>, Error> {
    let key = Key::of(directory)?;
    let entry = key.index_entry(homes);
    let indexed = workspace_file::read_index(&entry)?;
    let by_path = path_id(directory);
    let id = match &indexed {
        Some(id) if *id == by_path || !claims(&by_path, key, homes)? => id.clone(),
        Some(_) => by_path,
        None if has_traces(&by_path, homes)? => by_path,
        None => return Ok(None),
    };
    known_as(id, (directory, key), indexed, homes).map(Some)
}

/// The workspace `id`, rooted at this directory, whose index entry leads to
/// `indexed`.
pub(crate) fn known_as(
    id: String,
    (directory, key): (&Path, Key),
    indexed: Option<String>,
    homes: &Homes,
) -> Result<Known, Error> {
    let known = as_found(id.clone(), (directory, key), indexed.clone(), homes)?;
    if known.located.doubt.is_none() {
        return Ok(known);
    }
    // Somebody may be using it for the first time, and these looks fell between the writes. No
    // registration is under way while we hold this; what does not fit now never will.
    match disk::lock_directory(&homes.state, DEFAULT_PATIENCE) {
        Ok(_no_registrar) => as_found(id, (directory, key), indexed, homes),
        Err(_) => Ok(known),
    }
}

fn as_found(
    id: String,
    (directory, key): (&Path, Key),
    indexed: Option<String>,
    homes: &Homes,
) -> Result<Known, Error> {
    let entry = key.index_entry(homes);
    let dir = homes.workspace_dir(&id);
    let noted = workspace_file::read(&dir, &id)?;
    let repeated = roll::repeated(&homes.heads_dir(&id))?;
    // The rest is there before an index entry, and before any circuit.
    let established = indexed.is_some()
        || noted.as_ref().is_some_and(|noted| noted.listed_twice)
        || disk::exists(&dir.join("circuits"))?;
    let described = indexed.is_some()
        && noted.as_ref().is_some_and(|noted| {
            let in_place = noted.root == directory && noted.key == key;
            let twice = noted.listed_twice && repeated == Repeated::Ordinal(noted.ordinal);
            in_place && twice && noted.heads.as_ref() == Some(&homes.heads)
        });
    let doubt = match (&noted, indexed) {
        (_, Some(indexed)) if indexed != id => Some(Tamper::IndexMismatch { path: entry }),
        (Some(noted), Some(_)) if !noted.is_of(key) => Some(Tamper::IndexMismatch { path: entry }),
        // A store that is gone altogether is for the store to tell.
        (None, _) if disk::exists(&dir)? => Some(Tamper::DescriptionMissing {
            path: workspace_file::path(&dir),
        }),
        (Some(noted), _)
            if noted.is_contradicted(repeated) || (established && !noted.listed_twice) =>
        {
            Some(Tamper::DescriptionMissing {
                path: workspace_file::path(&dir),
            })
        }
        (Some(_), _) if established && repeated == Repeated::Missing => Some(Tamper::ListMissing {
            path: roll::second_path(&homes.heads_dir(&id)),
        }),
        _ => None,
    };
    let standing = match &noted {
        Some(noted) if noted.root != directory => Standing::Moved {
            from: noted.root.clone(),
        },
        _ => Standing::Known,
    };
    let belonging = noted.as_ref().and_then(|noted| noted.belonging.clone());
    let ordinal = noted.as_ref().map_or(0, |noted| match repeated {
        // Whichever of the two was changed, it gained nothing by it.
        Repeated::Ordinal(repeated) => noted.ordinal.min(repeated),
        Repeated::Missing if established => 0,
        Repeated::NotYet | Repeated::Missing => noted.ordinal,
    });
    Ok(Known {
        located: Located {
            id,
            root: directory.to_owned(),
            project: directory.to_owned(),
            standing,
            key,
            homes: homes.clone(),
            described: described && doubt.is_none(),
            doubt,
            listed_twice: established,
            ordinal,
            belonging,
        },
        heads: noted.and_then(|noted| noted.heads),
    })
}

/// Whether anything is left of the workspace `id`. A directory that holds
/// neither a description nor circuits is a registration that was cut short.
pub(crate) fn has_traces(id: &str, homes: &Homes) -> Result<bool, Error> {
    let dir = homes.workspace_dir(id);
    // Asked of every directory on the way up, nearly all of which have none.
    let has_store = disk::exists(&dir)?
        && (disk::exists(&workspace_file::path(&dir))? || disk::exists(&dir.join("circuits"))?);
    Ok(has_store || disk::exists(&homes.heads_dir(id))?)
}

/// Whether the workspace `id` has traces and does not say that it is some other
/// directory's. One that says so lost its path to a directory moved there.
fn claims(id: &str, key: Key, homes: &Homes) -> Result<bool, Error> {
    let noted = workspace_file::read(&homes.workspace_dir(id), id)?;
    Ok(has_traces(id, homes)? && noted.is_none_or(|noted| noted.is_of(key)))
}

/// Another place for the heads is another environment, such as that of a timer,
/// and not tampering: looking there would find every head missing. Where the
/// heads are there after all, a home was moved as a whole, and they can speak
/// for themselves.
fn refuse_heads_elsewhere(first: &Known, homes: &Homes) -> Result<(), Error> {
    match &first.heads {
        Some(recorded)
            if *recorded != homes.heads && !disk::exists(&homes.heads_dir(&first.located.id))? =>
        {
            Err(Error::HeadsElsewhere {
                recorded: recorded.clone(),
                resolved: homes.heads.clone(),
            })
        }
        _ => Ok(()),
    }
}

impl Located {
    /// Where one circuit of this workspace is kept.
    #[must_use]
    pub fn circuit(&self, circuit: &CircuitName, boot: BootId) -> Location {
        let entry = self.key.index_entry(&self.homes);
        Location {
            doubt: self.doubt.clone(),
            listed_twice: self.listed_twice,
            ordinal: self.ordinal,
            ..self.homes.circuit(&self.id, &entry, circuit, boot)
        }
    }

    pub(crate) fn homes(&self) -> &Homes {
        &self.homes
    }

    /// Where it is remembered how far the fleets had come that workspaces take part in:
    /// beside the heads, and not where anything of theirs is.
    #[must_use]
    pub fn witnesses_of_fleets(&self) -> PathBuf {
        self.homes.heads.join("fleets")
    }

    /// The file that vouches for the record of who works on which task: beside the heads of
    /// this workspace, and not where that record is.
    #[must_use]
    pub fn witness_of_claims(&self) -> PathBuf {
        self.homes.heads_dir(&self.id).join(".claims")
    }

    /// The directory that holds everything about this workspace.
    #[must_use]
    pub fn workspace_dir(&self) -> PathBuf {
        self.homes.workspace_dir(&self.id)
    }
}

pub(crate) fn path_id(path: &Path) -> String {
    let digest: [u8; 32] = Sha256::digest(path.as_os_str().as_bytes()).into();
    hex::encode(&digest[..16])
}
