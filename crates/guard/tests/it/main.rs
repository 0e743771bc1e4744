//! The guard as others see it: commands in, verdicts out; and copies that come back.

mod amounts;
mod archives;
mod bash;
mod bounds;
mod commands;
mod executed;
mod keep;
mod limits;
mod links;
mod programs;
mod scripts;
mod tools;
mod tracked;
mod words;
mod workspace;
