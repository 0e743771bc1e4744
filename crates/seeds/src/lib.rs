//! The languages of the systems whose ways of working fusebox knows: a folder
//! for each of them, with the formats of its files.
//!
//! Text in, plain data out. Nothing here opens a file, and nothing here decides:
//! what a value means to the breaker, and whether whoever wrote it may say so, is
//! for the caller. What is read may come from a hostile repository, so reading
//! never panics, and whatever is said about a file says where in it.

pub mod cub;
mod json;

pub use json::{Placed, Wrong};
