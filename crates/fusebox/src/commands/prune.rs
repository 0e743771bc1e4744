//! `fusebox prune`: remove what need not be kept, and say what that freed.

use std::fs;

use fusebox_store::{Retention, Standing};
use fusebox_view::phrase;
use serde::Serialize;

use super::Context;
use crate::authority;
use crate::cli::Prune;
use crate::exit;
use crate::failure::Failure;
use crate::housekeeping::{self, Freed};
use crate::session::Session;
use crate::session::measure::Measure;
use crate::speech::shown;

/// What was done, as data.
#[derive(Serialize)]
struct Report {
    schema: u32,
    dry_run: bool,
    #[serde(flatten)]
    freed: Freed,
    /// Whether the snapshots of the work tree were begun anew.
    snapshots_renewed: bool,
    /// Copies of damaged files, which stay.
    quarantined: u64,
}

pub(super) fn run(context: &Context<'_>, args: &Prune) -> Result<u8, Failure> {
    if args.forget {
        return forget(context);
    }
    let session = context.session()?;
    let circuit = session.store.peek()?.state.0;
    let configured = session.in_force(&circuit)?.retention();
    let asked = Retention {
        age: args.older_than.unwrap_or(configured.age),
        bytes: args.keep_bytes.unwrap_or(configured.bytes),
    };
    let keeps_less = asked.age < configured.age || asked.bytes < configured.bytes;
    if keeps_less && !args.dry_run {
        let root = shown(&session.located.root);
        let what = format!(
            "{root} · circuit {} · less of the past is kept than is configured",
            session.circuit
        );
        authority::person(&session, &what)?;
    }
    let freed = if args.dry_run {
        housekeeping::would_free(&session, &asked)?
    } else {
        housekeeping::tidy(&session, &asked)?
    };
    let idle = circuit.core.pending.is_none() && !session.has_supervisor(&session.circuit);
    let shelf = session.store.location().dir.join("quarantine");
    let report = Report {
        schema: 1,
        dry_run: args.dry_run,
        freed,
        snapshots_renewed: !args.dry_run && idle && renewed(&session),
        quarantined: fs::read_dir(&shelf).map_or(0, |copies| copies.count() as u64),
    };
    if context.speech.json {
        context.speech.json(&report);
    } else {
        context.speech.data(&told(&report, &shown(&shelf)));
    }
    Ok(exit::GO)
}

/// Puts aside all that is kept about a workspace, an open breaker included: it takes what a
/// release takes.
fn forget(context: &Context<'_>) -> Result<u8, Failure> {
    #[derive(Serialize)]
    struct Forgotten {
        schema: u32,
        root: String,
        kept_in: String,
    }
    let session = context.session_despite_config()?;
    let root = shown(&session.located.root);
    if session.located.standing == Standing::FirstUse {
        let what = format!("nothing is kept about {root}");
        return Err(Failure::new(exit::MISSING, what));
    }
    if let Some(circuit) = session.running() {
        let what = format!("a loop is running in {root} (circuit `{circuit}`)");
        return Err(Failure::new(exit::REFUSED, what).hint("end it first: `fusebox stop`"));
    }
    let what = format!("{root} · all circuits and their breakers are forgotten");
    authority::person(&session, &what)?;
    let shelf = session.located.forget(session.stamp())?;
    let forgotten = Forgotten {
        schema: 1,
        root,
        kept_in: shown(&shelf),
    };
    if context.speech.json {
        context.speech.json(&forgotten);
    } else {
        let Forgotten { root, kept_in, .. } = forgotten;
        let text = format!("{root} is no workspace any more; what was kept is in {kept_in}\n");
        context.speech.data(&text);
    }
    Ok(exit::GO)
}

/// Begins the snapshots of the work tree anew, if there are too many of them. An
/// iteration under way will be compared with one, so it must not be asked for
/// then.
fn renewed(session: &Session) -> bool {
    let shadow = format!("shadow-{}", session.circuit);
    let dir = session.located.workspace_dir().join(shadow);
    dir.is_dir()
        && Measure::open(session).is_ok_and(|mut measure| {
            let renewed = measure.shadow.renew_if_crowded();
            renewed.unwrap_or(false)
        })
}

fn told(report: &Report, shelf: &str) -> String {
    let Freed {
        segments,
        records,
        log_bytes,
        runs,
        run_bytes,
        ref left,
    } = report.freed;
    let verb = if report.dry_run {
        "would free"
    } else {
        "freed"
    };
    let snapshots = if report.snapshots_renewed {
        "rebuilt"
    } else {
        "unchanged; rebuilt when there are too many"
    };
    let mut text = format!(
        "log         {} in {}, {}\nruns        {}, {}\nsnapshots   {snapshots}\n",
        phrase::count(records, "record"),
        phrase::count(segments, "sealed log"),
        phrase::bytes(log_bytes),
        phrase::count(runs, "run"),
        phrase::bytes(run_bytes),
    );
    if report.quarantined > 0 {
        let copies = phrase::count(report.quarantined, "set");
        text += &format!("quarantine  {copies} of damaged files in {shelf}: never pruned\n");
    }
    for what in left {
        text += &format!("not pruned  {what}\n");
    }
    let freed = phrase::bytes(log_bytes.saturating_add(run_bytes));
    text + &format!("{verb:<11} {freed}\n")
}
