//! `fusebox` with a clock that `FUSEBOX_NOW` can set. Never shipped.

use std::process::ExitCode;

fn main() -> ExitCode {
    fusebox::main(fusebox::ClockSource::Settable)
}
