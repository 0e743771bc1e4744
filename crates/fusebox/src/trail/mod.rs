//! The trail that runs leave below the state of a workspace: what its directories are called, so
//! that whoever looks at it later finds what whoever ran put there.
//!
//! * [`calls`]: which tools an iteration called.

pub(crate) mod calls;

use fusebox_view::phrase;

/// The circuit that is meant where none is named.
const USUAL_CIRCUIT: &str = "default";

/// The name of a run's directory. Names sort by time, and the usual circuit goes
/// without its own.
pub(crate) fn run_name(now_ms: i64, circuit: &str) -> String {
    let time_and_process = format!("{}-{}", run_time(now_ms), std::process::id());
    match circuit {
        USUAL_CIRCUIT => time_and_process,
        named => format!("{time_and_process}-{named}"),
    }
}

/// What the name of a run that begins at this time begins with.
pub(crate) fn run_time(ms: i64) -> String {
    phrase::time(ms).replace([':', '-'], "")
}

/// The circuit of the run whose directory has this name.
pub(crate) fn circuit_of(name: &str) -> Option<&str> {
    let mut parts = name.splitn(3, '-').skip(2);
    name.contains('-')
        .then(|| parts.next().unwrap_or(USUAL_CIRCUIT))
}

/// The name of an iteration's directory.
pub(crate) fn iteration_name(number: u64) -> String {
    format!("{number:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_known_by_its_name() {
        for circuit in ["default", "nightly", "a-b-c"] {
            let name = run_name(1_000, circuit);
            assert!(name.starts_with("19700101T000001Z-"), "{name}");
            assert_eq!(circuit_of(&name), Some(circuit));
        }
        assert_eq!(circuit_of("something"), None);
    }
}
