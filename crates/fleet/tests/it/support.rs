//! A database for each test, and short words for what is asked of it.

use std::time::Duration;

use fusebox_fleet::{
    Address, Amounts, Claimed, Coordinator, Held, Id, Postgres, Scope, Take, Taken, Worker,
};
use postgres::{Client, NoTls};

/// A fleet with a database of its own; `None` where PostgreSQL is not installed.
pub(crate) struct Fleet {
    pub(crate) url: String,
}

pub(crate) const TTL: Duration = Duration::from_secs(60);

impl Fleet {
    pub(crate) fn new() -> Option<Self> {
        let url = postgres_fixture::shared()?.database().unwrap();
        let fleet = Self { url };
        fleet.coordinator().migrate().unwrap();
        Some(fleet)
    }

    pub(crate) fn coordinator(&self) -> Postgres {
        at(&self.url)
    }

    /// A connection with all rights, to look behind the functions.
    pub(crate) fn admin(&self) -> Client {
        Client::connect(&self.url, NoTls).unwrap()
    }

    /// The same database for another user.
    pub(crate) fn url_for(&self, user: &str) -> String {
        self.url.replace("postgres@", &format!("{user}@"))
    }
}

pub(crate) fn at(url: &str) -> Postgres {
    match url.parse().unwrap() {
        Address::Server(config) => Postgres::new(&config),
        Address::Directory(_) => unreachable!("tests name a server"),
    }
}

pub(crate) fn worker(repository: &str) -> Worker {
    Worker {
        id: Id::random(),
        host: "host".into(),
        version: "0".into(),
        repository: repository.into(),
        agent: None,
    }
}

/// A worker that takes part already.
pub(crate) fn enrolled(coordinator: &mut dyn Coordinator, repository: &str) -> Worker {
    let worker = worker(repository);
    coordinator.enrol(&worker).unwrap();
    worker
}

pub(crate) fn request(worker: &Worker, scopes: &[Scope], amounts: Amounts) -> Take {
    Take {
        name: Id::random(),
        worker: worker.id.clone(),
        scopes: scopes.to_vec(),
        amounts,
        lease: None,
    }
}

pub(crate) fn is_granted(taken: &Taken) -> bool {
    matches!(taken, Taken::Granted(_))
}

/// Whatever it takes to go on with a claim that must succeed.
pub(crate) fn yours(claimed: Claimed) -> Held {
    match claimed {
        Claimed::Yours { held, .. } => held,
        other => panic!("{other:?}"),
    }
}
