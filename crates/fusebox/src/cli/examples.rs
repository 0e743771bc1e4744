//! Examples for commands whose flags fit in a line: nobody should have to guess how one
//! is meant. Commands with more to tell have theirs beside their flags.

use clap::Command;

const EXAMPLES: [(&str, &str); 20] = [
    (
        "hook",
        "\
  fusebox hooks install claude                    so that the agent calls it
  fusebox hook claude pre-tool-use < call.json    what it would be told",
    ),
    (
        "demo",
        "\
  fusebox demo             a loop is stopped, explained and released
  fusebox demo --fast      the same without pauses",
    ),
    (
        "status",
        "\
  fusebox status
  fusebox status --json | jq .state
  fusebox -C ../other --circuit nightly status",
    ),
    (
        "explain",
        "\
  fusebox explain          every signal with its value and its threshold
  fusebox explain --json",
    ),
    (
        "history",
        "\
  fusebox history -n 50
  fusebox history --kind tripped
  fusebox history --task build-42 --json",
    ),
    (
        "pause",
        "\
  fusebox pause            after the current iteration
  fusebox resume           continue",
    ),
    (
        "resume",
        "\
  fusebox resume
  fusebox -C ../other resume",
    ),
    (
        "stop",
        "\
  fusebox stop                         at once
  fusebox stop --after-iteration       after the current iteration
  fusebox stop --skip-task             and do not try the task again",
    ),
    (
        "diff",
        "\
  fusebox diff             what the last iteration changed
  fusebox diff 4           what iteration 4 changed
  fusebox diff | git apply --reverse       takes that back",
    ),
    (
        "trip",
        "\
  fusebox trip --reason 'it deletes tests'",
    ),
    (
        "reset",
        "\
  fusebox explain                                  first: why did it stop?
  fusebox reset --reason 'the flaky test is fixed'
  fusebox reset --reason 'wrong way' --guidance 'leave the parser alone'",
    ),
    (
        "recover",
        "\
  fusebox recover --note 'begin with the failing test'
  fusebox recover --strategy 3 --note 'split the task'",
    ),
    (
        "rollback",
        "\
  fusebox rollback 4       the work tree as it was after iteration 4
  fusebox rollback 0       as it was before the first
  fusebox rollback 4 --dry-run    which files this would write and delete",
    ),
    (
        "check",
        "\
  while fusebox check; do ./agent.sh; fusebox record --from-git; done
  fusebox check --peek     only look: no call is used up
  fusebox check --json     with the grant to pass to `record --grant`",
    ),
    (
        "mcp",
        "\
  claude mcp add fusebox -- fusebox mcp
  codex mcp add fusebox -- fusebox mcp",
    ),
    (
        "config",
        "\
  fusebox config show                  every value, and where it comes from
  fusebox config default > fusebox.toml
  fusebox config schema > fusebox.schema.json",
    ),
    (
        "prune",
        "\
  fusebox prune --dry-run
  fusebox prune --older-than 30d
  fusebox prune --forget -C ~/src    a workspace created there by mistake",
    ),
    (
        "self-check",
        "\
  fusebox self-check       after installing, and when something seems wrong
  fusebox self-check --json",
    ),
    (
        "completions",
        "\
  fusebox completions bash > ~/.local/share/bash-completion/completions/fusebox
  fusebox completions zsh > ~/.zfunc/_fusebox",
    ),
    (
        "man",
        "\
  fusebox man | man -l -
  fusebox man ~/.local/share/man/man1",
    ),
];

/// Examples of commands below another, where that one's do not show them already.
const INNER: [&str; 21] = [
    "fusebox guard list",
    "fusebox guard verify          are all protected files intact?",
    "fusebox guard restore         restore what was lost, from the copies",
    "fusebox hooks status",
    "fusebox limit status --json",
    "fusebox tasks list --json",
    "fusebox tasks claim T-12 --pid $$",
    "fusebox tasks heartbeat T-12",
    "fusebox tasks release T-12",
    "fusebox tasks block T-12 --reason 'waits for the new API'",
    "fusebox tasks reopen T-12 --reason 'the API is there'",
    "fusebox tasks add 'split the parser'",
    "fusebox fleet migrate",
    "fusebox fleet workers --json",
    "fusebox fleet reopen T-12",
    "fusebox fleet deliver",
    "fusebox fleet simulate --json",
    "fusebox report run --json",
    "fusebox presets use cub       switch to another one here",
    "fusebox presets diff native cub",
    "fusebox anomaly add --type retry_loop --task T-3 --detail count=3",
];

/// The command line with an example for every command that has none of its own.
pub(crate) fn given(command: Command) -> Command {
    let all = EXAMPLES.iter().fold(command, |command, (name, lines)| {
        let text = page(lines.lines());
        command.mut_subcommand(name, |one| one.after_help(text))
    });
    all.mut_subcommands(|outer| {
        let name = outer.get_name().to_owned();
        let told = outer.get_after_help().map(ToString::to_string);
        let told = told.unwrap_or_default();
        outer.mut_subcommands(|inner| with_those_of(inner, &name, &told))
    })
}

/// A command below another with those examples that are about it.
fn with_those_of(inner: Command, outer: &str, told: &str) -> Command {
    if inner.get_after_help().is_some() {
        return inner;
    }
    let call = format!("fusebox {outer} {}", inner.get_name());
    let shows = |line: &&str| {
        let rest = line.split_once(&call).map(|(_, rest)| rest);
        // Names that are asked for in capitals are not examples of names.
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) && !line.contains("NAME")
    };
    let mut lines = INNER
        .into_iter()
        .chain(told.lines())
        .filter(shows)
        .peekable();
    match lines.peek() {
        Some(_) => {
            let text = page(lines);
            inner.after_help(text)
        }
        None => inner,
    }
}

fn page<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = "Examples:".to_owned();
    for line in lines {
        text.push_str("\n  ");
        text.push_str(line.trim_start());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_that_a_person_types_has_an_example() {
        let own = Cli::command();
        for (name, lines) in EXAMPLES {
            let fits = |line: &str| line.chars().count() <= 80;
            assert!(lines.lines().all(fits), "{lines}");
            let told = own.find_subcommand(name).and_then(Command::get_after_help);
            assert!(told.is_none(), "{name} has examples of its own");
        }
        for one in given(own).get_subcommands() {
            let name = one.get_name();
            if one.is_hide_set() {
                continue;
            }
            let told = one.get_after_help().map(ToString::to_string);
            let told = told.unwrap_or_default();
            let shows = |line: &str| line.contains("fusebox ") && line.contains(name);
            assert!(told.lines().any(shows), "{name}");
            for inner in one.get_subcommands().filter(|inner| !inner.is_hide_set()) {
                let call = format!("fusebox {name} {}", inner.get_name());
                let told = inner.get_after_help().map(ToString::to_string);
                assert!(told.is_some_and(|told| told.contains(&call)), "{call}");
            }
        }
    }
}
