//! `fusebox`: the circuit breaker for autonomous coding agents.

use std::process::ExitCode;

fn main() -> ExitCode {
    fusebox::main(fusebox::ClockSource::System)
}
