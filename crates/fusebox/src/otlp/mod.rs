//! What others collect: traces of what loops did, and numbers that agents report of
//! themselves, both in the JSON form of OTLP.
//!
//! Exporting reads the log, like everything that looks, in a process of its own: a
//! collector that hangs holds up nobody. The shapes are our own few structs; the
//! protocol has dozens, and says that fields may be left out.
//!
//! * [`shape`]: traces as they are written;
//! * [`trace`]: a run is a workflow, an iteration an agent at work, a call a tool;
//! * [`receive`]: what an agent says it spent.

pub(crate) mod receive;
pub(crate) mod shape;
pub(crate) mod trace;
