//! Who we are in a fleet: the same for as long as our journal lasts.

use std::path::{Path, PathBuf};

use fusebox_fleet::{Coordinator, FleetError, Id, Scope, Worker, connect};
use serde::{Deserialize, Serialize};

use super::journal::is_another;
use super::party::Party;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::{own_file, regular, tasks};

/// No card is longer.
const MOST_BYTES: u64 = 64 * 1024;

/// A place at the table: a coordinator, and who we are to it.
pub(crate) struct Seat {
    pub(crate) coordinator: Box<dyn Coordinator>,
    pub(crate) worker: Worker,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) card: Card,
}

/// What is remembered of ourselves between two runs.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    path: PathBuf,
    pub(crate) written: Written,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    worker: Id,
    /// The last record of our journal that has arrived.
    pub(crate) delivered: Option<String>,
}

impl Seat {
    /// Takes it. Nothing is connected yet.
    pub(crate) fn take(
        session: &Session,
        party: &Party,
        agent: Option<&str>,
    ) -> Result<Self, Failure> {
        session.located.register()?;
        let dir = session.located.workspace_dir();
        let mut card = Card::read(&dir.join(format!("fleet-{}.json", session.circuit)))?;
        card.keep_to(session)?;
        Ok(Self {
            coordinator: connect(&party.address)?,
            worker: Worker {
                id: card.written.worker.clone(),
                host: tasks::here(session.clock).host_name().to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                repository: party.repository.clone(),
                agent: agent.map(str::to_owned),
            },
            scopes: party.scopes(agent),
            card,
        })
    }

    /// Another one for the same worker, with a connection of its own.
    pub(crate) fn beside(&self, party: &Party) -> Result<Self, FleetError> {
        Ok(Self {
            coordinator: connect(&party.address)?,
            worker: self.worker.clone(),
            scopes: self.scopes.clone(),
            card: self.card.clone(),
        })
    }
}

impl Card {
    fn read(path: &Path) -> Result<Self, Failure> {
        let written = match regular::read(path, MOST_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes).ok(),
            Err(_) => None,
        };
        // Whoever cannot tell who they were is somebody new; what is then delivered once
        // more is delivered under another name.
        let known = written.is_some();
        let written = written.unwrap_or_else(|| Written {
            worker: Id::random(),
            delivered: None,
        });
        let card = Self {
            path: path.to_owned(),
            written,
        };
        if !known {
            card.write().map_err(|error| {
                Failure::new(exit::STATE, format!("{}: {error}", path.display()))
            })?;
        }
        Ok(card)
    }

    /// Becomes another worker if the journal that the old one told of is gone: numbers begin
    /// anew with a new one, and under the old name they would be taken for known.
    fn keep_to(&mut self, session: &Session) -> Result<(), Failure> {
        let Some(log) = session.store.log()? else {
            return Ok(());
        };
        if !is_another(&log, self.written.delivered.as_deref())? {
            return Ok(());
        }
        self.written = Written {
            worker: Id::random(),
            delivered: None,
        };
        let path = &self.path;
        self.write()
            .map_err(|error| Failure::new(exit::STATE, format!("{}: {error}", path.display())))
    }

    pub(crate) fn write(&self) -> std::io::Result<()> {
        own_file::replace(&self.path, &serde_json::to_vec(&self.written)?)
    }
}
