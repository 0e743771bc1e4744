//! All loops of a machine on one screen.
//!
//! This room draws and listens to keys. It reads nothing and changes nothing: a
//! [`Source`] says how the loops stand, and what a person asks for is carried out
//! by the very commands they could have typed, so that whoever may not release a
//! breaker there may not do it from here either.
//!
//! * [`picture`]: what there is to show;
//! * `board`: what is shown of it: the page, the line that is selected, a question
//!   that is being answered;
//! * `draw`: the board as characters, a file for each page;
//! * `keys`: what was pressed, and when there is nobody left to press it;
//! * `screen`: the loop of keys and drawings on a real terminal;
//! * [`guardian`]: whoever makes sure that the terminal is left as it was.

#![forbid(unsafe_code)]

mod board;
mod draw;
mod ending;
pub mod guardian;
mod keys;
pub mod picture;
mod screen;
#[cfg(test)]
mod tests;

pub use board::Action;
pub use screen::{Source, Stopped, run};
