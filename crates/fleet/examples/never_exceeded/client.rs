//! A process of clients that take until its standard input ends, and print what came of
//! it, a line each.

use std::error::Error;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use fusebox_fleet::{
    Address, Amounts, Coordinator, FleetError, Id, Postgres, Scope, Take, Taken, Worker,
};
use postgres::Config;

/// Attempts that are told of at once.
const AT_ONCE: u64 = 100;

pub(crate) fn work(url: &str, threads: u64) -> Result<(), Box<dyn Error>> {
    let Address::Server(server) = url.parse()? else {
        return Err("clients need a server".into());
    };
    println!("clocks {} {}", wall_s(), uptime_s()?);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| take_until(&over, &server)))
            .collect();
        let mut ended = Vec::new();
        let heard = std::io::stdin().read_to_end(&mut ended);
        over.store(true, Ordering::Relaxed);
        for client in clients {
            client.join().map_err(|_| "a client panicked")??;
        }
        heard.map(drop).map_err(Into::into)
    })
}

/// What this process takes for the time, in seconds since 1970.
pub(crate) fn wall_s() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_secs()).unwrap_or(0)
}

/// What this process takes for how long the machine has been up.
pub(crate) fn uptime_s() -> Result<i64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/uptime")?;
    let whole = text.split('.').next().unwrap_or_default();
    Ok(whole.parse()?)
}

fn take_until(over: &AtomicBool, server: &Config) -> Result<(), FleetError> {
    let mut coordinator = Postgres::new(server);
    let worker = Worker {
        id: Id::random(),
        host: "client".into(),
        version: "0".into(),
        repository: "r".into(),
        agent: None,
    };
    let (mut attempts, mut again) = (0, 0);
    while !over.load(Ordering::Relaxed) {
        attempts += 1;
        again += take_once(&mut coordinator, &worker)?;
        if attempts == AT_ONCE {
            println!("made {attempts} {again}");
            (attempts, again) = (0, 0);
        }
    }
    println!("made {attempts} {again}");
    Ok(())
}

/// Takes one call, and says how often it had to be asked for again.
fn take_once(coordinator: &mut Postgres, worker: &Worker) -> Result<u64, FleetError> {
    let take = Take {
        name: Id::random(),
        worker: worker.id.clone(),
        scopes: vec![Scope::Fleet],
        amounts: Amounts::calls(1),
        lease: None,
    };
    let mut again = 0;
    loop {
        match coordinator.take(&take) {
            Ok(Taken::Granted(_)) => println!("granted {}", take.name),
            Ok(Taken::Refused(_) | Taken::Halted { .. }) => {}
            Err(error) if error.is_passing() => {
                again += 1;
                thread::sleep(Duration::from_millis(50));
                continue;
            }
            Err(error) => return Err(error),
        }
        return Ok(again);
    }
}
