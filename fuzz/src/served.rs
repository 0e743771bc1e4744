//! What is asked over a pipe, with all that the methods take, and on a page.

use std::fs;

use crate::tasks::root;

/// Whoever talks and whatever is said: what is open stays open, agents move nothing, and a page
/// asks for what a person could type.
pub(crate) fn served(bytes: &[u8]) {
    let top = root().join("served");
    fusebox::doors::served(&top, bytes);
    fs::remove_dir_all(&top).expect("it was there");
}
