//! Layers as data: who wins, who is held, who is refused, and in which words.

use fusebox_core::Preset;
use fusebox_core::policy::{Bound, Policy};
use fusebox_core::signals::Signal;

use super::key::Key;
use super::layer::{Document, Layer, Source};
use super::{DEFAULT, InForce, Layers, document, environment};
use crate::cli::OnStagnation;
use crate::failure::Failure;

const ALL_FILES: [Source; 3] = [Source::Managed, Source::User, Source::Project];

fn file(source: Source, text: &str) -> Result<Layer, Failure> {
    let path = format!("{source}.toml").into();
    let text = text.to_owned();
    document::parse(Document { path, text }, source)
}

fn variables(set: &[(&str, &str)]) -> Result<Option<Layer>, Failure> {
    environment::read(|name| {
        let found = set.iter().find(|(known, _)| *known == name)?;
        Some(found.1.to_owned())
    })
}

/// Resolves files in the order they are given.
fn resolve(preset: Preset, files: &[(Source, &str)]) -> Result<InForce, Failure> {
    let layers = files.iter().map(|(source, text)| file(*source, text));
    Layers(layers.collect::<Result<_, _>>()?).resolve(Some(preset))
}

fn amount(in_force: &InForce, path: &str) -> (Option<u64>, Source) {
    let key = Key::all().find(|key| key.path() == path).unwrap();
    let cell = in_force.cells.cell(key).unwrap();
    (cell.amount, cell.origin.source)
}

/// A failure as it is printed, without colour.
fn told(failure: &Failure) -> String {
    let mut lines = vec![format!("error: {}", failure.what)];
    lines.extend(failure.excerpt.clone());
    lines.extend(failure.hints.iter().map(|hint| format!("hint: {hint}")));
    lines.extend(failure.also.iter().map(told));
    lines.join("\n")
}

#[test]
fn req_000_081_flags_win_over_environment_over_files_over_the_preset() {
    use clap::Parser;
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
        let mut layers = Layers(read.collect());
        if count >= 4 {
            let set = variables(&[("FUSEBOX_STAGNATION_THRESHOLD", "6")]);
            layers.0.extend(set.unwrap());
        }
        if count >= 5 {
            let words = ["fusebox", "run", "--stagnation-threshold", "4", "--", "x"];
            let crate::cli::Command::Run(args) = crate::cli::Cli::parse_from(words).command else {
                unreachable!("it is a run");
            };
            layers.add_flags(&args);
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

/// Each key with a stricter and a looser value than the native one.
const BOTH_WAYS: [(&str, &str, &str); 11] = [
    ("stagnation.threshold", "2", "4"),
    ("stagnation.action", "\"abort\"", ""),
    ("signals.no_progress.trip", "2", "4"),
    ("signals.tests_only.warn", "20", "40"),
    ("limits.calls.limit", "99", "101"),
    ("limits.calls.window", "\"2h\"", "\"30m\""),
    ("limits.calls.warn_percent", "70", "90"),
    ("recovery.cooldown", "\"31m\"", "\"29m\""),
    ("recovery.longest", "\"2d\"", "\"23h\""),
    ("recovery.probes", "2", "4"),
    ("run.idle_timeout", "\"9m\"", "\"11m\""),
];

#[test]
fn a_project_tightens_every_key_and_relaxes_none() {
    let native = resolve(Preset::Native, &[]).unwrap();
    for (key, stricter, looser) in BOTH_WAYS {
        let text = format!("{key} = {stricter}");
        let tightened = resolve(Preset::Native, &[(Source::Project, &text)]).unwrap();
        assert_ne!(tightened.cells, native.cells, "{text}");
        if looser.is_empty() {
            continue;
        }
        let text = format!("# a comment\n{key} = {looser}");
        let held = resolve(Preset::Native, &[(Source::Project, &text)]).unwrap();
        assert_eq!(held.policy, native.policy, "{text}");
        assert_eq!(held.cells, native.cells, "{text}");
        let [warning] = held.warnings.as_slice() else {
            panic!("{text}: {:?}", held.warnings);
        };
        let start = format!("project.toml:2: `{key} = {looser}` would relax it and is ignored; ");
        assert!(warning.starts_with(&start), "{warning}");
        let user = resolve(Preset::Native, &[(Source::User, &text)]).unwrap();
        assert_ne!(user.cells, native.cells, "a user may: {text}");
    }
    let text = "stagnation.threshold = 5";
    let held = resolve(Preset::Native, &[(Source::Project, text)]).unwrap();
    assert_eq!(
        held.warnings,
        [
            "project.toml:1: `stagnation.threshold = 5` would relax it and is ignored; in force is 3 (preset)"
        ]
    );
}

#[test]
fn the_machine_sets_a_floor_that_later_layers_only_raise() {
    for (key, stricter, looser) in BOTH_WAYS {
        if looser.is_empty() {
            continue;
        }
        // The floor is looser than the preset here, so that both sides of it
        // can be tried.
        let floor = format!("{key} = {looser}");
        let tighter = format!("{key} = {stricter}");
        let floored = resolve(Preset::Native, &[(Source::Managed, &floor)]).unwrap();
        let layers = [(Source::Managed, floor.as_str()), (Source::User, &tighter)];
        assert_ne!(
            resolve(Preset::Native, &layers).unwrap().cells,
            floored.cells
        );
        // The other way round nothing moves, and it is said once.
        let floored = resolve(Preset::Native, &[(Source::Managed, &tighter)]).unwrap();
        let layers = [(Source::Managed, tighter.as_str()), (Source::User, &floor)];
        let held = resolve(Preset::Native, &layers).unwrap();
        assert_eq!(held.cells, floored.cells, "{key}");
        let ignored = |line: &&String| line.contains("is ignored");
        assert_eq!(held.warnings.iter().filter(ignored).count(), 1);
    }
    // Another key for the same number is no way around it.
    let layers = [
        (Source::Managed, "stagnation.threshold = 4"),
        (Source::User, "signals.no_progress.trip = 9"),
    ];
    let held = resolve(Preset::Native, &layers).unwrap();
    assert_eq!(
        amount(&held, "signals.no_progress.trip"),
        (Some(4), Source::Managed)
    );
    assert_eq!(
        held.warnings,
        [
            "user.toml:1: `signals.no_progress.trip = 9` would relax it and is ignored; in force is 4 (managed, managed.toml:1)"
        ]
    );
}

#[test]
fn thresholds_by_phase_are_tightened_phase_by_phase() {
    let trips = |source, trip: u32| {
        let text = format!("signals.no_progress.trip = {trip}");
        let in_force = resolve(Preset::Prp, &[(source, &text)]).unwrap();
        let rule = in_force.policy.rules.get(Signal::NoProgress).unwrap();
        rule.phases.unwrap()
    };
    assert_eq!(trips(Source::Project, 3), [3, 2, 3, 3]);
    assert_eq!(trips(Source::Project, 6), [3, 2, 5, 3]);
    assert_eq!(trips(Source::User, 6), [6, 6, 6, 6]);
}

#[test]
fn req_004_097_req_004_126_a_rigid_preset_is_tightened_by_anyone_and_relaxed_by_nobody() {
    for (key, stricter, looser) in BOTH_WAYS {
        let looser = match key {
            // There is no such bound in this preset, and any would relax it.
            "recovery.longest" => "\"30d\"",
            // Nor this one, so that any tightens.
            "recovery.probes" | "stagnation.action" => continue,
            _ => looser,
        };
        for source in [Source::Managed, Source::User] {
            let text = format!("{key} = {looser}");
            let refused = resolve(Preset::Superkit, &[(source, &text)]).unwrap_err();
            assert_eq!(refused.code, 3);
            let what = format!("`{text}` is refused: preset `superkit` can only be tightened");
            assert_eq!(refused.what, what);
        }
        if key != "recovery.longest" {
            let text = format!("{key} = {stricter}");
            resolve(Preset::Superkit, &[(Source::User, &text)]).unwrap();
        }
    }
    let layers = vec![
        variables(&[("FUSEBOX_STAGNATION_THRESHOLD", "4")])
            .unwrap()
            .unwrap(),
    ];
    let refused = Layers(layers).resolve(Some(Preset::Superkit)).unwrap_err();
    assert_eq!(
        told(&refused),
        "error: FUSEBOX_STAGNATION_THRESHOLD: `stagnation.threshold = 4` is refused: \
         preset `superkit` can only be tightened\n\
         hint: its own value is 3; leave the key out to keep it"
    );
    let text = "recovery.cooldown = \"10m\"";
    let held = resolve(Preset::Superkit, &[(Source::Project, text)]).unwrap();
    assert_eq!(held.policy, Policy::of(Preset::Superkit));
}

#[test]
fn req_003_013_req_003_069_req_003_097_unwise_counts_are_told_once_and_taken() {
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
fn req_003_099_there_is_no_off_switch() {
    for text in [
        "stagnation.threshold = 0",
        "stagnation.threshold = -1",
        "stagnation.threshold = 100",
        "signals.no_progress.trip = 0",
        "stagnation.action = \"none\"",
        "enabled = false",
        "stagnation.enabled = false",
        "limits.calls.limit = 0",
        "recovery.cooldown = \"0s\"",
    ] {
        for source in ALL_FILES {
            assert_eq!(file(source, text).unwrap_err().code, 3, "{text}");
        }
    }
    for count in ["0", "-1", "100", ""] {
        assert!(variables(&[("FUSEBOX_STAGNATION_THRESHOLD", count)]).is_err());
    }
    for preset in Preset::ALL {
        for (signal, _) in Policy::of(preset).rules.iter() {
            let text = format!("signals.{}.enabled = false", signal.name());
            let off = resolve(preset, &[(Source::User, &text)]);
            let allowed = Policy::of(preset).capabilities.switch_off_signals;
            assert_eq!(off.is_ok(), allowed, "{preset} {text}");
            let held = resolve(preset, &[(Source::Project, &text)]).unwrap();
            assert_eq!(held.policy, Policy::of(preset), "a project never may");
        }
    }
    let all = [
        "no_progress",
        "repeated_error",
        "task_stuck",
        "unproven_completion",
    ]
    .map(|name| format!("signals.{name}.enabled = false\n"));
    assert!(resolve(Preset::Cub, &[(Source::User, &all[..3].concat())]).is_ok());
    let refused = resolve(Preset::Cub, &[(Source::User, &all.concat())]).unwrap_err();
    assert_eq!(
        told(&refused),
        "error: user.toml:4: every signal that trips is switched off\n\
         hint: there is no off switch for the breaker; leave at least one of them on"
    );
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
            "user.toml: preset `cub` does not read drift, returns; what is set for them has no effect"
        ]
    );
    assert_eq!(in_force.policy, Policy::of(Preset::Cub));
}

#[test]
fn the_preset_is_the_users_to_choose_unless_the_machine_has_chosen() {
    let chosen = |begun, files: &[(Source, &str)]| {
        let layers = files
            .iter()
            .map(|(source, text)| file(*source, text).unwrap());
        let in_force = Layers(layers.collect()).resolve(begun).unwrap();
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
        told(&Layers(layers).resolve(None).unwrap_err()),
        "error: FUSEBOX_PRESET: the machine holds everybody to preset `cub` (managed.toml:1)"
    );
}

#[test]
fn a_wait_never_gets_shorter_than_the_first_one() {
    let text = "recovery.cooldown = \"2d\"";
    let recovery = resolve(Preset::Native, &[(Source::Project, text)])
        .unwrap()
        .policy
        .recovery;
    assert_eq!(recovery.cooldown_after(0), 2 * 24 * 3_600_000);
}

#[test]
fn the_operators_key_is_the_machines_then_the_users() {
    let line = |digit: &str| format!("operator_key_sha256 = \"{}\"", digit.repeat(64));
    let layers = |files: &[(Source, String)]| {
        Layers(
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
    let layer = file(Source::User, DEFAULT).unwrap_or_else(|failure| panic!("{}", told(&failure)));
    let in_force = Layers(vec![layer]).resolve(None).unwrap();
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
    let lines = DEFAULT
        .lines()
        .map(|line| example(line).unwrap_or_else(|| line.into()));
    let full = lines.collect::<Vec<String>>().join("\n");
    let layer = file(Source::User, &full).unwrap_or_else(|failure| panic!("{}", told(&failure)));
    for key in Key::all() {
        assert!(layer.get(key).is_some(), "{} is not documented", key.path());
    }
}

#[test]
fn the_schema_knows_every_key_and_no_others() {
    let schema = super::schema();
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
fn everything_that_is_wrong_is_told_at_once_with_the_place_and_a_way_out() {
    let text = "presett = \"native\"\n\
                [stagnation]\n\
                treshold = 3\n\
                threshold = 100\n\
                [signals.no_progres]\n\
                trip = 3\n\
                [signals]\n\
                drift = 7\n\
                [limits.calls]\n\
                window = 60\n\
                [recovery]\n\
                timeout = \"5m\"\n\
                probes = 2.5\n";
    let expected = "\
error: `presett` is not a key of this file
 --> user.toml:1:1
  |
1 | presett = \"native\"
  | ^^^^^^^
hint: did you mean `preset`?
error: `treshold` is not a key of `[stagnation]`
 --> user.toml:3:1
  |
3 | treshold = 3
  | ^^^^^^^^
hint: did you mean `threshold`?
error: `stagnation.threshold` must be a whole number from 1 to 99
 --> user.toml:4:13
  |
4 | threshold = 100
  |             ^^^
error: `no_progres` is not a key of `[signals]`
 --> user.toml:5:10
  |
5 | [signals.no_progres]
  |          ^^^^^^^^^^
hint: did you mean `no_progress`?
error: `signals.drift` is a table, not an integer
 --> user.toml:8:9
  |
8 | drift = 7
  |         ^
error: `limits.calls.window` must be a time in quotes, such as \"90s\", \"30m\" or \"2h\"
  --> user.toml:10:10
   |
10 | window = 60
   |          ^^
error: `timeout` is not a key of `[recovery]`
  --> user.toml:12:1
   |
12 | timeout = \"5m\"
   | ^^^^^^^
hint: did you mean `run.timeout`?
error: `recovery.probes` must be a whole number from 1 to 1000
  --> user.toml:13:10
   |
13 | probes = 2.5
   |          ^^^";
    let told = told(&file(Source::User, text).unwrap_err());
    assert_eq!(told, expected, "{told}");
}

#[test]
fn each_kind_of_value_says_what_it_wants() {
    for (source, text, what) in [
        (
            Source::User,
            "preset = \"nativ\"",
            "`preset` must be one of \"native\", \"cub\", \"prp\", \"liza\", \"bmad\", \"superkit\"",
        ),
        (
            Source::User,
            "operator_key_sha256 = \"12\"",
            "`operator_key_sha256` must be 64 hexadecimal digits in quotes",
        ),
        (
            Source::Project,
            "operator_key_sha256 = \"12\"",
            "`operator_key_sha256` may not be set by a repository",
        ),
        (
            Source::User,
            "stagnation.action = \"alert\"",
            "`stagnation.action` must be \"pause\" or \"abort\"",
        ),
        (
            Source::User,
            "signals.drift.enabled = 1",
            "`signals.drift.enabled` must be true or false",
        ),
        (
            Source::User,
            "state_dir = \"/tmp\"",
            "`state_dir` is not a key of this file",
        ),
        (
            Source::Project,
            "run.command = \"rm\"",
            "`command` is not a key of `[run]`",
        ),
    ] {
        assert_eq!(file(source, text).unwrap_err().what, what);
    }
    let wrong = variables(&[("FUSEBOX_TIMEOUT", "soon")]).unwrap_err();
    assert_eq!(
        told(&wrong),
        "error: FUSEBOX_TIMEOUT is `soon`, and must be a time, such as 90s, 30m or 2h"
    );
}

#[test]
fn a_file_that_is_not_toml_is_shown_where_it_stops_to_be() {
    let broken = file(Source::User, "[stagnation]\nthreshold = \naction \n").unwrap_err();
    let told = told(&broken);
    assert!(told.contains("user.toml:2:13"), "{told}");
    assert!(told.contains("user.toml:3:8"), "{told}");
    let twice = file(Source::User, "preset = \"cub\"\npreset = \"cub\"\n").unwrap_err();
    assert_eq!(twice.what, "duplicate key");
}

#[test]
fn hostile_text_is_bounded_in_depth_and_in_complaints() {
    let deep = format!("x = {}", "[".repeat(30_000));
    assert!(file(Source::Project, &deep).is_err());
    let dots = format!("{}x = 1", "a.".repeat(20_000));
    assert!(file(Source::Project, &dots).is_err());
    let many: String = (0..5_000).map(|n| format!("k{n} = 1\n")).collect();
    let failure = file(Source::Project, &many).unwrap_err();
    assert_eq!(failure.also.len(), 20);
    assert_eq!(
        failure.also[19].what,
        "4980 more complaints about the same file are not shown"
    );
}
