//! One budget, many clients, and a server that is crashed again and again:
//! `never_exceeded [CLIENTS [ATTEMPTS [GRANTED [LIMIT [CRASHES]]]]]`. It ends when there were so
//! many attempts and so many of them were granted.
//!
//! A client that loses an answer asks again under the same name. Afterwards the table of
//! grants is held against what the clients were told: no window over the limit, no grant
//! lost, none given twice.

#![expect(
    clippy::print_stdout,
    reason = "whoever starts an experiment wants to see it"
)]

use std::collections::HashSet;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{
    Address, Amounts, Coordinator, FleetError, Id, Postgres, Scope, Take, Taken, Unit, Worker,
};
use postgres::{Client, Config, NoTls};
use postgres_fixture::{Care, Cluster};

const WINDOW: Duration = Duration::from_secs(2);

/// What all clients do together.
struct Experiment {
    server: Config,
    attempts: u64,
    least_granted: u64,
    made: AtomicU64,
    lost_answers: AtomicU64,
    granted: Mutex<HashSet<Id>>,
}

impl Experiment {
    fn granted(&self) -> u64 {
        let granted = self
            .granted
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        granted.len() as u64
    }

    fn is_over(&self) -> bool {
        self.made.load(Ordering::Relaxed) >= self.attempts && self.granted() >= self.least_granted
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let mut next = |usual| words.next().unwrap_or(Ok(usual));
    let (clients, attempts, least_granted) = (next(16)?, next(20_000)?, next(400)?);
    let (limit, crashes) = (next(100)?, next(1)?);
    let cluster = Cluster::start(Care::Durable)?;
    let Address::Server(server) = cluster.database()?.parse()? else {
        return Err("a fixture is a server".into());
    };
    let mut operator = Postgres::new(&server);
    operator.migrate()?;
    operator.set_budget(&Scope::Fleet, Unit::Calls, Some(limit), WINDOW)?;
    let experiment = Experiment {
        server: *server,
        attempts,
        least_granted,
        made: AtomicU64::new(0),
        lost_answers: AtomicU64::new(0),
        granted: Mutex::default(),
    };
    let began = Instant::now();
    thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        let threads: Vec<_> = (0..clients)
            .map(|_| scope.spawn(|| client(&experiment)))
            .collect();
        for crash in 1..=crashes {
            // Spread over the grants, which take longer than the attempts.
            let due = least_granted * crash / (crashes + 1);
            while experiment.granted() < due {
                thread::sleep(Duration::from_millis(20));
            }
            cluster.crash()?;
            thread::sleep(Duration::from_millis(300));
            cluster.resume()?;
        }
        for thread in threads {
            thread.join().map_err(|_| "a client panicked")??;
        }
        Ok(())
    })?;
    let holds = audit(&experiment, limit, clients, crashes, began.elapsed())?;
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Takes until all attempts are made.
fn client(experiment: &Experiment) -> Result<(), FleetError> {
    let mut coordinator = Postgres::new(&experiment.server);
    let worker = Worker {
        id: Id::random(),
        host: "client".into(),
        version: "0".into(),
        repository: "r".into(),
        agent: None,
    };
    while !experiment.is_over() {
        experiment.made.fetch_add(1, Ordering::Relaxed);
        let take = Take {
            name: Id::random(),
            worker: worker.id.clone(),
            scopes: vec![Scope::Fleet],
            amounts: Amounts::calls(1),
            lease: None,
        };
        loop {
            match coordinator.take(&take) {
                Ok(Taken::Granted(_)) => {
                    let mut granted = experiment
                        .granted
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                    granted.insert(take.name);
                }
                Ok(Taken::Refused(_) | Taken::Halted { .. }) => {}
                Err(error) if error.is_passing() => {
                    experiment.lost_answers.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(50));
                    continue;
                }
                Err(error) => return Err(error),
            }
            break;
        }
    }
    Ok(())
}

fn audit(
    experiment: &Experiment,
    limit: u64,
    clients: u64,
    crashes: u64,
    took: Duration,
) -> Result<bool, Box<dyn Error>> {
    let mut server: Client = experiment.server.connect(NoTls)?;
    let window = format!(
        "select coalesce(max(n), 0) from (select count(*) over (
             order by at range between interval '{} seconds' preceding and current row) n
         from fusebox.budget_grant) w",
        WINDOW.as_secs()
    );
    let most: i64 = server.query_one(&window, &[])?.get(0);
    let rows = server.query(
        "select idem, count(*) from fusebox.budget_grant group by 1",
        &[],
    )?;
    let granted = experiment
        .granted
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let kept: HashSet<Id> = rows
        .iter()
        .filter_map(|row| row.get::<_, &str>(0).parse().ok())
        .collect();
    let twice = rows.iter().filter(|row| row.get::<_, i64>(1) > 1).count();
    let lost = granted.difference(&kept).count();
    let seconds = took.as_secs_f64();
    println!("clients {clients}");
    println!("attempts {}", experiment.made.load(Ordering::Relaxed));
    println!("granted {}", granted.len());
    println!("crashes {crashes}");
    println!(
        "answers asked for again {}",
        experiment.lost_answers.load(Ordering::Relaxed)
    );
    println!("limit {limit} in {} s", WINDOW.as_secs());
    println!("most in any window {most}");
    println!("lost {lost}");
    println!("duplicates {twice}");
    println!("seconds {seconds:.1}");
    Ok(u64::try_from(most)? <= limit && lost == 0 && twice == 0)
}
