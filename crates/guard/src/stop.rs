//! Why an analysis ended without an answer, and what it may cost.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Why there is no answer. Each of these denies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The command is longer than what is analysed.
    #[error("the command has {0} bytes, more than the {1} that are analysed")]
    TooLong(usize, usize),
    /// It is nested deeper than what is analysed.
    #[error("the command is nested too deeply to be analysed")]
    TooDeep,
    /// It is no text.
    #[error("the command is not valid UTF-8")]
    NotText,
    /// It is no shell command.
    #[error("the command cannot be parsed: {0}")]
    NotShell(String),
    /// It makes more text of itself than what is analysed.
    #[error("the command grows to more text than is analysed")]
    TooMuch,
    /// The time ran out.
    #[error("the analysis took longer than it may")]
    TooSlow,
    /// The analysis itself failed.
    #[error("the analysis failed")]
    Failed,
}

impl Stop {
    /// Whether this says something about the machine and nothing about the command.
    #[must_use]
    pub fn is_environment(&self) -> bool {
        matches!(self, Self::TooSlow | Self::Failed)
    }
}

/// What one analysis may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest command, in bytes.
    pub length: usize,
    /// The deepest nesting of one text.
    pub depth: usize,
    /// Commands within commands: `bash -c`, `eval`, functions, scripts.
    pub within: usize,
    /// Processor time of the analysing thread.
    pub cpu: Duration,
    /// Time that the caller waits at most.
    pub wall: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            length: 256 * 1024,
            depth: 64,
            within: 16,
            cpu: Duration::from_millis(50),
            wall: Duration::from_secs(2),
        }
    }
}

/// The longest command, in bytes, that is followed at once.
const ORDINARY_LENGTH: usize = 8_192;

impl Limits {
    /// What is followed at once, on whichever stack the caller has: nearly every command
    /// that an agent runs.
    pub(crate) fn of_an_ordinary_command(&self) -> Self {
        Self {
            length: self.length.min(ORDINARY_LENGTH),
            depth: self.depth.min(6),
            within: self.within.min(4),
            ..*self
        }
    }
}

/// How many steps pass between two looks at the clock.
const STEPS_A_LOOK: u32 = 16;

/// The processor time that is left to the thread that holds it.
#[derive(Debug)]
pub(crate) struct Budget {
    until: Duration,
    steps: u32,
    /// Bytes that were put in place of variables and substitutions.
    grown: usize,
}

/// All that variables and substitutions may grow to: many times the longest command.
const MOST_GROWTH: usize = 16 << 20;

impl Budget {
    pub(crate) fn start(limits: &Limits) -> Self {
        Self {
            until: thread_time() + limits.cpu,
            steps: 0,
            grown: 0,
        }
    }

    /// Counts text that takes the place of a shorter word. A line that doubles a variable doubles
    /// what the next one does, in a time in which nothing else is counted.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Stop> {
        self.grown = self.grown.saturating_add(bytes);
        if self.grown > MOST_GROWTH {
            return Err(Stop::TooMuch);
        }
        self.spend()
    }

    pub(crate) fn spend(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_A_LOOK) && thread_time() > self.until {
            return Err(Stop::TooSlow);
        }
        Ok(())
    }
}

fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is allowed in all, a caller with a small stack is not to run out of it.
    #[test]
    fn what_is_followed_at_once_is_short_and_shallow() {
        let ordinary = |limits: Limits| {
            let ordinary = limits.of_an_ordinary_command();
            (ordinary.length, ordinary.depth, ordinary.within)
        };
        assert_eq!(ordinary(Limits::default()), (8_192, 6, 4));
        let less = Limits {
            length: 100,
            depth: 2,
            within: 1,
            ..Limits::default()
        };
        assert_eq!(ordinary(less), (100, 2, 1));
    }
}
