//! One budget, many clients, and a server that is crashed again and again:
//! `never_exceeded [CLIENTS [ATTEMPTS [GRANTED [LIMIT [CRASHES]]]]]`. It ends when there were so
//! many attempts and so many of them were granted.
//!
//! The clients are processes of their own, and the clocks of each are wrong by up to an
//! hour. One that loses an answer asks again under the same name. Afterwards the table of
//! grants is held against what the clients were told: no window over the limit, no grant
//! lost, none given twice.

#![expect(
    clippy::print_stdout,
    reason = "whoever starts an experiment wants to see it"
)]

mod client;
mod crew;

use std::collections::HashSet;
use std::error::Error;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{Address, Coordinator, Id, Postgres, Scope, Unit};
use postgres::{Client, Config, NoTls};
use postgres_fixture::{Care, Cluster};

use crate::crew::{Crew, Told};

const WINDOW: Duration = Duration::from_secs(2);
/// How often it is looked whether there is enough.
const PULSE: Duration = Duration::from_millis(20);

/// How large it is to be.
struct Sizes {
    clients: u64,
    attempts: u64,
    granted: u64,
    limit: u64,
    crashes: u64,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, url, threads] = &words[..]
        && first == crew::CLIENTS
    {
        client::work(url, threads.parse()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut numbers = words.iter().map(|word| word.parse::<u64>());
    let mut next = |usual| numbers.next().unwrap_or(Ok(usual));
    let sizes = Sizes {
        clients: next(16)?,
        attempts: next(20_000)?,
        granted: next(400)?,
        limit: next(100)?,
        crashes: next(1)?,
    };
    let cluster = Cluster::start(Care::Durable)?;
    let url = cluster.database()?;
    let Address::Server(server) = url.parse()? else {
        return Err("a fixture is a server".into());
    };
    let mut operator = Postgres::new(&server);
    operator.migrate()?;
    operator.set_budget(&Scope::Fleet, Unit::Calls, Some(sizes.limit), WINDOW)?;
    let began = Instant::now();
    let crew = Crew::start(&url, sizes.clients)?;
    for crash in 1..=sizes.crashes {
        // Spread over the grants, which take longer than the attempts.
        let due = sizes.granted * crash / (sizes.crashes + 1);
        crew.wait_until(PULSE, |told| told.granted.len() as u64 >= due)?;
        cluster.crash()?;
        thread::sleep(Duration::from_millis(300));
        cluster.resume()?;
    }
    crew.wait_until(PULSE, |told| {
        told.attempts >= sizes.attempts && told.granted.len() as u64 >= sizes.granted
    })?;
    let told = crew.end()?;
    let holds = audit(&server, &sizes, &told, began.elapsed())?;
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn audit(
    server: &Config,
    sizes: &Sizes,
    told: &Told,
    took: Duration,
) -> Result<bool, Box<dyn Error>> {
    let mut server: Client = server.connect(NoTls)?;
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
    let kept: HashSet<Id> = rows
        .iter()
        .filter_map(|row| row.get::<_, &str>(0).parse().ok())
        .collect();
    let twice = rows.iter().filter(|row| row.get::<_, i64>(1) > 1).count();
    let lost = told.granted.difference(&kept).count();
    println!("clients {}", sizes.clients);
    for (name, off) in [("wall", &told.wall_off_s), ("boot-time", &told.boot_off_s)] {
        let (least, most) = (off.iter().min(), off.iter().max());
        let of = |off: Option<&i64>| off.copied().unwrap_or(0);
        println!("{name} clocks off by {} to {} s", of(least), of(most));
    }
    println!("attempts {}", told.attempts);
    println!("granted {}", told.granted.len());
    println!("crashes {}", sizes.crashes);
    println!("answers asked for again {}", told.asked_again);
    println!("limit {} in {} s", sizes.limit, WINDOW.as_secs());
    println!("most in any window {most}");
    println!("lost {lost}");
    println!("duplicates {twice}");
    println!("seconds {:.1}", took.as_secs_f64());
    Ok(u64::try_from(most)? <= sizes.limit && lost == 0 && twice == 0)
}
