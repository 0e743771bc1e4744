//! Stages: what is run, how long it took, and what came of it.

use crate::watchdog::{self, Deadline, Ended};
use anyhow::Result;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// What came of a stage. There is no silent way not to run one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// It could not run here, and why.
    NotRun(String),
}

struct Finished {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// A sequence of stages under one time limit.
///
/// A stage that fails does not keep the next from running: one run should
/// tell everything that is wrong.
pub(crate) struct Stages {
    started: Instant,
    limit: Duration,
    finished: Vec<Finished>,
    remarks: Vec<String>,
}

impl Stages {
    pub(crate) fn within(limit: Duration) -> Self {
        Self {
            started: Instant::now(),
            limit,
            finished: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds lines to what is told in the end.
    pub(crate) fn remark(&mut self, lines: impl IntoIterator<Item = String>) {
        self.remarks.extend(lines);
    }

    /// Runs one stage; that time is already up is a failure.
    pub(crate) fn run(
        &mut self,
        name: &'static str,
        work: impl FnOnce(Deadline) -> Result<Outcome>,
    ) {
        self.run_or(name, Outcome::Failed, work);
    }

    /// Runs one stage if there is time for it.
    pub(crate) fn run_if_time(
        &mut self,
        name: &'static str,
        work: impl FnOnce(Deadline) -> Result<Outcome>,
    ) {
        self.run_or(name, Outcome::NotRun, work);
    }

    fn run_or(
        &mut self,
        name: &'static str,
        late: impl FnOnce(String) -> Outcome,
        work: impl FnOnce(Deadline) -> Result<Outcome>,
    ) {
        println!("── {name}");
        let started = Instant::now();
        let left = self.limit.saturating_sub(self.started.elapsed());
        let outcome = if left.is_zero() {
            late("no time was left for it".to_owned())
        } else {
            work(Deadline::after(left))
                .unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")))
        };
        let stage = Finished {
            name,
            outcome,
            took: started.elapsed(),
        };
        println!("{}", stage.summary());
        self.finished.push(stage);
    }

    /// Runs a stage that is a single command.
    pub(crate) fn run_command(&mut self, name: &'static str, command: Result<Command>) {
        self.run(name, |deadline| outcome_of(&mut command?, deadline));
    }

    /// Prints what came of every stage, and says whether all is well. What
    /// was not run is no failure, but it is in the list.
    pub(crate) fn conclude(self) -> ExitCode {
        println!("── summary");
        for stage in &self.finished {
            println!("{}", stage.summary());
        }
        for remark in &self.remarks {
            println!("{remark}");
        }
        println!(
            "{:<12} {:>7.1} s of {} s",
            "total",
            self.started.elapsed().as_secs_f64(),
            self.limit.as_secs()
        );
        if self.failed() {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    }

    fn failed(&self) -> bool {
        let failed = |stage: &Finished| matches!(stage.outcome, Outcome::Failed(_));
        self.finished.iter().any(failed)
    }
}

impl Finished {
    fn summary(&self) -> String {
        let outcome = match &self.outcome {
            Outcome::Passed => "ok".to_owned(),
            Outcome::Failed(why) => format!("FAILED: {why}"),
            Outcome::NotRun(why) => format!("NOT RUN: {why}"),
        };
        let seconds = self.took.as_secs_f64();
        format!("{:<12} {seconds:>7.1} s  {outcome}", self.name)
    }
}

/// Runs a command as (part of) a stage.
pub(crate) fn outcome_of(command: &mut Command, deadline: Deadline) -> Result<Outcome> {
    Ok(match watchdog::run(command, deadline)? {
        Ended::Exited(status) if status.success() => Outcome::Passed,
        Ended::Exited(status) => Outcome::Failed(status.to_string()),
        Ended::Overran => Outcome::Failed("out of time, killed".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Command> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Ok(command)
    }

    #[test]
    fn a_failure_is_kept_and_the_next_stage_still_runs() {
        let mut stages = Stages::within(Duration::from_secs(20));
        stages.run_command("bad", shell("exit 3"));
        stages.run_command("absent", Ok(Command::new("/nonexistent/program")));
        stages.run_command("good", shell("exit 0"));
        assert!(matches!(stages.finished[0].outcome, Outcome::Failed(_)));
        assert!(matches!(stages.finished[1].outcome, Outcome::Failed(_)));
        assert_eq!(stages.finished[2].outcome, Outcome::Passed);
        assert!(stages.failed());
    }

    #[test]
    fn what_was_not_run_is_no_failure_but_is_said() {
        let mut stages = Stages::within(Duration::from_secs(20));
        stages.run("deny", |_| Ok(Outcome::NotRun("no cargo-deny".to_owned())));
        assert!(!stages.failed());
        let summary = stages.finished[0].summary();
        assert!(summary.contains("NOT RUN: no cargo-deny"), "{summary}");
    }

    #[test]
    fn a_stage_that_overruns_fails_and_nothing_follows() {
        let mut stages = Stages::within(Duration::from_millis(200));
        stages.run_command("slow", shell("sleep 60"));
        stages.run("late", |_| panic!("must not start"));
        assert!(
            stages
                .finished
                .iter()
                .all(|stage| matches!(stage.outcome, Outcome::Failed(_)))
        );
    }

    #[test]
    fn what_there_is_no_time_for_is_told_and_no_failure_where_that_was_agreed() {
        let mut stages = Stages::within(Duration::ZERO);
        stages.run_if_time("late", |_| panic!("must not start"));
        assert!(matches!(stages.finished[0].outcome, Outcome::NotRun(_)));
        assert!(!stages.failed());
        stages.run("needed", |_| panic!("must not start"));
        assert!(stages.failed());
    }
}
