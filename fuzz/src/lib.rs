//! What must hold whatever is handed in.
//!
//! Each target is a function that panics when it does not. `cargo test` tries the seeds and
//! what lies around them; `cargo xtask prove` has a fuzzer look for more, on a stable
//! toolchain.

mod answers;
mod breaker;
mod bytes;
mod edits;
mod guard;
mod guarded;
mod hooks;
mod memory;
mod processes;
mod repository;
mod served;
mod settings;
mod small_states;
mod systems;
mod tasks;
mod text;

/// One kind of input.
#[derive(Debug)]
pub struct Target {
    /// Also the directory of its seeds.
    pub name: &'static str,
    /// Returns unless something does not hold.
    pub holds: fn(&[u8]),
}

/// Parsers and protocols that face the outside, and what is made of what they read.
pub const TARGETS: &[Target] = &[
    Target::new("agent_streams", hooks::agent_streams),
    Target::new("answers", answers::answers),
    Target::new("blackboard", edits::blackboard),
    Target::new("breaker", breaker::breaker),
    Target::new("config", memory::config),
    Target::new("diff", memory::diff),
    Target::new("errors", text::errors),
    Target::new("evidence", systems::evidence),
    Target::new("guarded", guarded::guarded),
    Target::new("http", memory::http),
    Target::new("journal", memory::journal),
    Target::new("key_values", edits::key_values),
    Target::new("patch", guard::patch),
    Target::new("paths", guard::paths),
    Target::new("payload", hooks::payload),
    Target::new("pipe", memory::pipe),
    Target::new("processes", processes::processes),
    Target::new("progress", systems::progress),
    Target::new("record", edits::record),
    Target::new("replay", systems::replay),
    Target::new("report", memory::report),
    Target::new("repository", repository::repository),
    Target::new("scripts", guard::scripts),
    Target::new("served", served::served),
    Target::new("settings", settings::settings),
    Target::new("settings_json", edits::settings_json),
    Target::new("shell", guard::shell),
    Target::new("shown", text::shown),
    Target::new("small_states", small_states::small_states),
    Target::new("stored", memory::stored),
    Target::new("supervisor", memory::supervisor),
    Target::new("switchboard", memory::switchboard),
    Target::new("tasks", tasks::tasks),
    Target::new("telemetry", memory::telemetry),
    Target::new("webhook", text::webhook),
];

impl Target {
    const fn new(name: &'static str, holds: fn(&[u8])) -> Self {
        Self { name, holds }
    }
}
