//! Two network namespaces with a link between them that is cut: the server here, a worker
//! over there. `cut_link [SECONDS]`; needs root and `ip`, and says so where it has neither.
//!
//! The worker takes and delivers all the time. While the link is down nothing may be granted
//! to it and nothing may hang; when it is up again every event must be there once.

#![expect(
    clippy::print_stdout,
    reason = "whoever starts an experiment wants to see it"
)]

use std::error::Error;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{
    Address, Amounts, Coordinator, Event, Id, Postgres, Scope, Take, Taken, Worker,
};
use postgres::NoTls;
use postgres_fixture::{Care, Cluster};

const NAMESPACE: &str = "fusebox-cut-link";
const HERE: &str = "10.213.77.1";
const THERE: &str = "10.213.77.2";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, url, seconds] = words.as_slice()
        && word == "worker"
    {
        return worker(url, seconds.parse()?);
    }
    let seconds: u64 = words.first().map_or(Ok(45), |word| word.parse())?;
    if let Err(why) = Link::up() {
        println!("skipped: two network namespaces cannot be had here: {why}");
        return Ok(ExitCode::SUCCESS);
    }
    let link = Link;
    let cluster = Cluster::start_on(HERE, Care::Durable)?;
    let url = cluster.database()?;
    let Address::Server(server) = url.parse()? else {
        return Err("a fixture is a server".into());
    };
    Postgres::new(&server).migrate()?;
    let mut worker = over_there(&url, seconds)?;
    // Up for a third of the time, down for a third, up again.
    let third = Duration::from_secs(seconds) / 3;
    thread::sleep(third);
    link.set("down")?;
    thread::sleep(third);
    link.set("up")?;
    let ended = worker.wait()?;
    let mut client = server.connect(NoTls)?;
    let row = client.query_one(
        "select count(*), count(distinct number), coalesce(max(number), 0) from fusebox.event",
        &[],
    )?;
    let (there, different, last): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    println!("events {there}");
    println!("missing {}", last - different);
    println!("duplicates {}", there - different);
    let sound = ended.success() && there == different && different == last && last > 0;
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The worker's side, in its own namespace.
fn worker(url: &str, seconds: u64) -> Result<ExitCode, Box<dyn Error>> {
    let Address::Server(server) = url.parse()? else {
        return Err("a worker needs a server".into());
    };
    let mut coordinator = Postgres::new(&server);
    let worker = Worker {
        id: Id::random(),
        host: "there".into(),
        version: "0".into(),
        repository: "r".into(),
        agent: None,
    };
    let began = Instant::now();
    let (mut granted, mut refused, mut number) = (0_u64, 0_u64, 0);
    let (mut longest, mut away, mut longest_away) = (Duration::ZERO, None, Duration::ZERO);
    let mut outbox: Vec<Event> = Vec::new();
    let end = Duration::from_secs(seconds);
    while began.elapsed() < end || (!outbox.is_empty() && began.elapsed() < end * 3) {
        let asked = Instant::now();
        if began.elapsed() < end {
            number += 1;
            outbox.push(Event {
                number,
                kind: "reported".into(),
                task: None,
                fence: None,
                fields: serde_json::json!({}),
                marks: Vec::new(),
            });
        }
        let took = coordinator.enrol(&worker).and_then(|()| {
            coordinator.deliver(&worker, number, &outbox)?;
            outbox.clear();
            coordinator.take(&Take {
                name: Id::random(),
                worker: worker.id.clone(),
                scopes: vec![Scope::Fleet],
                amounts: Amounts::calls(1),
                lease: None,
            })
        });
        longest = longest.max(asked.elapsed());
        match took {
            Ok(Taken::Granted(_)) => {
                granted += 1;
                if let Some(since) = away.take() {
                    longest_away = longest_away.max(Instant::now() - since);
                }
            }
            Ok(_) => refused += 1,
            Err(error) if error.is_passing() => {
                refused += 1;
                away.get_or_insert(asked);
            }
            Err(error) => return Err(error.into()),
        }
        thread::sleep(Duration::from_millis(50));
    }
    println!("granted {granted}");
    println!("asked in vain {refused}");
    println!("longest answer {:.1} s", longest.as_secs_f64());
    println!(
        "longest without a coordinator {:.1} s",
        longest_away.as_secs_f64()
    );
    let bounded = longest < Duration::from_secs(15);
    let was_cut = longest_away >= Duration::from_secs(seconds) / 4;
    let sound = outbox.is_empty() && bounded && was_cut;
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn over_there(url: &str, seconds: u64) -> std::io::Result<Child> {
    let me = std::env::current_exe()?;
    Command::new("ip")
        .args(["netns", "exec", NAMESPACE])
        .arg(me)
        .args(["worker", url, &seconds.to_string()])
        .spawn()
}

/// Two namespaces and the cable between them, gone when dropped.
struct Link;

impl Link {
    fn up() -> Result<(), String> {
        Self.down();
        let address = |ip: &str| format!("{ip}/30");
        let (here, there) = (address(HERE), address(THERE));
        for words in [
            &["netns", "add", NAMESPACE][..],
            &[
                "link",
                "add",
                "cut-here",
                "type",
                "veth",
                "peer",
                "name",
                "cut-there",
                "netns",
                NAMESPACE,
            ],
            &["addr", "add", &here, "dev", "cut-here"],
            &["link", "set", "cut-here", "up"],
            &["-n", NAMESPACE, "addr", "add", &there, "dev", "cut-there"],
            &["-n", NAMESPACE, "link", "set", "cut-there", "up"],
        ] {
            if let Err(why) = ip(words) {
                Self.down();
                return Err(why);
            }
        }
        Ok(())
    }

    /// Cuts the link on the worker's side, as a pulled plug would, or mends it.
    fn set(&self, state: &str) -> Result<(), String> {
        ip(&["-n", NAMESPACE, "link", "set", "cut-there", state])
    }

    fn down(&self) {
        let _ = ip(&["link", "del", "cut-here"]);
        let _ = ip(&["netns", "del", NAMESPACE]);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.down();
    }
}

fn ip(words: &[&str]) -> Result<(), String> {
    let output = Command::new("ip")
        .args(words)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
