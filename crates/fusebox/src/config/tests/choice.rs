//! Which of several values is in force.

use clap::Parser;
use fusebox_core::Preset;
use fusebox_core::policy::{Bound, Policy};
use fusebox_core::signals::Signal;

use super::{amount, file, resolve, told, variables};
use crate::cli::{Cli, Command, OnStagnation, Run};
use crate::config::key::Key;
use crate::config::layer::Source;
use crate::config::{Layers, default_file, schema};

fn run(threshold: &str) -> Run {
    let words = ["fusebox", "run", "--stagnation-threshold", threshold, "x"];
    match Cli::parse_from(words).command {
        Command::Run(args) => *args,
        _ => unreachable!("it is a run"),
    }
}

#[test]
fn what_the_environment_has_said_is_not_the_command_lines_word() {
    let set = || variables(&[("FUSEBOX_STAGNATION_THRESHOLD", "6")]).unwrap();
    for (flag, source) in [("6", Source::Environment), ("5", Source::Flag)] {
        let mut layers = Layers::found(set().into_iter().collect());
        layers.add_flags(&run(flag));
        let in_force = layers.resolve(None).unwrap();
        assert_eq!(in_force.stagnation().unwrap().origin.source, source);
    }
}

#[test]
fn req_000_081_flags_win_over_environment_over_files_over_the_preset() {
    let threshold = |n: u32| format!("[stagnation]\nthreshold = {n}\n");
    let (managed, user, project) = (threshold(9), threshold(8), threshold(7));
    let files = [
        (Source::Managed, managed.as_str()),
        (Source::User, &user),
        (Source::Project, &project),
    ];
    for (count, expected) in [
        (0, (3, Source::Preset)),
        (1, (9, Source::Managed)),
        (2, (8, Source::User)),
        (3, (7, Source::Project)),
        (4, (6, Source::Environment)),
        (5, (4, Source::Flag)),
    ] {
        let read = files
            .iter()
            .take(count)
            .map(|(source, text)| file(*source, text).unwrap());
        let mut layers = Layers::found(read.collect());
        if count >= 4 {
            let set = variables(&[("FUSEBOX_STAGNATION_THRESHOLD", "6")]);
            layers.found.extend(set.unwrap());
        }
        if count >= 5 {
            layers.add_flags(&run("4"));
        }
        let in_force = layers.resolve(None).unwrap();
        let (trip, source) = amount(&in_force, "signals.no_progress.trip");
        assert_eq!((trip, source), (Some(expected.0), expected.1));
        let rule = in_force.policy.rules.get(Signal::NoProgress).unwrap();
        let number = u32::try_from(expected.0).unwrap();
        assert_eq!(rule.trip, Some(Bound::AtLeast(number)));
        assert_eq!(rule.warn, Some(Bound::AtLeast(number - 1)));
    }
}

#[test]
fn req_003_013_and_003_069_and_003_097_unwise_counts_are_told_once_and_taken() {
    let own = "threshold = 5";
    for (preset, line, warning) in [
        (Preset::Bmad, own, None),
        (Preset::Bmad, "threshold = 3", None),
        (Preset::Bmad, "threshold = 10", None),
        (
            Preset::Bmad,
            "threshold = 2",
            Some(
                "user.toml:2: stagnation.threshold is 2, outside the recommended 3 to 10 (very sensitive, trips quickly)",
            ),
        ),
        (
            Preset::Cub,
            "threshold = 99",
            Some(
                "user.toml:2: stagnation.threshold is 99, outside the recommended 3 to 10 (NOT RECOMMENDED: too high, defeats the purpose. The breaker is a symptom; look for the cause before you raise it)",
            ),
        ),
    ] {
        let text = format!("[stagnation]\n{line}");
        let in_force = resolve(preset, &[(Source::User, &text)]).unwrap();
        assert_eq!(in_force.warnings, Vec::from_iter(warning), "{line}");
    }
    // Percentages are not counts, and a preset's own values are its own affair.
    let text = "signals.output_decline.trip = 90\nsignals.circular_approach.trip = 2";
    let in_force = resolve(Preset::Native, &[(Source::User, text)]).unwrap();
    assert!(in_force.warnings.is_empty(), "{:?}", in_force.warnings);
}

#[test]
fn what_is_switched_off_is_on_again_where_a_later_layer_says_so() {
    let off = "signals.task_stuck.enabled = false";
    let on = "signals.task_stuck.enabled = true";
    let policy = |layers: &[(Source, &str)]| resolve(Preset::Cub, layers).unwrap().policy;
    assert!(
        policy(&[(Source::User, off)])
            .rules
            .get(Signal::TaskStuck)
            .is_none()
    );
    let both = [(Source::User, off), (Source::Project, on)];
    assert_eq!(policy(&both), Policy::of(Preset::Cub));
}

#[test]
fn signals_that_a_preset_does_not_read_are_named_in_one_line() {
    let text = "signals.drift.trip = 5\nsignals.drift.warn = 2\nsignals.returns.trip = 3";
    let in_force = resolve(Preset::Cub, &[(Source::User, text)]).unwrap();
    assert_eq!(
        in_force.warnings,
        [
            "user.toml: preset `cub` does not read drift, returns, so what is set there has no effect"
        ]
    );
    assert_eq!(in_force.policy, Policy::of(Preset::Cub));
    let text = "stagnation.threshold = 4\nstagnation.action = \"abort\"";
    let in_force = resolve(Preset::Liza, &[(Source::User, text)]).unwrap();
    let start = "user.toml: preset `liza` does not read stagnation, so ";
    assert_eq!(in_force.warnings.len(), 1);
    assert!(in_force.warnings[0].starts_with(start), "{in_force:?}");
}

#[test]
fn the_preset_is_the_users_to_choose_unless_the_machine_has_chosen() {
    let chosen = |begun, files: &[(Source, &str)]| {
        let layers = files
            .iter()
            .map(|(source, text)| file(*source, text).unwrap());
        let in_force = Layers::found(layers.collect()).resolve(begun).unwrap();
        (
            in_force.policy.preset,
            in_force.preset.source,
            in_force.warnings,
        )
    };
    let (cub, prp) = ("preset = \"cub\"", "preset = \"prp\"");
    assert_eq!(chosen(None, &[]), (Preset::Native, Source::Preset, vec![]));
    let user = [(Source::User, cub)];
    assert_eq!(chosen(None, &user), (Preset::Cub, Source::User, vec![]));
    let begun = chosen(Some(Preset::Bmad), &user);
    assert_eq!(begun, (Preset::Bmad, Source::Circuit, vec![]));
    let held = |place: &str, preset: &str| {
        vec![format!(
            "{place}:1: the preset cannot be chosen here; in force is `{preset}`"
        )]
    };
    assert_eq!(
        chosen(None, &[(Source::Managed, cub), (Source::User, prp)]),
        (Preset::Cub, Source::Managed, held("user.toml", "cub"))
    );
    assert_eq!(
        chosen(None, &[(Source::Project, prp)]),
        (
            Preset::Native,
            Source::Preset,
            held("project.toml", "native")
        )
    );
    let mut layers = vec![file(Source::Managed, cub).unwrap()];
    layers.extend(variables(&[("FUSEBOX_PRESET", "prp")]).unwrap());
    assert_eq!(
        told(&Layers::found(layers).resolve(None).unwrap_err()),
        "error: FUSEBOX_PRESET: the machine holds everybody to preset `cub` (managed.toml:1)"
    );
}

#[test]
fn the_operators_key_is_the_machines_then_the_users() {
    let line = |digit: &str| format!("operator_key_sha256 = \"{}\"", digit.repeat(64));
    let layers = |files: &[(Source, String)]| {
        Layers::found(
            files
                .iter()
                .map(|(source, text)| file(*source, text).unwrap())
                .collect(),
        )
    };
    let user = layers(&[(Source::User, line("A"))]);
    assert_eq!(user.operator_key_sha256(), Some("a".repeat(64).as_str()));
    let both = layers(&[(Source::Managed, line("b")), (Source::User, line("a"))]);
    assert_eq!(both.operator_key_sha256(), Some("b".repeat(64).as_str()));
    assert_eq!(layers(&[]).operator_key_sha256(), None);
}

#[test]
fn all_of_run_is_configured() {
    let text = "[run]\ntimeout = \"5m\"\nidle_timeout = \"1m\"\nmax_iterations = 7\n\
                [stagnation]\naction = \"abort\"";
    let in_force = resolve(Preset::Native, &[(Source::Project, text)]).unwrap();
    assert_eq!(in_force.timeout().as_secs(), 300);
    assert_eq!(in_force.policy.iteration_limit_ms, 300_000);
    assert_eq!(in_force.idle_timeout().as_secs(), 60);
    assert_eq!(in_force.max_iterations(), Some(7));
    assert_eq!(in_force.on_stagnation, OnStagnation::Abort);
}

#[test]
fn the_default_file_is_the_native_preset_and_names_every_key() {
    let text = default_file(Preset::Native);
    let layer = file(Source::User, &text).unwrap_or_else(|failure| panic!("{}", told(&failure)));
    let in_force = Layers::found(vec![layer]).resolve(None).unwrap();
    assert_eq!(in_force.policy, Policy::native());
    assert_eq!(in_force.warnings, Vec::<String>::new());
    // With the examples turned on it is still a file that can be read, and then
    // nothing is missing from it.
    let example = |line: &str| {
        let line = line.strip_prefix("# ")?;
        let (name, _) = line.split_once(" = ").unwrap_or((line, ""));
        let is_key = name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        (line != name && is_key || line.starts_with("[signals.") && line.ends_with(']'))
            .then(|| line.replace('…', &"0".repeat(64)))
    };
    let lines = text
        .lines()
        .map(|line| example(line).unwrap_or_else(|| line.into()));
    let full = lines.collect::<Vec<String>>().join("\n");
    let layer = file(Source::User, &full).unwrap_or_else(|failure| panic!("{}", told(&failure)));
    for key in Key::all() {
        assert!(layer.get(key).is_some(), "{} is not documented", key.path());
    }
}

/// It is the file to begin with: whoever keeps it as it was printed has changed nothing.
#[test]
fn the_default_file_of_every_preset_holds_there_whoever_has_it() {
    for preset in Preset::ALL {
        let text = default_file(preset);
        for source in [Source::User, Source::Project] {
            let in_force = resolve(preset, &[(source, &text)])
                .unwrap_or_else(|failure| panic!("{preset}, {source}: {}", told(&failure)));
            assert_eq!(in_force.policy, Policy::of(preset), "{source}");
            assert_eq!(
                in_force.warnings,
                Vec::<String>::new(),
                "{preset}, {source}"
            );
        }
        let written = text
            .lines()
            .filter(|line| line.contains(" = ") && !line.starts_with('#'));
        assert!(written.count() > 20, "{preset}: {text}");
    }
}

#[test]
fn the_schema_knows_every_key_and_no_others() {
    let schema = schema();
    for key in Key::all() {
        let property = key.path().replace('.', "/properties/");
        let found = schema.pointer(&format!("/properties/{property}"));
        assert!(
            found.is_some_and(|found| found["description"].is_string()),
            "{property}"
        );
    }
    let threshold = schema
        .pointer("/properties/stagnation/properties/threshold")
        .unwrap();
    assert_eq!(
        (&threshold["minimum"], &threshold["maximum"]),
        (&1.into(), &99.into())
    );
    for table in [
        "",
        "/properties/limits",
        "/properties/limits/properties/calls",
    ] {
        let closed = schema.pointer(&format!("{table}/additionalProperties"));
        assert_eq!(closed, Some(&false.into()), "{table}");
    }
}

#[test]
fn a_signal_that_is_named_wins_over_the_threshold_for_all_wherever_it_stands() {
    for text in [
        "signals.no_progress.trip = 6\nstagnation.threshold = 4",
        "stagnation.threshold = 4\nsignals.no_progress.trip = 6",
    ] {
        let in_force = resolve(Preset::Cub, &[(Source::User, text)]).unwrap();
        let trip = |path| amount(&in_force, path).0;
        assert_eq!(trip("signals.no_progress.trip"), Some(6));
        assert_eq!(trip("signals.repeated_error.trip"), Some(4));
    }
}
