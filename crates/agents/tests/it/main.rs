//! The readers from outside: one binary, because linking is what takes time.

mod claude_lines;
mod claude_obstacles;
mod commands;
mod endings;
mod hook_payloads;
mod hook_replies;
mod hook_settings;
mod hostile;
mod last_words;
mod readers;
mod recordings;
mod service_errors;
mod support;
