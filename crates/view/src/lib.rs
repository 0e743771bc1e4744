//! What people see: text that is safe to show.

pub mod escape;
