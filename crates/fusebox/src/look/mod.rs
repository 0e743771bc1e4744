//! The read side: what there is to see, for everything that shows it.
//!
//! `events`, `top`, `report`, `metrics` and `statusline` all sit on these few
//! questions, so that a figure is the same wherever it is read. Nothing here
//! writes, nothing decides, and nothing holds a lock for longer than it takes to
//! read a state. What a page costs does not depend on how much there is: the log
//! is read from its end, in pieces of bounded length.
//!
//! * [`machine`]: all loops of this machine, and how each stands;
//! * [`iterations`]: one loop's iterations, page by page;
//! * [`incidents`]: what opened its breaker, on which evidence, and what closed
//!   it again;
//! * [`events`]: everything that happened since a place or a time;
//! * [`history`]: what happened, found by what it was about;
//! * [`calls`]: the tools that an iteration called;
//! * [`files`]: what an iteration left behind;
//! * [`metrics`]: the same as numbers.

pub(crate) mod calls;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod history;
pub(crate) mod incidents;
pub(crate) mod iterations;
pub(crate) mod machine;
pub(crate) mod metrics;
mod words;
