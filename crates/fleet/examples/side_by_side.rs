//! Takes through the coordinator beside `pgbench` with the same statement, on the same
//! server, in the same run: `side_by_side [CLIENTS [SECONDS [ROUNDS]]]`.
//!
//! The two take turns, so that whatever else the machine does hits both. Each client has
//! a budget of its own: on one row for all, both would measure the disk.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "whoever starts an experiment wants to see it, as a figure"
)]

use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{
    Address, Amounts, Coordinator, FleetError, Id, Postgres, Scope, Take, Unit, Worker,
};
use postgres::Config;
use postgres_fixture::{Care, Cluster};

/// The share of the yardstick that must be reached.
const LEAST: f64 = 0.7;
const BARE: &str = r"\set name random(1, 1000000000000000)
select * from fusebox.take('00000000', 'pgbench' || :name || :client_id, array['team:' || :client_id], 1, 0, 0, null, null);
";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let mut next = |usual| words.next().unwrap_or(Ok(usual));
    let (clients, seconds, rounds) = (next(8)?, next(5)?, next(3)?);
    let cluster = Cluster::start(Care::Durable)?;
    let url = cluster.database()?;
    let Address::Server(server) = url.parse()? else {
        return Err("a fixture is a server".into());
    };
    let mut operator = Postgres::new(&server);
    operator.migrate()?;
    let hour = Duration::from_secs(3_600);
    for client in 0..clients {
        let scope = Scope::Team(client.to_string());
        operator.set_budget(&scope, Unit::Calls, Some(1_000_000_000), hour)?;
    }
    let (mut ours, mut bare) = (0.0, 0.0);
    for _ in 0..rounds {
        ours += coordinated(&server, clients, seconds)?;
        bare += pgbench(&cluster, &url, clients, seconds)?;
    }
    let (ours, bare) = (ours / rounds as f64, bare / rounds as f64);
    println!("coordinator {ours:.0} takes/s");
    println!("pgbench {bare:.0} takes/s");
    println!("ratio {:.2}", ours / bare);
    Ok(if ours >= LEAST * bare {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn coordinated(server: &Config, clients: u64, seconds: u64) -> Result<f64, FleetError> {
    let done = AtomicU64::new(0);
    let began = Instant::now();
    let ends: Vec<Result<(), FleetError>> = thread::scope(|scope| {
        let one = |client: u64| {
            let done = &done;
            move || -> Result<(), FleetError> {
                let mut coordinator = Postgres::new(server);
                let worker = Worker {
                    id: Id::random(),
                    host: "client".into(),
                    version: "0".into(),
                    repository: "r".into(),
                    agent: None,
                };
                while began.elapsed() < Duration::from_secs(seconds) {
                    coordinator.take(&Take {
                        name: Id::random(),
                        worker: worker.id.clone(),
                        scopes: vec![Scope::Team(client.to_string())],
                        amounts: Amounts::calls(1),
                        lease: None,
                    })?;
                    done.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            }
        };
        let threads: Vec<_> = (0..clients)
            .map(|client| scope.spawn(one(client)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Ok(())))
            .collect()
    });
    ends.into_iter().collect::<Result<(), FleetError>>()?;
    Ok(done.into_inner() as f64 / began.elapsed().as_secs_f64())
}

fn pgbench(
    cluster: &Cluster,
    url: &str,
    clients: u64,
    seconds: u64,
) -> Result<f64, Box<dyn Error>> {
    let script = std::env::temp_dir().join(format!("take-{}.sql", std::process::id()));
    std::fs::write(&script, BARE)?;
    let mut command = cluster.programs().command("pgbench");
    command
        .args([
            "-n",
            "-M",
            "prepared",
            "-j",
            "2",
            "-c",
            &clients.to_string(),
            "-T",
            &seconds.to_string(),
            "-f",
        ])
        .arg(&script)
        .arg(url);
    let output = command.output()?;
    std::fs::remove_file(&script)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("tps = "));
    let figure = line.and_then(|line| line.split_whitespace().next());
    match figure {
        Some(figure) => Ok(figure.parse()?),
        None => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
