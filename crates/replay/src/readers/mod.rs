//! One file for each format that sessions are stored in.
//!
//! A reader takes a line, or a document, and tells a [`Listener`] what it means.
//! It never fails: what it does not know is not its own, and whoever called it
//! says so once for the whole file.

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod journal;
pub(crate) mod neutral;
pub(crate) mod openhands;
pub(crate) mod openhands_sdk;
pub(crate) mod stream;
pub(crate) mod sweagent;
pub(crate) use crate::heard::Listener;

/// Reads a file of which every line stands for itself.
pub(crate) trait LineReader {
    /// Takes one line; `None` if it is not of this format, or broken.
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()>;

    /// The file has ended.
    fn end(&mut self, to: &mut dyn Listener) {
        let _ = to;
    }
}
