//! The readers from outside: one binary, because linking is what takes time.

mod claude_lines;
mod commands;
mod endings;
mod hostile;
mod readers;
mod recordings;
mod support;
