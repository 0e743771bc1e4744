//! What killed processes left in the work tree of files that were not whole yet.
//!
//! Whoever writes such a file again removes its draft. But the next step may have nothing to write
//! there, and a person may have mended the file by hand. So whoever measures the work tree looks
//! for the drafts of all files that we write there, and whoever decides for those of the files of
//! other systems; for nothing else, whatever it is called.

use std::path::{Path, PathBuf};

use fusebox_agents::hook::HOOKED;
use fusebox_core::Policy;
use fusebox_files::beneath::{self, Missing};
use fusebox_files::drafts::discard;
use fusebox_seeds::{bmad, liza, seed};

use super::Session;
use crate::config;
use crate::projection::Whereabouts;

/// What is written beside the files that are kept up to date.
const BESIDE: [&str; 4] = [liza::STATE, liza::CHECKPOINT, liza::REPORT, bmad::FEATURES];

/// Files that have drafts: what nothing is written outside of, and the way from there.
pub(super) struct Drafted(Vec<(PathBuf, PathBuf)>);

impl Drafted {
    /// All of a work tree.
    pub(super) fn of(session: &Session) -> Self {
        let located = &session.located;
        let view = session.store.peek().ok();
        let policy = view.and_then(|view| session.policy(&view.state.0).ok());
        let mut all = policy.map_or(Vec::new(), |policy| Self::beside(session, &policy).0);
        let settings = HOOKED.iter().map(|hooks| hooks.registration().project);
        for path in settings.chain([config::PROJECT]) {
            all.push((located.root.clone(), path.into()));
            if located.project != located.root {
                all.push((located.project.clone(), path.into()));
            }
        }
        Self(all)
    }

    /// The files of the system that `policy` comes from.
    pub(super) fn beside(session: &Session, policy: &Policy) -> Self {
        let seed = seed(policy.preset);
        if seed.is_none() && !session.has_blackboard(policy) {
            return Self(Vec::new());
        }
        let Ok(places) = Whereabouts::of(&session.located.root, policy) else {
            return Self(Vec::new());
        };
        let projections = seed.map_or(&[][..], |seed| seed.projections());
        let projections = projections.iter().map(|file| file.path);
        let found = projections.chain(BESIDE).map(|path| {
            let (base, way) = places.find(path);
            (base.to_owned(), way)
        });
        Self(found.collect())
    }

    /// Removes the drafts that nobody writes any more. What cannot be removed stays: it counts
    /// as nobody's work.
    pub(super) fn discard(&self) {
        for (base, way) in &self.0 {
            let (Some(parent), Some(name)) = (way.parent(), way.file_name()) else {
                continue;
            };
            let directory = beneath::root(base)
                .and_then(|base| beneath::directory(base, parent, Missing::Fails));
            if let Ok(directory) = directory {
                let _ = discard(directory, Path::new(name));
            }
        }
    }
}
