//! `fusebox notify test`: do notifications arrive?

use std::time::Duration;

use fusebox_notify::{Kind, Notice, Notifier, Pace, SinkReport};
use fusebox_view::escape;
use serde::Serialize;

use super::Context;
use crate::cli::{Notify, NotifyAction};
use crate::exit;
use crate::failure::Failure;
use crate::run::{NotifyPlan, routes};
use crate::session::Session;

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// What became of it at one place.
#[derive(Serialize)]
struct Told<'a> {
    sink: &'a str,
    delivered: bool,
    why: Option<&'a str>,
}

pub(super) fn run(context: &Context<'_>, args: &Notify) -> Result<u8, Failure> {
    match args.action {
        NotifyAction::Test => test(context),
    }
}

fn test(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let notice = Notice {
        body: "If you can read this, notifications arrive.".into(),
        ..Notice::new(Kind::Test, "A test", context.clock.now().wall_ms)
    };
    let Some(reports) = send(&session, notice)? else {
        return Err(Failure::new(
            exit::MISSING,
            "notifications go nowhere: there is neither a desktop nor a terminal, and nothing else is configured",
        )
        .hint("set `webhook` or `command` under [notifications] in the user's config.toml"));
    };
    let told: Vec<Told<'_>> = reports.iter().map(Told::of).collect();
    if context.speech.json {
        context.speech.json(&told);
    } else {
        told.iter().for_each(|one| context.speech.data(&one.line()));
    }
    match told.iter().all(|one| one.delivered) {
        true => Ok(exit::GO),
        false => Ok(exit::MISSING),
    }
}

/// Tells everybody who is to be told, and waits for them; `None` where that is nobody.
pub(super) fn send(session: &Session, notice: Notice) -> Result<Option<Vec<SinkReport>>, Failure> {
    let circuit = session.store.peek()?.state.0;
    let in_force = session.in_force(&circuit)?;
    let mut layers = session.layers.borrow_mut();
    layers.listen_for(in_force.policy.preset, &circuit.imported);
    let plan = NotifyPlan::of(&layers, &in_force, None);
    let routes = routes(&plan, &session.located.root, &mut |_| {})?;
    if routes.is_empty() {
        return Ok(None);
    }
    let notifier = Notifier::start_routed(routes, Pace::default()).map_err(|error| {
        Failure::new(
            exit::INTERNAL,
            format!("notifications cannot be sent: {error}"),
        )
    })?;
    let root = &session.located.root;
    let name = root.file_name().unwrap_or(root.as_os_str());
    notifier.send(&Notice {
        circuit: session.circuit.to_string(),
        workspace: name.to_string_lossy().into_owned(),
        ..notice
    });
    Ok(Some(notifier.flush(PATIENCE)))
}

impl<'a> Told<'a> {
    fn of(report: &'a SinkReport) -> Self {
        let delivered = report.delivered > 0;
        let why = report.last_failure.as_deref().filter(|_| !delivered);
        Self {
            sink: &report.sink,
            delivered,
            why: why.or((!delivered).then_some("no answer in time")),
        }
    }

    fn line(&self) -> String {
        let sink = escape::line(self.sink, 200);
        match self.why {
            None => format!("{sink}: arrived\n"),
            Some(why) => format!("{sink}: did not arrive: {}\n", escape::line(why, 300)),
        }
    }
}
