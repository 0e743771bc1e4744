//! The engine, driven as its callers drive it: one step at a time.

mod analysed;
mod beside;
mod bmad;
mod budget_windows;
mod budgets;
mod calls;
mod cub;
mod harness;
mod ladder;
mod loop_properties;
mod loop_session;
mod loops;
mod lost;
mod native;
mod no_loops;
mod outages;
mod pattern_words;
mod patterns;
mod policy_table;
mod probes;
mod prp;
mod reports;
mod streaks;
mod superkit;
mod together;
