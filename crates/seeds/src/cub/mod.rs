//! The system that pauses, alerts, aborts or escalates.

mod config;
#[cfg(test)]
mod config_tests;

pub use config::{Action, Config, Setting, StaleAction, StaleTaskRecovery, read};
