//! The flags of `eval`.

use std::path::PathBuf;

use clap::Args;
use fusebox_replay::{Range, Setting};

/// `eval`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Eval {
    /// Collections of sessions whose outcomes are known
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// What a careful supervisor would have done, one line per session
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Try another threshold, such as repeat.trip=5; may be given several times
    #[arg(long, value_name = "NAME=N", value_parser = str::parse::<Setting>)]
    pub(crate) set: Vec<Setting>,
    /// Compare with a policy that has these thresholds; may be given several times
    #[arg(long, value_name = "NAME=N", value_parser = str::parse::<Setting>)]
    pub(crate) against: Vec<Setting>,
    /// Try all values from A to B and print the frontier; several are combined
    #[arg(long, value_name = "NAME=A..B", value_parser = range)]
    pub(crate) sweep: Vec<Range>,
    /// Cross-validate: split the sessions into N parts, choose the swept thresholds on all but one,
    /// score that one, and print the results of the parts and how much they differ
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=20))]
    pub(crate) folds: Option<u32>,
    /// Inject loops into healthy sessions, and measure how many are detected
    #[arg(long)]
    pub(crate) inject: bool,
    /// Seed for the injected loops; the same seed gives the same loops
    #[arg(long, value_name = "N", default_value_t = 1, requires = "inject")]
    pub(crate) seed: u64,
    /// Also score the rules that other projects publish, on the same sessions
    #[arg(long)]
    pub(crate) peers: bool,
    /// Write the frontier as a picture
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
}

const EXAMPLES: &str = "\
A trip is right for sessions that were stuck or ran into their limit, wrong for those that
went well; for solved ones it is harmful only before their last edit. Each percentage comes
with its 95 % confidence interval.

Examples:
  fusebox eval sessions/ --labels supervisor.jsonl
  fusebox eval sessions/ --sweep repeat.trip=3..8 --plot frontier.svg
  fusebox eval sessions/ --set repeat.trip=3 --against repeat.trip=6
  fusebox eval sessions/ --sweep repeat.trip=3..8 --folds 5     or is it just luck?
  fusebox eval sessions/ --peers       what would others have caught, and harmed?
  fusebox eval sessions/ --inject";

/// Reads `NAME=A..B`.
fn range(text: &str) -> Result<Range, String> {
    let parsed = text.split_once('=').and_then(|(name, values)| {
        let (from, to) = values.split_once("..")?;
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        let name = name.to_owned();
        (from <= to).then_some(Range { name, from, to })
    });
    parsed.ok_or_else(|| format!("`{text}` is not a range of a threshold such as repeat.trip=3..8"))
}
