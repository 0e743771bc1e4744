//! Thousands of virtual workers against a real server.
//!
//! Workers are killed, stall, are slow, have wrong clocks and lose their connection; what
//! must hold all the same is counted afterwards, in the database itself: no task lost,
//! none done twice with effect, no window over its budget, every event there once. Then
//! each operation is driven as fast as the server can, which says what it would hold.

mod audit;
mod chance;
mod cost;
mod machine;
mod proxy;
mod report;
mod tally;
mod worker;

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use postgres::Config;
use postgres::config::Host;

use self::machine::Stage;
use self::proxy::Proxy;
pub use self::report::{Held, Report};
use self::tally::Tally;
use crate::coordinator::Coordinator;
use crate::error::FleetError;
use crate::postgres::Postgres;
use crate::terms::{Scope, Unit};

/// The window of the simulated budget.
const WINDOW: Duration = Duration::from_secs(10);
/// How long work may go on after the trouble has ended, in leases.
const DRAIN: u32 = 4;

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The server, as somebody who may look into its tables.
    pub server: Config,
    /// How many workers.
    pub workers: u32,
    /// Over how many connections.
    pub machines: u32,
    /// For how long there is trouble.
    pub time: Duration,
    /// How long a lease lasts.
    pub lease: Duration,
    /// Whether nothing goes wrong.
    pub calm: bool,
    /// Where the chances begin.
    pub seed: u64,
    /// A repository, and a team, that nobody else uses.
    pub repository: String,
}

impl Plan {
    fn scope(&self) -> Scope {
        Scope::Team(self.repository.clone())
    }

    /// Less than everybody together would like to take.
    fn budget(&self) -> u64 {
        let wanted =
            f64::from(self.workers) * WINDOW.as_secs_f64() / (self.lease.as_secs_f64() * 0.4);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of calls, far below the limits of either type"
        )]
        let most = (wanted * 0.7) as u64;
        most.max(10)
    }
}

/// Simulates, audits and measures. `tell` hears how it goes, a line at a time.
///
/// # Errors
/// If the server cannot be reached at the beginning or the end, or does not allow it.
pub fn simulate(plan: &Plan, tell: &mut dyn FnMut(&str)) -> Result<Report, FleetError> {
    let mut operator = Postgres::new(&plan.server);
    operator.set_budget(&plan.scope(), Unit::Calls, Some(plan.budget()), WINDOW)?;
    let proxies = proxies(plan)?;
    let (tally, calm, over) = (
        Tally::default(),
        AtomicBool::new(plan.calm),
        AtomicBool::new(false),
    );
    let stage = Stage {
        plan,
        tally: &tally,
        calm: &calm,
        over: &over,
    };
    let began = Instant::now();
    let offered = thread::scope(|scope| {
        for number in 0..plan.machines {
            let proxy = proxies.get(usize::try_from(number).unwrap_or(0));
            let coordinator = Postgres::new(&server_for(plan, proxy));
            let stage = &stage;
            scope.spawn(move || machine::run(stage, coordinator, proxy, number.into()));
        }
        let offered = conduct(&stage, &mut operator, tell);
        over.store(true, Ordering::Relaxed);
        offered
    });
    proxies.iter().for_each(Proxy::end);
    let offered = offered?;
    let ran = began.elapsed();
    tell("looking at what is left");
    let audit = audit::look(plan, &tally.lock())?;
    tell("measuring what each operation costs");
    let costs = cost::measure(plan)?;
    operator.set_budget(&plan.scope(), Unit::Calls, None, WINDOW)?;
    let seen = tally.lock();
    Ok(Report::of(plan, &seen, &audit, costs, offered, ran))
}

/// Offers tasks for as long as there is trouble, then waits until all of them are done.
fn conduct(
    stage: &Stage<'_>,
    operator: &mut Postgres,
    tell: &mut dyn FnMut(&str),
) -> Result<u64, FleetError> {
    let plan = stage.plan;
    let began = Instant::now();
    let mut offered = 0;
    let mut told = began;
    while began.elapsed() < plan.time {
        let done = stage.tally.lock().done.len() as u64;
        let wanted = (done + u64::from(plan.workers) * 2).saturating_sub(offered);
        let tasks: Vec<String> = (offered..offered + wanted)
            .map(|n| format!("T-{n:08}"))
            .collect();
        if !tasks.is_empty() {
            offered += retried(|| operator.offer(&plan.repository, &tasks))?;
        }
        if told.elapsed() >= Duration::from_secs(10) {
            told = Instant::now();
            tell(&progress(stage, began, offered));
        }
        thread::sleep(Duration::from_millis(500));
    }
    stage.calm.store(true, Ordering::Relaxed);
    tell("no more trouble; what is begun comes to its end");
    let until = Instant::now() + plan.lease * DRAIN + WINDOW * 3 + Duration::from_secs(30);
    while (stage.tally.lock().done.len() as u64) < offered && Instant::now() < until {
        thread::sleep(Duration::from_millis(200));
    }
    Ok(offered)
}

fn progress(stage: &Stage<'_>, began: Instant, offered: u64) -> String {
    let seen = stage.tally.lock();
    format!(
        "{} s: {} of {offered} tasks done, {} granted, {} refused, {} killed, {} stalled, {} cut off",
        began.elapsed().as_secs(),
        seen.done.len(),
        seen.granted,
        seen.refused,
        seen.kills,
        seen.stalls,
        seen.cuts
    )
}

/// Tries again while the server is away: whoever conducts must not be stopped by what
/// is being conducted.
fn retried<T>(mut ask: impl FnMut() -> Result<T, FleetError>) -> Result<T, FleetError> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        match ask() {
            Err(error) if error.is_passing() && Instant::now() < until => {
                thread::sleep(Duration::from_millis(200));
            }
            other => return other,
        }
    }
}

/// A line that can be cut for each machine, where there is to be trouble.
fn proxies(plan: &Plan) -> Result<Vec<Proxy>, FleetError> {
    if plan.calm {
        return Ok(Vec::new());
    }
    let failed = |error: std::io::Error| FleetError::Failed(error.to_string());
    let server = address(&plan.server)
        .ok_or_else(|| FleetError::Address("names no host that can be cut off".to_owned()))?;
    (0..plan.machines)
        .map(|_| Proxy::start(server).map_err(failed))
        .collect()
}

fn address(config: &Config) -> Option<SocketAddr> {
    let port = config.get_ports().first().copied().unwrap_or(5_432);
    match config.get_hosts().first()? {
        Host::Tcp(host) => (host.as_str(), port).to_socket_addrs().ok()?.next(),
        Host::Unix(_) => None,
    }
}

/// The server as it is reached through a line.
fn server_for(plan: &Plan, proxy: Option<&Proxy>) -> Config {
    let Some(proxy) = proxy else {
        return plan.server.clone();
    };
    let mut config = Config::new();
    config
        .host("127.0.0.1")
        .port(proxy.port)
        .application_name("fusebox");
    let from = &plan.server;
    if let Some(user) = from.get_user() {
        config.user(user);
    }
    if let Some(password) = from.get_password() {
        config.password(password);
    }
    if let Some(database) = from.get_dbname() {
        config.dbname(database);
    }
    config.connect_timeout(Duration::from_secs(5));
    config.tcp_user_timeout(Duration::from_secs(10));
    config
}
