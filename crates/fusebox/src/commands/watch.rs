//! `fusebox watch`: an analysis whenever there is something new to analyse.
//!
//! It looks at the blackboard again and again, and analyses only when somebody else
//! has written there: every analysis leaves an entry, and a page of entries that say
//! nothing hides the one that does. While the breaker is open it waits for a person
//! like everybody else.

use std::time::{Duration, Instant};

use fusebox_core::State;
use fusebox_core::machine;
use fusebox_supervise::Signals;
use fusebox_view::phrase;

use super::analyze::look_for_patterns;
use super::{Context, announce};
use crate::cli::Watch;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;

/// How often a signal is looked for in between.
const PULSE: Duration = Duration::from_millis(50);

pub(super) fn run(context: &Context<'_>, args: &Watch) -> Result<u8, Failure> {
    let session = context.session()?;
    let mut signals = Signals::catch()
        .map_err(|error| Failure::new(exit::INTERNAL, format!("cannot catch signals: {error}")))?;
    let mut watching = Watching {
        context,
        session: &session,
        seen: None,
        trouble: None,
        open: false,
    };
    let interval = u64::try_from(args.interval.as_millis()).unwrap_or(u64::MAX);
    let every = phrase::duration(interval);
    context
        .speech
        .say(&format!("watching, every {every}; Ctrl-C ends it"));
    loop {
        let code = watching.look()?;
        if args.until_triggered && watching.open {
            return Ok(code);
        }
        let until = Instant::now() + args.interval;
        while Instant::now() < until {
            if signals.take().is_some() {
                return Ok(exit::GO);
            }
            std::thread::sleep(PULSE.min(args.interval));
        }
    }
}

struct Watching<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    /// What was there when last an analysis was made.
    seen: Option<String>,
    /// What was last said to be wrong.
    trouble: Option<String>,
    open: bool,
}

impl Watching<'_> {
    /// Looks once. What is wrong with a blackboard is said once and waited out: it
    /// may be half written.
    fn look(&mut self) -> Result<u8, Failure> {
        let code = match self.analyse() {
            Ok(code) => code,
            Err(failure) if failure.code == exit::REFUSED => return Err(failure),
            Err(failure) => {
                if self.trouble.as_ref() != Some(&failure.what) {
                    self.context.speech.say(&failure.what);
                    self.trouble = Some(failure.what);
                }
                return Ok(exit::STATE);
            }
        };
        self.trouble = None;
        Ok(code)
    }

    fn analyse(&mut self) -> Result<u8, Failure> {
        let standing = self.session.look(machine::status)?;
        let mark = self.session.what_could_be_analysed(&standing)?;
        let was_open = std::mem::replace(&mut self.open, standing.decision.state == State::Open);
        if self.open {
            return Ok(exit::of(&standing.decision, &standing.policy));
        }
        if was_open {
            self.context.speech.say("released; watching again");
        }
        if self.seen.as_ref() == Some(&mark) {
            return Ok(exit::GO);
        }
        let outcome = look_for_patterns(self.session, |_| ())?;
        self.seen = Some(mark);
        self.open = outcome.decision.state == State::Open;
        if self.open {
            let code = announce(self.context, &outcome);
            return Ok(code);
        }
        let at = phrase::time(outcome.now.wall_ms);
        self.context.speech.say(&format!("{at} · no pattern"));
        Ok(exit::GO)
    }
}
