//! Workspaces that are work trees of one repository.
//!
//! Each has its own circuits, but what they may use is limited for all of them
//! together. Nothing is counted here: whoever decides adds up what every circuit
//! remembers of itself. What is kept is who belongs together, and what is held
//! while one of them decides, so that no two take the same call.
//!
//! ```text
//! <state>/repositories/<dev>-<ino>-<btime>/<workspace>    an empty file for each
//! <heads>/repositories/<dev>-<ino>-<btime>/<workspace>    the same once more
//! ```
//!
//! A workspace belongs to the repository in which it was first seen, for good. What
//! its `.git` says later is the agent's to write, and moves nothing. It is written
//! down in the workspace's own file and in both of these places; whoever is missing
//! from one of them is put back from the other. The file is written last, so that one
//! that names a repository which nobody lists any more is evidence.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::creation::Unplaced;
use crate::locate::Key;
use crate::survey::Kept;
use crate::workspace_file;
use crate::{DEFAULT_PATIENCE, Error, Homes, Located, Tamper, disk, hex};

/// How often to start over when the directory was replaced under our eyes.
const ATTEMPTS: u32 = 16;
/// The most work trees that are added up.
const MOST: usize = 1_000;

/// Where a workspace belongs, as it is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Belonging {
    /// Nowhere, when it was last asked for.
    Alone,
    /// To the repository that goes by this name with us.
    Member(String),
}

impl Belonging {
    /// As it stands in a workspace's file.
    pub(crate) fn written(&self) -> &str {
        match self {
            Self::Alone => ALONE,
            Self::Member(name) => name,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            ALONE => Some(Self::Alone),
            name => is_name(name).then(|| Self::Member(name.to_owned())),
        }
    }
}

const ALONE: &str = "none";

/// The repository that a workspace belongs to, with all its other work trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    name: String,
    own: String,
    homes: Homes,
}

/// A repository while nobody else decides for one of its work trees.
#[derive(Debug)]
pub struct HeldRepository {
    /// The other work trees, or why it is not known which they are.
    pub others: Result<Vec<Kept>, Error>,
    _lock: File,
}

impl Located {
    /// The repository that this workspace belongs to, if that is written down.
    #[must_use]
    pub fn repository(&self) -> Option<Repository> {
        member_of(self.belonging.as_ref(), &self.id, self.homes())
    }

    /// The same, after writing down where the workspace belongs if nothing says so
    /// yet. `common_dir` finds what the work trees of a repository have in common; of work trees
    /// that were removed, those are forgotten that `counts_no_more`: nothing on the disk can say
    /// that, only whoever reads what they remember.
    ///
    /// Belongs behind [`Located::register`]; a workspace that is in doubt is left
    /// as it is.
    ///
    /// # Errors
    /// When the files cannot be read or written.
    pub fn join_repository(
        &self,
        common_dir: impl FnOnce(&Path) -> Option<PathBuf>,
        counts_no_more: impl Fn(&Kept) -> bool,
    ) -> Result<Option<Repository>, Error> {
        let listed = match &self.belonging {
            Some(Belonging::Member(_)) => return Ok(self.repository()),
            Some(Belonging::Alone) => None,
            // What is written down elsewhere was lost here.
            None => self.listed_in()?,
        };
        let found = match (listed, common_dir(&self.root)) {
            (Some(name), _) => Belonging::Member(name),
            (None, Some(directory)) => Belonging::Member(Key::of(&directory)?.name()),
            (None, None) if self.belonging.is_some() => return Ok(None),
            (None, None) => Belonging::Alone,
        };
        self.settle_into(found, counts_no_more)
    }

    /// Writes down where this workspace belongs, unless somebody else just did.
    fn settle_into(
        &self,
        found: Belonging,
        counts_no_more: impl Fn(&Kept) -> bool,
    ) -> Result<Option<Repository>, Error> {
        let dir = self.workspace_dir();
        // What was deleted has no file to write it into, and perhaps no home to lock.
        if workspace_file::read(&dir, &self.id)?.is_none() {
            return Ok(None);
        }
        let _one_registrar = disk::lock_directory(&self.homes().state, DEFAULT_PATIENCE)?;
        let Some(mut noted) = workspace_file::read(&dir, &self.id)? else {
            return Ok(None);
        };
        if !matches!(noted.belonging, Some(Belonging::Member(_))) {
            noted.belonging = Some(found);
        }
        let repository = member_of(noted.belonging.as_ref(), &self.id, self.homes());
        if let Some(repository) = &repository {
            repository.enrol(counts_no_more)?;
        }
        // Last: it claims that the rest exists.
        workspace_file::write(&dir, &noted)?;
        Ok(repository)
    }

    /// Lists the work trees once more after a person has looked, if nothing does.
    pub(crate) fn relist_repository(&self) -> Result<(), Error> {
        let Some(repository) = self.repository() else {
            return Ok(());
        };
        let _lock = repository.lock()?;
        let listed = repository.listed()?;
        if listed.iter().any(|list| !list.is_empty()) {
            return Ok(());
        }
        let known = workspace_file::all(&self.homes().state)?.into_iter();
        let members = known.filter(|one| one.belonging == self.belonging);
        repository.mend(&listed, members.map(|one| one.id).collect())?;
        Ok(())
    }

    /// The repository that lists this workspace.
    fn listed_in(&self) -> Result<Option<String>, Error> {
        for place in places(self.homes()) {
            for name in disk::names_in(&place)? {
                let Some(name) = name.to_str().filter(|name| is_name(name)) else {
                    continue;
                };
                if disk::exists(&place.join(name).join(&self.id))? {
                    return Ok(Some(name.to_owned()));
                }
            }
        }
        Ok(None)
    }
}

impl Kept {
    /// The repository that this workspace belongs to, if that is written down.
    #[must_use]
    pub fn repository(&self) -> Option<Repository> {
        member_of(self.belonging.as_ref(), &self.id, &self.homes)
    }
}

fn member_of(belonging: Option<&Belonging>, own: &str, homes: &Homes) -> Option<Repository> {
    match belonging? {
        Belonging::Alone => None,
        Belonging::Member(name) => Some(Repository {
            name: name.clone(),
            own: own.to_owned(),
            homes: homes.clone(),
        }),
    }
}

impl Repository {
    /// Keeps everybody else from deciding for one of its work trees, for as long as
    /// the answer is kept.
    ///
    /// # Errors
    /// When somebody else holds it for too long, or its lists are gone or cannot be
    /// read or written.
    pub fn hold(&self) -> Result<HeldRepository, Error> {
        let lock = self.lock()?;
        let listed = self.listed()?;
        self.refuse_forgotten(listed.iter().flatten())?;
        self.held(&listed, lock)
    }

    /// Lists this workspace, and forgets those that were removed and count no more. The first
    /// to be listed finds no list.
    fn enrol(&self, counts_no_more: impl Fn(&Kept) -> bool) -> Result<(), Error> {
        let lock = self.lock()?;
        let held = self.held(&self.listed()?, lock)?;
        for other in held.others.iter().flatten() {
            if matches!(other.root.try_exists(), Ok(false)) && counts_no_more(other) {
                for place in self.places() {
                    disk::remove_if_present(&place.join(&other.id))?;
                }
            }
        }
        Ok(())
    }

    fn held(&self, listed: &[BTreeSet<String>; 2], lock: File) -> Result<HeldRepository, Error> {
        let own = BTreeSet::from([self.own.clone()]);
        Ok(HeldRepository {
            others: self.described(self.mend(listed, own)?),
            _lock: lock,
        })
    }

    fn lock(&self) -> Result<File, Error> {
        let [place, _] = self.places();
        for _ in 0..ATTEMPTS {
            disk::ensure_directory(&place)?;
            let lock = disk::lock_directory(&place, DEFAULT_PATIENCE)?;
            if disk::is_at(&lock, &place)? {
                return Ok(lock);
            }
        }
        Err(Error::Busy {
            path: place,
            waited: DEFAULT_PATIENCE,
        })
    }

    /// The other work trees, for whoever only looks.
    ///
    /// # Errors
    /// When what is written down of them cannot be read.
    pub fn others(&self) -> Result<Vec<Kept>, Error> {
        let mut ids = BTreeSet::new();
        for list in self.listed()? {
            ids.extend(list);
        }
        self.refuse_forgotten(ids.iter())?;
        self.described(ids)
    }

    /// Both lists.
    fn listed(&self) -> Result<[BTreeSet<String>; 2], Error> {
        let [state, heads] = self.places();
        Ok([ids_in(&state)?, ids_in(&heads)?])
    }

    /// Whoever belongs to it was listed in both places first, and whoever was last
    /// listed is never forgotten.
    fn refuse_forgotten<'a>(
        &self,
        mut listed: impl Iterator<Item = &'a String>,
    ) -> Result<(), Error> {
        if listed.next().is_some() {
            return Ok(());
        }
        let [path, _] = self.places();
        let evidence = workspace_file::path(&self.homes.workspace_dir(&self.own));
        Err(Tamper::FamilyMissing { path, evidence }.into())
    }

    /// Who is listed in either place, and `more`; from now on in both.
    fn mend(
        &self,
        listed: &[BTreeSet<String>; 2],
        more: BTreeSet<String>,
    ) -> Result<BTreeSet<String>, Error> {
        let mut all = more;
        all.extend(listed.iter().flatten().cloned());
        for (place, listed) in self.places().iter().zip(listed) {
            for missing in all.difference(listed) {
                disk::ensure_directory(place)?;
                Unplaced::create(place.join(missing), b"")?
                    .flushed()?
                    .name()?;
            }
        }
        Ok(all)
    }

    /// What is known of everybody but this workspace.
    fn described(&self, ids: BTreeSet<String>) -> Result<Vec<Kept>, Error> {
        if ids.len() > MOST {
            let [path, _] = self.places();
            let why = format!("lists more than {MOST} work trees");
            return Err(Error::Unsafe { path, why });
        }
        let others = ids.into_iter().filter(|id| *id != self.own);
        let described = others.map(|id| {
            let dir = self.homes.workspace_dir(&id);
            match workspace_file::read(&dir, &id)? {
                Some(noted) => Ok(Kept::of(noted, &self.homes)),
                None => Err(Tamper::DescriptionMissing {
                    path: workspace_file::path(&dir),
                }
                .into()),
            }
        });
        described.collect()
    }

    fn places(&self) -> [PathBuf; 2] {
        places(&self.homes).map(|place| place.join(&self.name))
    }
}

fn places(homes: &Homes) -> [PathBuf; 2] {
    [&homes.state, &homes.heads].map(|home| home.join("repositories"))
}

/// The workspaces that a directory lists.
fn ids_in(place: &Path) -> Result<BTreeSet<String>, Error> {
    let names = disk::names_in(place)?.into_iter();
    let ids = names.filter_map(|name| name.into_string().ok());
    Ok(ids
        .filter(|id| hex::decode::<16>(id.as_bytes()).is_some())
        .collect())
}

/// Whether a name is one that we gave a repository.
fn is_name(name: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    name.len() <= 80 && name.split('-').count() == 3 && name.split('-').all(digits)
}
