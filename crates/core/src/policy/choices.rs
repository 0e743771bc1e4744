//! What a way of working has to choose from.

/// What counts as a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallUnit {
    /// Starting the agent.
    Invocation,
    /// A request to the model, of which one iteration makes many.
    Request,
}

/// What an opening does to the loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Enforcement {
    /// It halts.
    #[default]
    Halt,
    /// It is announced, and the loop goes on. Limits hold.
    Announce,
    /// Everything is decided and written down, and nothing is denied: not by
    /// what opens meanwhile, and not by a limit. What was open before stays so.
    Observe,
}

/// The words that stand for the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Labels {
    /// Normal operation.
    pub closed: &'static str,
    /// The warning before a trip; `None` where there is no such state.
    pub watching: Option<&'static str>,
    /// Halted.
    pub open: &'static str,
    /// The single trial; the label of `open` where there is no such state.
    pub probing: &'static str,
    /// Nothing left to do; `None` where there is no such state.
    pub complete: Option<&'static str>,
}

/// What one tick of the breaker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TickUnit {
    /// One run of the agent.
    Iteration,
    /// One action within a phase.
    PhaseAction,
    /// One analysis of reported anomalies.
    Analysis,
    /// One session, which may hold many iterations.
    Session,
}

/// What counts as having gained something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgressRule {
    /// A meaningful change of a file, a completed task or a newly passing
    /// feature.
    AnyGain,
    /// A changed file or a completed task; work on tests alone does not count, neither for progress
    /// nor against it.
    BeyondTests,
    /// A better value of the phase's own metrics.
    PhaseMetrics,
    /// A newly passing feature.
    Features,
}

/// When two errors are the same error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorIdentity {
    /// Same type, same message once what varies is masked.
    Normalised,
    /// The same, and the same place: the test that failed, or else the file, where one is known.
    /// Of a tool that nobody knows it is all that it printed, what varies masked.
    Placed,
    /// Same type and message, byte for byte.
    Exact,
    /// The first line that names an error, with two kinds of numbers masked.
    FirstLine,
}

/// What ends the streak of an error that is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreakRule {
    /// Nothing: iterations with it are counted, whatever else they gain.
    Unbroken,
    /// A gain that was measured: fewer tests fail, or fewer errors are left in the build, than ever
    /// since it came up. More passing tests beside it put the streak off, for a while.
    SinceGain {
        /// How many iterations may be excused, all in all, for what there is no end to: tests that
        /// pass can be added for ever, and so can lines to what a failing program prints.
        excused: u32,
        /// How many iterations with one error are excused whatever they repair. An agent can write
        /// what it repairs, and a long repair meets other errors in turn.
        mended: u32,
    },
}

/// What edits without gain are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DriftRule {
    /// What an iteration is expected to be worth, in tenths of a point.
    pub expected: i32,
    /// How many iterations are taken for worth that much, though they are not, for tests that were
    /// added and for another output, until something is repaired.
    pub excused: u32,
    /// With the best of how many iterations one is compared. They are fewer than reach the limit
    /// without any gain, so that there is one in time where much was broken at once and is being
    /// repaired.
    pub compared: u32,
}

/// What an iteration is worth, indicator by indicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScoreWeights {
    /// For each test that failed before and passes now.
    pub test_fixed: i32,
    /// For each completed task.
    pub task: i32,
    /// For meaningful changes of files.
    pub files: i32,
    /// Whether `files` counts for each file or once for the iteration.
    pub per_file: bool,
    /// For a build with fewer errors than before.
    pub build_fixed: i32,
    /// For the same error as in the iteration before.
    pub same_error: i32,
    /// For not modifying any file.
    pub no_files: i32,
    /// For returning to an earlier work tree.
    pub reverted: i32,
}

/// How an opened breaker may be closed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate way out")]
pub struct ReleaseRules {
    /// A person may close it.
    pub person: bool,
    /// A probe may run after a cooldown.
    pub cooldown: bool,
    /// A person may close it by saying how its cause was corrected.
    pub correction: bool,
    /// A person may let one probe run at once, with another model or approach.
    pub retry: bool,
    /// What a probe must show to close the breaker.
    pub probe: ProbeRule,
}

/// What a probe must show to close the breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProbeRule {
    /// Progress.
    Progress,
    /// A progress score above zero.
    PositiveScore,
}

/// What happens when the breaker opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HaltMode {
    /// Ask a person; without one, stay halted.
    Pause,
    /// Print the block with the choices and halt.
    Prompt,
    /// Leave a checkpoint file and wait for its removal.
    Checkpoint,
    /// Write the report and leave.
    Exit,
    /// Wait for the cooldown.
    Wait,
}

/// What may be done on the breaker's behalf besides deciding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate grant")]
pub struct Capabilities {
    /// Mark a task as blocked.
    pub block_task: bool,
    /// Go on with another model.
    pub switch_model: bool,
    /// Tell somebody outside.
    pub notify: bool,
    /// Skip a phase.
    pub skip_phase: bool,
    /// Write a report.
    pub report: bool,
    /// Put back protected files.
    pub restore_files: bool,
    /// Switch single signals off.
    pub switch_off_signals: bool,
    /// Only announce an opening, or only observe.
    pub advise_only: bool,
}

/// Which way thresholds may be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThresholdEdits {
    /// Both ways.
    Free,
    /// Both ways, and the state follows at once.
    Reevaluate,
    /// Only to stricter values.
    TightenOnly,
}

/// Exit codes that differ between ways of working.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExitMap {
    /// The breaker is open.
    pub open: u8,
    /// A person is needed and there is nobody to ask.
    pub paused: u8,
    /// Added to the codes 1 to 6, which mean something else there.
    pub shift: u8,
}
