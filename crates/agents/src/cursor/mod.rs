//! Cursor, which is met from inside alone: it is an editor, and nobody runs it in a loop.

mod hook;
mod settings;

pub(crate) use hook::CursorHooks;
