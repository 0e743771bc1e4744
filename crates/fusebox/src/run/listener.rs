//! Hears what the command says while it runs: shows it, keeps its two ends,
//! reads its events, and ends the iteration when something else calls for it.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use fusebox_agents::{
    AgentEvent, EndClass, Exit, Line, LineSplitter, Reader, RunEnd, Stream as AgentStream,
};
use fusebox_core::calls::{CallPolicy, CallVerdict};
use fusebox_supervise::{HeadTail, StepObserver, Stream, Tick, Wish};

use super::activity::Activity;
use super::calls::CallLog;
use super::circles::Circles;
use super::first_error::FirstError;
use super::live::Live;
use super::purse::Purse;
use super::requests::{Request, Requests};
use super::screen::Screen;
use super::sink::Sink;
use super::stage::Stage;
use super::time_limit::TimeLimit;
use crate::clock::Clock;
use crate::failure::Failure;
use crate::fleet::LeaseWatch;
use crate::outlet;
use crate::switchboard::Switchboard;
use crate::trail::calls::Calls;

/// Kept of the beginning and of the end of the output.
const HEAD: usize = 256 * 1024;
const TAIL: usize = 768 * 1024;
/// Kept of standard error, for the line a failing command ends with.
pub(super) const LAST_WORDS: usize = 8 * 1024;
/// How long an agent may stay after its result without a word. Some wait for
/// tasks in the background, some never leave.
const AFTER_RESULT: Duration = Duration::from_secs(60);
/// An agent that sleeps longer than this for a limit is ended: we can wait as
/// well as it can, without a process, and with a countdown.
const LONGEST_SLEEP: Duration = Duration::from_secs(120);

/// Why an iteration was ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Another terminal asked for the end.
    Asked,
    /// The time for the whole run is used up.
    Time,
    /// The agent slept for a limit of its vendor.
    Slept(EndClass, Duration),
    /// A budget was used up.
    Budget,
    /// The limit on calls was reached.
    Calls,
    /// It went round in circles.
    Circles,
    /// The lease on its task is over: somebody else may have begun.
    LeaseLost,
    /// What it spends cannot be written down.
    Unrecorded,
}

/// How the output is read and shown.
pub(super) struct Manner<'a> {
    pub(super) reader: Box<dyn Reader>,
    /// Whether events are shown instead of what they are made of.
    pub(super) structured: bool,
    pub(super) json: bool,
    pub(super) clock: Clock,
    pub(super) requests: &'a Requests,
    /// When the time for the whole run is over, if that is limited.
    pub(super) limit: Option<TimeLimit>,
    pub(super) purse: Purse<'a>,
    /// Requests to the model that are left, where those are limited.
    pub(super) requests_left: Option<u32>,
    pub(super) denied_in_a_row: u32,
    pub(super) live: Live,
    pub(super) stage: Stage,
    /// The run's voice.
    pub(super) screen: &'a Screen,
    /// Whether the first line with the mark of an error is looked for.
    pub(super) wants_error_line: bool,
    /// When the session is taken for a loop.
    pub(super) in_session: CallPolicy,
    /// The lease that is worked under, where tasks are shared.
    pub(super) lease: Option<LeaseWatch>,
    /// Where the agent's hooks ask.
    pub(super) switchboard: Option<&'a mut Switchboard>,
}

/// The observer of one iteration.
pub(super) struct Listener<'a> {
    manner: Manner<'a>,
    stdout: Sink,
    stderr: Sink,
    lines: [LineSplitter; 2],
    events: Vec<AgentEvent>,
    kept: HeadTail,
    errors: HeadTail,
    activity: Activity,
    /// One for each stream: in which order the two are read is chance.
    first_errors: [FirstError; 2],
    circles: Circles,
    calls: CallLog,
    looked: Instant,
    cut: Option<Cut>,
    /// Why what it spends could not be written down.
    failure: Option<Failure>,
    /// What was asked for the time after this iteration.
    asked: Option<Request>,
}

/// What is left when the command has ended.
pub(super) struct Heard {
    pub(super) activity: Activity,
    pub(super) end: RunEnd,
    pub(super) cut: Option<Cut>,
    pub(super) asked: Option<Request>,
    pub(super) first_error: FirstError,
    /// What was said of the session, if it went round in circles.
    pub(super) circles: Option<CallVerdict>,
    /// The tools that were called.
    pub(super) calls: Calls,
    pub(super) all: HeadTail,
    /// The end of standard error.
    pub(super) errors: HeadTail,
    /// What it was given to read.
    pub(super) prompt: Option<String>,
}

impl<'a> Listener<'a> {
    pub(super) fn new(mut manner: Manner<'a>) -> Self {
        if let Some(switchboard) = &mut manner.switchboard {
            switchboard.begin_anew();
        }
        Self {
            stdout: Sink::stdout(manner.json, &manner.stage),
            stderr: Sink::stderr(&manner.stage),
            lines: [LineSplitter::default(), LineSplitter::default()],
            events: Vec::new(),
            kept: HeadTail::new(HEAD, TAIL),
            errors: HeadTail::new(0, LAST_WORDS),
            activity: Activity::after(manner.denied_in_a_row),
            first_errors: Default::default(),
            circles: Circles::watch(manner.in_session),
            calls: CallLog::begin(),
            looked: Instant::now(),
            cut: None,
            failure: None,
            asked: None,
            manner,
        }
    }

    /// What was heard, unless it ended because the memory failed.
    pub(super) fn finish(mut self, exit: Exit) -> Result<Heard, Failure> {
        let now = self.manner.clock.now().wall_ms;
        let searched = self.searches_lines();
        for ((stream, mut lines), first_error) in [AgentStream::Stdout, AgentStream::Stderr]
            .into_iter()
            .zip(std::mem::take(&mut self.lines))
            .zip(&mut self.first_errors)
        {
            lines.finish(|line| {
                if searched {
                    first_error.line(line.bytes);
                }
                self.manner.reader.line(stream, line, now, &mut self.events);
            });
        }
        self.digest();
        self.stdout.finish();
        self.stderr.finish();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let exit = match self.cut {
            Some(_) => Exit::StoppedByUs,
            None => exit,
        };
        Ok(Heard {
            end: self.manner.reader.end(exit, now),
            activity: self.activity,
            cut: self.cut,
            asked: self.asked,
            first_error: FirstError::of(self.first_errors),
            circles: self.circles.verdict,
            calls: self.calls.finish(),
            all: self.kept,
            prompt: None,
            errors: self.errors,
        })
    }

    /// Whether errors are looked for in the lines themselves, and not in events.
    fn searches_lines(&self) -> bool {
        self.manner.wants_error_line && !self.manner.structured
    }

    /// Takes in the events that have been read.
    fn digest(&mut self) {
        let mut shown = String::new();
        let [first_error, _] = &mut self.first_errors;
        for event in self.events.drain(..) {
            if self.manner.wants_error_line {
                match &event {
                    AgentEvent::ToolResult(result) => first_error.read(&result.text.text),
                    AgentEvent::Said(text) => first_error.read(&text.text),
                    _ => {}
                }
            }
            let circles = self.circles.take(&event);
            self.calls.take(&event);
            let line = self.activity.take(&event);
            if let Some(line) = line.filter(|_| self.manner.structured) {
                shown.push_str(&line);
                shown.push('\n');
            }
            if let Some(line) = circles.filter(|_| self.manner.structured) {
                shown.push_str(&line);
                shown.push('\n');
            }
        }
        // All at once: a chunk may hold hundreds of events.
        if !shown.is_empty() {
            self.stdout.write(shown.as_bytes());
        }
    }

    /// Whether a moment of the limit on time has come.
    fn is_past(&self, moment: fn(TimeLimit) -> Instant) -> bool {
        let limit = self.manner.limit;
        limit.is_some_and(|limit| Instant::now() >= moment(limit))
    }

    /// What calls for the end of the iteration, if anything does.
    fn called_off(&mut self) -> Option<Cut> {
        if self.looked.elapsed() >= Duration::from_secs(1) {
            self.looked = Instant::now();
            match self.manner.requests.take() {
                Some(Request::Stop) => return Some(Cut::Asked),
                Some(request) => self.asked = request.after(self.asked),
                None => {}
            }
        }
        if self.is_past(|limit| limit.ends) {
            return Some(Cut::Time);
        }
        if self.manner.lease.as_ref().is_some_and(LeaseWatch::is_lost) {
            return Some(Cut::LeaseLost);
        }
        if self.circles.are_enough() {
            return Some(Cut::Circles);
        }
        if self
            .manner
            .requests_left
            .is_some_and(|most| self.activity.turns > most)
        {
            return Some(Cut::Calls);
        }
        match self.manner.purse.covers(&self.activity.spent) {
            Ok(true) => {}
            Ok(false) => return Some(Cut::Budget),
            Err(failure) => {
                self.failure = Some(failure);
                return Some(Cut::Unrecorded);
            }
        }
        match self.activity.sleeps {
            Some((trouble, wait)) if wait > LONGEST_SLEEP => Some(Cut::Slept(trouble, wait)),
            _ => None,
        }
    }
}

impl StepObserver for Listener<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.kept.push(bytes);
        let (place, agents_stream) = match stream {
            Stream::Stdout => (0, AgentStream::Stdout),
            Stream::Stderr => (1, AgentStream::Stderr),
        };
        if stream == Stream::Stderr {
            self.errors.push(bytes);
        }
        if !self.manner.structured || stream == Stream::Stderr {
            match stream {
                Stream::Stdout => self.stdout.write(bytes),
                Stream::Stderr => self.stderr.write(bytes),
            }
        }
        let now = self.manner.clock.now().wall_ms;
        let searched = self.searches_lines();
        let (reader, events) = (&mut self.manner.reader, &mut self.events);
        let first_error = &mut self.first_errors[place];
        self.lines[place].push(bytes, |line: Line<'_>| {
            if searched {
                first_error.line(line.bytes);
            }
            reader.line(agents_stream, line, now, events);
        });
        self.digest();
    }

    fn signalled(&mut self, signal: i32, first: bool) {
        self.manner.screen.stopping("the agent", signal, first);
    }

    fn tick(&mut self, tick: Tick) -> Wish {
        if self.cut.is_none() {
            self.cut = self.called_off();
        }
        self.manner.live.working(&self.activity, tick.elapsed);
        if let Some(switchboard) = &mut self.manner.switchboard {
            switchboard.hang_up_on_the_silent();
        }
        let heard = tick.elapsed.saturating_sub(tick.quiet);
        match (self.cut, self.activity.sleeps) {
            // Whatever it is asked, and by whom: it had its time.
            _ if self.is_past(|limit| limit.over) => Wish::Kill,
            (Some(_), _) => Wish::Stop,
            (None, _) if self.activity.finished => Wish::FinishAt(heard + AFTER_RESULT),
            (None, Some((_, wait))) => Wish::Excuse(heard + wait),
            (None, None) => Wish::GoOn,
        }
    }

    fn takes_output(&self) -> bool {
        !outlet::is_held_up()
    }

    fn callers(&self) -> Vec<BorrowedFd<'_>> {
        let switchboard = self.manner.switchboard.as_ref();
        switchboard.map_or_else(Vec::new, |switchboard| switchboard.sources())
    }

    fn hear_callers(&mut self) {
        if let Some(switchboard) = &mut self.manner.switchboard {
            switchboard.hear();
        }
    }

    fn answer_callers(&mut self) {
        let Some(switchboard) = &mut self.manner.switchboard else {
            return;
        };
        let mut shown = String::new();
        switchboard.answer(|report| {
            let (reply, line) = self.circles.answer(report);
            shown.extend(line.map(|line| line + "\n"));
            reply
        });
        match self.manner.structured {
            _ if shown.is_empty() => {}
            true => self.stdout.write(shown.as_bytes()),
            false => self.stderr.write(shown.as_bytes()),
        }
    }
}

impl Heard {
    /// The end of the output as text, for what a plain command says of itself.
    pub(super) fn last_text(&self) -> String {
        let mut bytes = Vec::new();
        let _ = self.all.write_to(&mut bytes);
        let end = &bytes[bytes.len().saturating_sub(HEAD)..];
        String::from_utf8_lossy(end).into_owned()
    }
}
