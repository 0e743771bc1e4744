//! `fusebox fleet simulate`: what would this server hold?

use fusebox_fleet::simulate::{Plan, simulate};
use fusebox_fleet::{Address, Id};
use fusebox_view::escape;

use crate::cli::Simulate;
use crate::context::Context;
use crate::exit;
use crate::failure::Failure;
use crate::fleet::Party;

pub(super) fn run(context: &Context<'_>, party: &Party, args: &Simulate) -> Result<u8, Failure> {
    let Address::Server(server) = &party.address else {
        return Err(no_server());
    };
    let plan = Plan {
        server: (**server).clone(),
        workers: args.workers,
        machines: args.machines.min(args.workers),
        time: args.time,
        lease: args.lease,
        calm: args.calm,
        seed: args.seed,
        // Nobody else's tasks, budgets and events are touched.
        repository: format!("simulated-{}", Id::random()),
    };
    let speech = context.speech;
    let report = simulate(&plan, &mut |line| speech.say(&escape::line(line, 200)))?;
    if speech.json {
        speech.json(&report);
    } else {
        speech.data(&report.to_string());
    }
    if report.holds() {
        return Ok(exit::GO);
    }
    Err(Failure::new(
        exit::INTERNAL,
        "something was lost, done twice, over budget or taken over too late",
    )
    .hint(
        "a lease that is short for the load of this server is taken over late; try `--lease 30s`",
    ))
}

/// A directory is kept by each of those who share it: there is nothing that could hold or not.
pub(super) fn no_server() -> Failure {
    let what = "a simulation needs a PostgreSQL server to try, named by `--fleet postgres://…`";
    Failure::new(exit::MISSING, what)
}
