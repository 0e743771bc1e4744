//! The fleet, against a server of its own.

#![expect(clippy::unwrap_used, reason = "a test that fails is to say where")]

mod budgets;
mod conformance;
mod events;
mod leases;
mod partitions;
mod patterns;
mod roles;
mod support;
