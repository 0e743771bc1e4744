//! A PostgreSQL server that belongs to one test run and disappears with it.
//!
//! What is tested against a fleet is tested against the real thing: crashes,
//! restarts, roles, clocks. So a cluster is made from the binaries that the system's
//! package brought, on a free port of loopback, as a user without rights, and with a
//! database for each test. A shell that waits for our end of a pipe takes it down
//! again, whichever way this process ends.

mod programs;

use std::io::{self, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

pub use programs::Programs;

/// Stops the server and removes its files once nobody holds the other end of the pipe.
const REAPER: &str =
    r#"cat >/dev/null; "$0" stop -D "$1/data" -m immediate -w -t 30 >/dev/null 2>&1; rm -rf "$1""#;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// The package is not installed.
    #[error("there is no PostgreSQL here (looked for initdb under /usr/lib/postgresql/*/bin)")]
    NotInstalled,
    /// A program could not be run.
    #[error("cannot run {program}: {source}")]
    Start {
        /// Which.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A program did not do what it was to do.
    #[error("{program} failed: {output}")]
    Failed {
        /// Which.
        program: String,
        /// What it said.
        output: String,
    },
}

/// What the server is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// As it is in earnest: what is committed is on the disk.
    Durable,
    /// Quick, for tests. A crash of the server loses nothing all the same; only one
    /// of the machine would.
    Quick,
}

/// A server of our own.
#[derive(Debug)]
pub struct Cluster {
    programs: Programs,
    place: PathBuf,
    address: String,
    port: u16,
    care: Care,
    databases: AtomicU32,
    /// Its standard input is what keeps the server alive.
    _reaper: Child,
}

/// The server that all tests of this process share; `None`, and a word about it, where
/// PostgreSQL is not installed.
///
/// # Panics
/// If PostgreSQL is installed and does not start.
pub fn shared() -> Option<&'static Cluster> {
    static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
    let cluster = SHARED.get_or_init(|| match Cluster::start(Care::Quick) {
        Ok(cluster) => Some(cluster),
        Err(FixtureError::NotInstalled) => None,
        Err(error) => panic!("{error}"),
    });
    if cluster.is_none() {
        let _ = writeln!(io::stderr(), "SKIPPED: {}", FixtureError::NotInstalled);
    }
    cluster.as_ref()
}

impl Cluster {
    /// Makes a cluster on loopback and starts it.
    ///
    /// # Errors
    /// If PostgreSQL is not installed, or does not start.
    pub fn start(care: Care) -> Result<Self, FixtureError> {
        Self::start_on("127.0.0.1", care)
    }

    /// The same on another address of this machine.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_on(address: &str, care: Care) -> Result<Self, FixtureError> {
        let programs = Programs::find().ok_or(FixtureError::NotInstalled)?;
        let place = PathBuf::from(
            programs
                .output("mktemp", &["-d", "-t", "fleet.XXXXXXXX"])?
                .trim(),
        );
        let data = place.join("data");
        programs.output(
            "initdb",
            &[
                "-D",
                &data.to_string_lossy(),
                "-U",
                "postgres",
                "-E",
                "UTF8",
                "--locale=C",
                "-A",
                "trust",
                "--no-sync",
                "--no-instructions",
            ],
        )?;
        let access = "host all all 0.0.0.0/0 trust\n";
        programs.write(&data.join("pg_hba.conf"), access)?;
        let reaper = programs.reaper(REAPER, &place)?;
        let cluster = Self {
            port: free_port(address).unwrap_or(54_329),
            programs,
            place,
            address: address.to_owned(),
            care,
            databases: AtomicU32::new(0),
            _reaper: reaper,
        };
        cluster.resume()?;
        Ok(cluster)
    }

    /// The programs that came with the server, `pgbench` among them.
    #[must_use]
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A new database, and its address for the administrator.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn database(&self) -> Result<String, FixtureError> {
        let name = format!("fleet_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let port = self.port.to_string();
        self.programs.output(
            "createdb",
            &["-h", &self.address, "-p", &port, "-U", "postgres", &name],
        )?;
        Ok(self.url("postgres", &name))
    }

    /// The address of a database for a user.
    #[must_use]
    pub fn url(&self, user: &str, database: &str) -> String {
        format!(
            "postgres://{user}@{}:{}/{database}",
            self.address, self.port
        )
    }

    /// Ends the server as a power cut would: at once, with nothing tidied up.
    ///
    /// # Errors
    /// If it cannot be ended.
    pub fn crash(&self) -> Result<(), FixtureError> {
        self.control(&["stop", "-m", "immediate"])
    }

    /// Starts it again, which brings it back to its last commit.
    ///
    /// # Errors
    /// If it does not start.
    pub fn resume(&self) -> Result<(), FixtureError> {
        let durable = match self.care {
            Care::Durable => "on",
            Care::Quick => "off",
        };
        let options = format!(
            "-c listen_addresses={} -c port={} -c unix_socket_directories='' -c fsync={durable} \
             -c max_connections=300 -c shared_buffers=256MB -c max_wal_size=4GB -c log_min_messages=fatal",
            self.address, self.port
        );
        let log = self.place.join("log");
        self.control(&["start", "-o", &options, "-l", &log.to_string_lossy()])
    }

    fn control(&self, words: &[&str]) -> Result<(), FixtureError> {
        let data = self.place.join("data");
        let data = data.to_string_lossy();
        let mut arguments = vec!["-D", &data, "-w", "-t", "60", "-s"];
        arguments.extend(words);
        self.programs.output("pg_ctl", &arguments).map(drop)
    }
}

/// A port that nobody listens on.
fn free_port(address: &str) -> io::Result<u16> {
    Ok(TcpListener::bind((address, 0))?.local_addr()?.port())
}

fn quiet(command: &mut Command) -> &mut Command {
    // A server must not inherit a pipe that somebody reads to its end.
    command.stdin(Stdio::null()).current_dir(Path::new("/"))
}
