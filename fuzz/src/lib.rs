//! What must hold whatever is handed in.
//!
//! `cargo fuzz run -s none payload fuzz/corpus/payload fuzz/seeds/payload` works on a stable
//! toolchain; `cargo xtask prove` runs all targets for a while.

pub mod edits;
pub mod guard;
pub mod hooks;
pub mod memory;
pub mod systems;
pub mod tasks;
pub mod text;
