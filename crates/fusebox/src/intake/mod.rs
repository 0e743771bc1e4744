//! What `record` is told: one JSON object, flags, or both.

mod fields;
mod shrink;

use std::io::Read;

pub(crate) use fields::strangers;

use fusebox_core::fact::Fact;
use fusebox_core::observation::{Ended, Environment, ErrorReport, FileChanges, TestCounts};
use fusebox_core::policy::ErrorIdentity;
use fusebox_core::{Observation, circuit::GrantId};

use crate::cli::{EnvironmentKind, Record};
use crate::exit;
use crate::failure::Failure;
use crate::grant;

/// A report as it came in.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Intake {
    pub(crate) facts: Observation,
    pub(crate) grant: Option<GrantId>,
    /// Whether its errors are lines that somebody typed, with no type of their own.
    pub(crate) in_lines: bool,
    /// What was changed on the way in, worth telling the sender.
    pub(crate) notes: Vec<String>,
}

impl Intake {
    /// Reads what the command was given. Flags win over the JSON object.
    pub(crate) fn read(args: &Record, stdin: impl Read) -> Result<Self, Failure> {
        let mut intake = match args.input {
            Some(_) => Self::from_json(stdin)?,
            None => Self::default(),
        };
        intake.take_flags(args)?;
        Ok(intake)
    }

    /// Reads one JSON object.
    pub(crate) fn from_json(input: impl Read) -> Result<Self, Failure> {
        let shrunk = shrink::read(input).map_err(|error| {
            Failure::new(exit::USAGE, format!("the report cannot be used: {error}"))
                .hint("nothing was recorded; send one JSON object, with the end of long logs only")
        })?;
        let mut notes = Vec::new();
        if shrunk.dropped > 0 {
            notes.push(format!(
                "{} bytes of over-long text were left out",
                shrunk.dropped
            ));
        }
        let text = String::from_utf8_lossy(&shrunk.bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            notes.push("bytes that are no UTF-8 were replaced".into());
        }
        let (facts, grant) = fields::parse(&text).map_err(|why| {
            Failure::new(exit::USAGE, format!("the report cannot be used: {why}"))
                .hint("nothing was recorded; see `fusebox record --help` for the shape")
        })?;
        Ok(Self {
            facts,
            grant,
            in_lines: false,
            notes,
        })
    }

    /// Takes errors that were typed, one line each.
    pub(crate) fn take_errors(&mut self, lines: &[String]) {
        let report = |text: &String| ErrorReport {
            message: text.clone(),
            ..ErrorReport::default()
        };
        self.facts.errors = Fact::Measured(lines.iter().map(report).collect());
        self.in_lines = true;
    }

    /// What was reported, where errors are told apart like this. Byte for byte, an error is the
    /// same only if its type stands where others have it.
    pub(crate) fn facts_by(&self, identity: ErrorIdentity) -> Observation {
        let mut facts = self.facts.clone();
        if let Fact::Measured(errors) = &mut facts.errors
            && self.in_lines
            && identity == ErrorIdentity::Exact
        {
            errors.iter_mut().for_each(split_type);
        }
        facts
    }

    fn take_flags(&mut self, args: &Record) -> Result<(), Failure> {
        let facts = &mut self.facts;
        if let Some(name) = &args.grant {
            let wrong = || {
                Failure::new(
                    exit::USAGE,
                    "a grant looks like `g-12`; `fusebox check --json` answers with one",
                )
            };
            self.grant = Some(grant::parse(name).ok_or_else(wrong)?);
        }
        facts.iteration = args.iteration.or(facts.iteration);
        facts.duration_ms = args.duration_ms.or(facts.duration_ms);
        if let Some(task) = &args.task {
            facts.task = Some(task.clone());
        }
        if let Some(approach) = &args.approach {
            facts.approach = Some(approach.clone());
        }
        if let Some(count) = args.files_changed {
            facts.files = Fact::Measured(FileChanges {
                count,
                paths: Vec::new(),
                ..FileChanges::default()
            });
        }
        if let Some(tasks) = args.tasks_completed {
            facts.tasks_completed = Fact::Measured(tasks);
        }
        if !args.errors.is_empty() || args.no_errors {
            self.take_errors(&args.errors);
        }
        let facts = &mut self.facts;
        if args.tests_passed.is_some() || args.tests_failed.is_some() {
            let counts = TestCounts {
                passed: args.tests_passed.unwrap_or(0),
                failed: args.tests_failed.unwrap_or(0),
                skipped: 0,
            };
            facts.tests = Fact::Measured(counts);
        }
        if let Some(code) = args.exit_code {
            facts.ended = Some(Ended::exited(code));
        }
        if let Some(kind) = args.environment {
            facts.environment = Some(kind.into());
            facts.retry_at_ms = args.retry_at;
        }
        Ok(())
    }
}

/// `TypeError: x is undefined` has a type; a sentence has none.
fn split_type(error: &mut ErrorReport) {
    if let Some((kind, message)) = error.message.split_once(": ")
        && !kind.contains(char::is_whitespace)
    {
        error.kind = Some(kind.to_owned());
        error.message = message.to_owned();
    }
}

impl From<EnvironmentKind> for Environment {
    fn from(kind: EnvironmentKind) -> Self {
        match kind {
            EnvironmentKind::Limit => Self::Limit,
            EnvironmentKind::Overload => Self::Overload,
            EnvironmentKind::Auth => Self::Auth,
            EnvironmentKind::Network => Self::Network,
            EnvironmentKind::Disk => Self::Disk,
        }
    }
}

/// A door for the fuzzer: a report is used or refused, in words that can be shown.
#[cfg(feature = "fuzzing")]
pub(crate) fn take_in(bytes: &[u8]) {
    if let Err(failure) = Intake::from_json(bytes) {
        assert!(!failure.what.is_empty());
    }
}
