//! Judges every case of a table and prints which verdicts were not as expected.
//!
//!     cargo run -p fusebox-guard --example score -- cases.tsv path/to/workspace

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::PathBuf;

use fusebox_guard::{Decision, Guard, Protected, batch};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [table, root] = arguments.as_slice() else {
        return Err("usage: score CASES.tsv ROOT".into());
    };
    let root = root.canonicalize()?;
    let guard = Guard::new(Protected::new(&root)).with_environment(std::env::vars());
    let score = batch::run(
        &guard,
        &root,
        &std::fs::read_to_string(table)?,
        |case, decision| {
            let met = match case.expected.as_str() {
                "block" => decision == Decision::Deny,
                "allow" => decision == Decision::Allow,
                _ => true,
            };
            if !met {
                println!("{}\t{decision:?}\t{:?}", case.expected, case.command);
            }
        },
    );
    println!("{score}");
    Ok(())
}
