//! The simulator against a server of its own: `simulated [WORKERS [SECONDS [MACHINES]]]`.
//! Prints the report, and its data as JSON in the last line. Fails if anything was lost.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "whoever starts an experiment wants to see it"
)]

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use fusebox_fleet::simulate::{Plan, simulate};
use fusebox_fleet::{Address, Postgres};
use postgres_fixture::{Care, Cluster};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u32>());
    let mut next = |usual| words.next().unwrap_or(Ok(usual));
    let (workers, seconds, machines) = (next(200)?, next(20)?, next(32)?);
    let cluster = Cluster::start(Care::Durable)?;
    let Address::Server(server) = cluster.database()?.parse()? else {
        return Err("a fixture is a server".into());
    };
    Postgres::new(&server).migrate()?;
    let plan = Plan {
        server: *server,
        workers,
        machines,
        time: Duration::from_secs(seconds.into()),
        lease: Duration::from_secs(if seconds >= 120 { 15 } else { 4 }),
        calm: false,
        seed: 1,
        repository: "simulated".into(),
    };
    let report = simulate(&plan, &mut |line| eprintln!("{line}"))?;
    println!("{report}{}", serde_json::to_string(&report)?);
    Ok(if report.holds() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
