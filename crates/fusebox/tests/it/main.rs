//! The whole program, driven as a user would drive it.
//!
//! Every test has a home, a memory and a work tree of its own, starts the real
//! binary, and looks only at what a user could see: exit codes, output, and
//! the files that are left.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod alerts_seen;
mod answers;
mod astray;
mod beside;
mod bmad;
mod bmad_check;
mod bmad_edit;
mod bmad_files;
mod bmad_over_time;
mod browser;
mod browsing;
mod budgets;
mod call;
mod clock;
mod config;
mod config_changes;
mod config_told;
mod context;
mod contract;
mod cub;
mod cub_config;
mod demo;
mod detection_page;
mod disloyal_agent;
mod doctor;
mod events;
mod fleet;
mod fleet_forgotten;
mod fleet_patterns;
mod fleet_server;
mod fleet_views;
mod foreign_files;
mod grants;
mod guard;
mod hook;
mod hook_emptying;
mod hook_grants;
mod hook_limits;
mod hook_losses;
mod hook_turns;
mod hook_variables;
mod hooks;
mod hostile_agent;
mod hostile_corpus;
mod hostile_pipes;
mod hostile_text;
mod importing;
mod init;
mod input;
mod keep;
mod liza;
mod liza_board;
mod liza_release;
mod liza_ways;
mod manual;
mod many_at_once;
mod memory;
mod memory_places;
mod notify;
mod originals;
mod otlp;
mod output;
mod phase_menu;
mod phase_reports;
mod phases;
mod platforms;
mod presets;
mod protocol;
mod release;
mod replay;
mod report;
mod retention;
mod rollback;
mod run_actions;
mod run_artifacts;
mod run_circles;
mod run_ends;
mod run_environment;
mod run_evidence;
mod run_hooks;
mod run_limits;
mod run_losses;
mod run_menu;
mod run_modes;
mod run_notices;
mod run_phases;
mod run_progress;
mod run_protected;
mod run_repeats;
mod run_resume;
mod run_returns;
mod run_signals;
mod run_tasks;
mod run_tasks_beside;
mod run_tasks_doubts;
mod run_tasks_inside;
mod run_tasks_list;
mod run_told;
mod sandbox;
mod serve;
mod serve_actions;
mod served;
mod stand_in;
mod superkit;
mod supervised;
mod tasks;
mod tasks_untrusted;
mod terminal;
mod top;
mod top_terminal;
mod variables;
mod versions;
mod ways_in;
mod ways_in_steps;
mod ways_of_working;
mod worktrees;
