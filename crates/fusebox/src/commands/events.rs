//! `fusebox events`: everything that happened, for other programs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fusebox_store::{Error as StoreError, Log};

use super::Context;
use crate::cli::Events;
use crate::duration;
use crate::exit;
use crate::failure::Failure;
use crate::look::events::{self, Since, Source};
use crate::look::machine::{LoopId, Machine};
use crate::moment;

/// How long to rest between two looks.
const PULSE: Duration = Duration::from_millis(250);

pub(super) fn run(context: &Context<'_>, args: &Events) -> Result<u8, Failure> {
    let since = args.since.as_deref();
    let since = since.map_or(Ok(Since::Beginning), |text| {
        parse(text, context.clock.now().wall_ms)
    })?;
    if args.all {
        return all_loops(context, args, since);
    }
    let session = context.session_despite_config()?;
    let id = LoopId {
        workspace: session.located.id.clone(),
        circuit: session.circuit.clone(),
    };
    let mut told = Told::new(&id, &session.located.root, since);
    loop {
        match session.store.log() {
            Ok(Some(log)) => told.go_on(&log, context)?,
            Ok(None) => {}
            Err(StoreError::Busy { .. }) if args.follow => {}
            Err(error) => return Err(error.into()),
        }
        if !args.follow || told.nobody_listens {
            return Ok(exit::GO);
        }
        std::thread::sleep(PULSE);
    }
}

fn all_loops(context: &Context<'_>, args: &Events, since: Since) -> Result<u8, Failure> {
    if let Since::Cursor(_) = since {
        return Err(Failure::new(
            exit::USAGE,
            "a cursor belongs to one loop and cannot be combined with --all",
        )
        .hint("name a time, or omit --all"));
    }
    let machine = Machine::open(&context.cli.global, context.clock)?;
    let mut told: BTreeMap<LoopId, Told> = BTreeMap::new();
    loop {
        for place in machine.places()? {
            let told = told
                .entry(place.id.clone())
                .or_insert_with(|| Told::new(&place.id, &place.root, since));
            let stamp = place.stamp();
            if stamp.is_some() && told.stamp == stamp {
                continue;
            }
            told.stamp = stamp;
            match machine.log(&place) {
                Ok(Some(log)) => told.go_on(&log, context)?,
                Ok(None) => {}
                Err(StoreError::Busy { .. }) => told.stamp = None,
                Err(error) => told.complain(&error, context),
            }
            if told.nobody_listens {
                return Ok(exit::GO);
            }
        }
        if !args.follow {
            return Ok(exit::GO);
        }
        std::thread::sleep(PULSE);
    }
}

/// What was told of one loop so far.
struct Told {
    id: LoopId,
    workspace: String,
    since: Since,
    /// What the log was like when it was last read.
    stamp: Option<(u64, u64)>,
    /// What was last said to be wrong with it.
    complaint: Option<String>,
    nobody_listens: bool,
}

impl Told {
    fn new(id: &LoopId, root: &Path, since: Since) -> Self {
        Self {
            id: id.clone(),
            workspace: root.to_string_lossy().into_owned(),
            since,
            stamp: None,
            complaint: None,
            nobody_listens: false,
        }
    }

    fn go_on(&mut self, log: &Log, context: &Context<'_>) -> Result<(), Failure> {
        if self.since == Since::Mark(log.end()) {
            return Ok(());
        }
        let source = Source {
            id: &self.id,
            workspace: &self.workspace,
        };
        let gone = &mut self.nobody_listens;
        let read = events::since(log, &self.since, &source, &mut |line| {
            *gone = !context.speech.json_heard(line);
            !*gone
        })?;
        if read.lost {
            context
                .speech
                .say("that place is not in the log any more; everything that is was told instead");
        }
        self.since = Since::Mark(read.end);
        self.complaint = None;
        Ok(())
    }

    fn complain(&mut self, error: &StoreError, context: &Context<'_>) {
        let complaint = error.to_string();
        if self.complaint.as_ref() != Some(&complaint) {
            context.speech.say(&format!("{}: {complaint}", self.id));
            self.complaint = Some(complaint);
        }
    }
}

fn parse(text: &str, now_ms: i64) -> Result<Since, Failure> {
    if let Ok(cursor) = text.parse() {
        return Ok(Since::Cursor(cursor));
    }
    since_ms(text, now_ms).map(Since::Time).map_err(|_| {
        let what = format!("`{text}` is neither a cursor nor a time");
        Failure::new(exit::USAGE, what)
            .hint("such as 41-9f0c2ab1, 2026-01-31, 2026-01-31T12:00:00Z, or 2h for two hours ago")
    })
}

/// A moment, or how long ago it was.
pub(super) fn since_ms(text: &str, now_ms: i64) -> Result<i64, Failure> {
    // A day begins at its midnight, in UTC as everything is told.
    if let Some(ms) = moment::parse(text).or_else(|| moment::parse(&format!("{text}T00:00:00Z"))) {
        return Ok(ms);
    }
    if let Some(ago) = duration::of_any_length(text) {
        let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
        // Before the beginning of time there is nothing to be told.
        return Ok(now_ms.saturating_sub(ago).max(0));
    }
    let what = format!("`{text}` is not a time");
    Err(Failure::new(exit::USAGE, what)
        .hint("such as 2026-01-31, 2026-01-31T12:00:00Z, or 2h for two hours ago"))
}
