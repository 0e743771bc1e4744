//! Who may tighten, who may relax, and that nobody may switch off.

use fusebox_core::Preset;
use fusebox_core::policy::{Policy, WindowLimit};
use fusebox_core::signals::Signal;

use super::{amount, file, resolve, told, variables};
use crate::config::Layers;
use crate::config::layer::Source;

const ALL_FILES: [Source; 3] = [Source::Managed, Source::User, Source::Project];

/// Each key with a stricter and a looser value than the native one.
const BOTH_WAYS: [(&str, &str, &str); 19] = [
    ("stagnation.threshold", "2", "4"),
    ("stagnation.action", "\"abort\"", ""),
    ("stagnation.escalation", "false", ""),
    ("signals.no_progress.trip", "2", "4"),
    ("signals.tests_only.warn", "20", "40"),
    ("limits.calls.limit", "99", "101"),
    ("limits.calls.window", "\"2h\"", "\"30m\""),
    ("limits.calls.warn_percent", "70", "90"),
    ("limits.tokens.limit", "1000", ""),
    ("limits.tokens.window", "\"2d\"", "\"12h\""),
    ("limits.tokens.warn_percent", "70", "90"),
    ("limits.money.limit_usd", "2.50", ""),
    ("limits.money.window", "\"2d\"", "\"12h\""),
    ("retention.age", "\"91d\"", "\"30d\""),
    ("retention.bytes", "\"1GB\"", "\"64MB\""),
    ("recovery.cooldown", "\"31m\"", "\"29m\""),
    ("recovery.longest", "\"2d\"", "\"23h\""),
    ("recovery.probes", "2", "4"),
    ("run.idle_timeout", "\"9m\"", "\"11m\""),
];

/// A shorter window makes a limit looser, but not one that is not there.
#[test]
fn a_project_names_the_window_of_its_own_limit_and_of_no_other() {
    let own = "limits.tokens.window = \"1h\"\nlimits.tokens.limit = 400";
    let tokens = |layers: &[(Source, &str)]| {
        let rule = resolve(Preset::Native, layers).unwrap().policy.tokens;
        rule.map(|rule| (rule.limit, rule.window_ms / 3_600_000))
    };
    assert_eq!(tokens(&[(Source::Project, own)]), Some((400, 1)));
    let limit = "limits.tokens.limit = 9000";
    assert_eq!(
        tokens(&[(Source::User, limit), (Source::Project, own)]),
        Some((400, 24))
    );
    assert_eq!(
        tokens(&[(Source::Project, own), (Source::Flag, limit)]),
        Some((9000, 24))
    );
    let window = "limits.tokens.window = \"2d\"";
    assert_eq!(
        tokens(&[(Source::User, window), (Source::Project, own)]),
        Some((400, 48))
    );
}

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
        let start = format!("project.toml:2: `{key} = {looser}` would loosen it and is ignored; ");
        assert!(warning.starts_with(&start), "{warning}");
        let user = resolve(Preset::Native, &[(Source::User, &text)]).unwrap();
        assert_ne!(user.cells, native.cells, "a user may: {text}");
    }
    let text = "stagnation.threshold = 5";
    let held = resolve(Preset::Native, &[(Source::Project, text)]).unwrap();
    assert_eq!(
        held.warnings,
        [
            "project.toml:1: `stagnation.threshold = 5` would loosen it and is ignored; 3 (preset) stays in effect"
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
            "user.toml:1: `signals.no_progress.trip = 9` would loosen it and is ignored; 4 (managed, managed.toml:1) stays in effect"
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
fn req_004_097_and_004_126_a_rigid_preset_is_tightened_by_anyone_and_relaxed_by_nobody() {
    for (key, stricter, looser) in BOTH_WAYS {
        let looser = match key {
            // There is no such bound in this preset, and any would relax it.
            "recovery.longest" => "\"30d\"",
            // Nor this one, so that any tightens.
            "recovery.probes" | "stagnation.action" | "stagnation.escalation" => continue,
            // And these are nothing that a preset has a say in.
            key if key.starts_with("retention.")
                || key.starts_with("limits.tokens.")
                || key.starts_with("limits.money.") =>
            {
                continue;
            }
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
    let refused = Layers::found(layers)
        .resolve(Some(Preset::Superkit))
        .unwrap_err();
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
fn a_budget_is_what_all_layers_allow_and_a_tenth_of_it_is_put_aside() {
    let files = [
        (Source::Managed, "limits.money.limit_usd = 10"),
        (
            Source::User,
            "limits.money.limit_usd = 20\nlimits.tokens.limit = 5000",
        ),
        (
            Source::Project,
            "[limits.tokens]\nlimit = 4000\nwindow = \"2d\"\nwarn_percent = 50",
        ),
    ];
    let policy = resolve(Preset::Native, &files).unwrap().policy;
    let tokens = WindowLimit {
        limit: 4_000,
        window_ms: 2 * 86_400_000,
        reserve: 400,
        warn_percent: 50,
    };
    let money = WindowLimit {
        limit: 10_000_000,
        window_ms: 86_400_000,
        reserve: 1_000_000,
        warn_percent: 80,
    };
    assert_eq!(
        (policy.tokens, policy.micro_usd),
        (Some(tokens), Some(money))
    );
    let set = [("FUSEBOX_MAX_USD", "0.5"), ("FUSEBOX_MAX_TOKENS", "7")];
    let layers = Layers::found(variables(&set).unwrap().into_iter().collect());
    let policy = layers.resolve(None).unwrap().policy;
    assert_eq!(policy.tokens.map(|rule| rule.limit), Some(7));
    assert_eq!(policy.micro_usd.map(|rule| rule.limit), Some(500_000));
}

#[test]
fn budgets_and_the_past_are_the_users_choice_in_every_way_of_working() {
    let text = "retention.age = \"30d\"\nretention.bytes = \"64MB\"\n\
                limits.tokens.limit = 9\nlimits.tokens.window = \"1h\"";
    for preset in Preset::ALL {
        let in_force = resolve(preset, &[(Source::User, text)]).unwrap();
        let kept = in_force.retention();
        assert_eq!((kept.age.as_secs(), kept.bytes), (30 * 86_400, 64 << 20));
        let window = in_force.policy.tokens.map(|rule| rule.window_ms);
        assert_eq!(window, Some(3_600_000));
        let usual = resolve(preset, &[]).unwrap().retention();
        assert_eq!((usual.age.as_secs(), usual.bytes), (90 * 86_400, 256 << 20));
    }
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
