//! `fusebox check`: may the next iteration run?

use fusebox_core::machine;
use fusebox_supervise::COOKIE_VARIABLE;

use super::{Context, announce};
use crate::cli::Check;
use crate::failure::Failure;
use crate::session::measure::Measure;

pub(super) fn run(context: &Context<'_>, args: &Check) -> Result<u8, Failure> {
    let session = context.session()?;
    let outcome = if args.peek {
        session.look(machine::peek)?
    } else if std::env::var_os(COOKIE_VARIABLE).is_some() {
        // Inside a supervised iteration its grant covers whatever the agent does;
        // taking another would make the supervisor's own report come too late.
        session.look(machine::status)?
    } else {
        let tree = match args.from_git.then(|| Measure::open(&session)).transpose()? {
            Some(mut measure) => measure.tree().map(|tree| tree.to_string()).ok(),
            None => None,
        };
        session.apply(|circuit, policy, now| machine::check(circuit, policy, tree, now))?
    };
    Ok(announce(context, &outcome))
}
