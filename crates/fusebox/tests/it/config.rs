//! Files, variables and flags, through the commands that obey them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use crate::call::Finished;
use crate::context::TestContext;

impl TestContext {
    pub(crate) fn user_config(&self, text: &str) -> PathBuf {
        let directory = self.path("config/fusebox");
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("config.toml");
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn project_config(&self, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join("fusebox.toml");
        fs::write(&path, text).unwrap();
        path
    }

    /// The row of `config show --json` about `key`.
    #[track_caller]
    pub(crate) fn shown(&self, key: &str) -> Value {
        let rows = self.fusebox(&["config", "show", "--json"]).run().expect(0);
        let mut rows = rows.json_lines().into_iter();
        rows.find(|row| row["key"] == key).unwrap()
    }

    fn idle(&self) -> Finished {
        self.fusebox(&["record", "--files-changed", "0"]).run()
    }
}

#[test]
fn req_000_081_record_trips_where_file_variable_and_flag_say() {
    let context = TestContext::new();
    let path = context.user_config("[stagnation]\nthreshold = 4\n");
    for code in [0, 0, 0, 42] {
        context.idle().expect(code);
    }
    let row = context.shown("stagnation.threshold");
    assert_eq!((&row["value"], &row["source"]), (&4.into(), &"user".into()));
    assert_eq!(
        row["place"],
        context.shown("signals.no_progress.trip")["place"]
    );
    assert_eq!(row["place"], format!("{}:2", path.display()));

    let report = ["--circuit", "b", "record", "--files-changed", "0"];
    for code in [0, 42] {
        context
            .fusebox(&report)
            .env("FUSEBOX_STAGNATION_THRESHOLD", "2")
            .run()
            .expect(code);
    }
    let options = ["--circuit", "c", "run", "--stagnation-threshold", "1"];
    let command = ["--on-stagnation", "abort", "--", "true"];
    let args = [&options[..], &command[..]].concat();
    let run = context
        .fusebox(&args)
        .env("FUSEBOX_STAGNATION_THRESHOLD", "2");
    run.run()
        .expect(42)
        .says("--stagnation-threshold: stagnation.threshold is 1");
}

#[test]
fn every_command_obeys_the_repositorys_stricter_values() {
    let context = TestContext::new();
    context.project_config("limits.calls.limit = 1");
    context.fusebox(&["check"]).run().expect(0);
    context.fusebox(&["check"]).run().expect(44);
    context.fusebox(&["limit", "take"]).run().expect(44);
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["limits"]["calls"]["limit"], 1, "{status}");
    context.project_config("run.max_iterations = 1");
    let run = ["--circuit", "b", "run", "--", "sh", "-c", "echo x >> a"];
    context.fusebox(&run).run().expect(45);
}

#[test]
fn a_repository_that_would_relax_is_told_so_in_one_line() {
    let context = TestContext::new();
    let path = context.project_config("# more patience, please\nstagnation.threshold = 50\n");
    let said = format!(
        "fusebox: {}:2: `stagnation.threshold = 50` would loosen it and is ignored; 3 (preset) stays in effect\n",
        path.display()
    );
    let check = context.fusebox(&["check"]).run().expect(0).says(&said);
    assert_eq!(check.err().matches("fusebox.toml").count(), 1);
    context.open_breaker();
    let row = context.shown("signals.no_progress.trip");
    assert_eq!(
        (&row["value"], &row["source"]),
        (&3.into(), &"preset".into())
    );
}

#[test]
fn req_004_097_a_shorter_cooldown_than_thirty_minutes_is_refused() {
    let context = TestContext::new();
    let path = context.user_config("[recovery]\ncooldown = \"29m\"\n");
    let check = ["--preset", "superkit", "check"];
    let said = context.fusebox(&check).run().expect(3).complains_once();
    assert_eq!(
        said.err(),
        format!(
            "error: `recovery.cooldown = \"29m\"` is refused: preset `superkit` can only be tightened\n \
             --> {}:2:12\n  |\n2 | cooldown = \"29m\"\n  |            ^^^^^\n\
             hint: its own value is \"30m\"; leave the key out to keep it\n",
            path.display()
        )
    );
    context.user_config("[recovery]\ncooldown = \"31m\"\n");
    context.fusebox(&check).run().expect(0);
    let flag = ["run", "--stagnation-threshold", "4", "--", "true"];
    context
        .fusebox(&flag)
        .run()
        .expect(3)
        .says("can only be tightened");
}

/// What a repository may hold where its configuration is expected.
enum Trap {
    Link(&'static str),
    Pipe,
    Folder,
    Large(u64),
    Text(Vec<u8>),
}

impl Trap {
    fn set(&self, path: &Path) {
        match self {
            Self::Link(target) => std::os::unix::fs::symlink(target, path).unwrap(),
            Self::Pipe => {
                let made = std::process::Command::new("mkfifo").arg(path).status();
                assert!(made.unwrap().success());
            }
            Self::Folder => fs::create_dir(path).unwrap(),
            Self::Large(bytes) => fs::File::create(path).unwrap().set_len(*bytes).unwrap(),
            Self::Text(text) => fs::write(path, text).unwrap(),
        }
    }
}

#[test]
fn a_hostile_file_in_the_repository_is_one_clear_line_and_nothing_else() {
    let context = TestContext::new();
    let path = context.work().join("fusebox.toml");
    let cases = [
        (Trap::Link("/etc/passwd"), "it is a symbolic link"),
        (Trap::Link("/dev/zero"), "it is a symbolic link"),
        (Trap::Pipe, "it is not a regular file"),
        (Trap::Folder, "it is not a regular file"),
        (Trap::Large(100 << 20), "it is larger than 64 KB"),
        (
            Trap::Text(b"a = 1\n\xff\xfe".to_vec()),
            "line 2 is not UTF-8",
        ),
        (
            Trap::Text(format!("x = {}", "[".repeat(60_000)).into()),
            "error: ",
        ),
        (
            Trap::Text(format!("x = {}", "{a=".repeat(20_000)).into()),
            "error: ",
        ),
        (
            Trap::Text(format!("{}x = 1", "a.".repeat(30_000)).into()),
            "error: ",
        ),
        (
            Trap::Text(b"\"\\u001b[2J\xe2\x80\xae\" = 1".to_vec()),
            "error: `\\x1b[2J\\u{202e}` is not a key of this file\n",
        ),
    ];
    for (trap, words) in cases {
        trap.set(&path);
        let start = Instant::now();
        let said = context.fusebox(&["check"]).run().expect(3).says(words);
        assert!(start.elapsed().as_secs() < 5, "{words}");
        assert!(!said.err().contains('\u{1b}'), "{words}");
        assert!(!said.err().contains("root:"), "{words}");
        assert!(said.err().len() < 16 * 1024, "{words}");
        // What somebody wrote there cannot keep anybody from stopping the loop.
        let trip = ["trip", "--reason", "now"];
        context.fusebox(&trip).run().expect(0);
        context.fusebox(&["doctor"]).run().expect(3);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
    }
    context.fusebox(&["check"]).run().expect(42);
}

#[test]
fn a_named_file_must_exist_and_replaces_the_users() {
    let context = TestContext::new();
    context.user_config("stagnation.threshold = 7\n");
    let other = context.path("other.toml");
    fs::write(&other, "stagnation.threshold = 6\n").unwrap();
    let name = other.to_str().unwrap();
    let show = ["--config", name, "config", "show"];
    let shown = context.fusebox(&show).run().expect(0);
    let line = shown.out();
    let line = line
        .lines()
        .find(|line| line.starts_with("signals.no_progress.trip"));
    let words: Vec<_> = line.unwrap().split_whitespace().collect();
    assert_eq!(
        words,
        [
            "signals.no_progress.trip",
            "6",
            "user",
            &format!("{name}:1")
        ]
    );
    fs::remove_file(&other).unwrap();
    context
        .fusebox(&show)
        .run()
        .expect(3)
        .complains_once()
        .says("does not exist");
}

#[test]
fn the_preset_of_a_file_is_for_new_circuits() {
    let context = TestContext::new();
    context.fusebox(&["check"]).run().expect(0);
    context.user_config(&format!(
        "preset = \"bmad\"\noperator_key_sha256 = \"{}\"\n",
        "a".repeat(64)
    ));
    let row = context.shown("operator_key_sha256");
    assert_eq!(
        (&row["value"], &row["source"]),
        (&"…".into(), &"user".into())
    );
    let row = context.shown("preset");
    assert_eq!(
        (&row["value"], &row["source"]),
        (&"native".into(), &"circuit".into())
    );
    let status = ["--circuit", "b", "status", "--json"];
    let status = context.fusebox(&status).run().expect(0).json();
    assert_eq!(status["preset"], "bmad");
    context
        .fusebox(&["--preset", "cub", "--circuit", "c", "check"])
        .run()
        .expect(0);
}

#[test]
fn what_config_default_prints_is_a_file_that_changes_nothing() {
    let context = TestContext::new();
    let text = context
        .fusebox(&["config", "default"])
        .run()
        .expect(0)
        .out();
    let before = context.fusebox(&["config", "show"]).run().expect(0).out();
    context.user_config(&text);
    let shown = context.fusebox(&["config", "show"]).run().expect(0);
    assert_eq!(shown.err(), "");
    let values = |text: &str| -> Vec<String> {
        let pair = |line: &str| {
            line.split_whitespace()
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        };
        text.lines().map(pair).collect()
    };
    assert_eq!(values(&shown.out()), values(&before));
    let schema = context.fusebox(&["config", "schema"]).run().expect(0).out();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["preset"]["enum"][0], "native");
}

#[test]
fn a_wrong_variable_is_a_configuration_error_for_every_command() {
    let context = TestContext::new();
    for name in ["FUSEBOX_STAGNATION_THRESHOLD", "FUSEBOX_TIMEOUT"] {
        let check = context.fusebox(&["check"]).env(name, "0").run();
        check.expect(3).complains_once().says(name);
    }
}

#[test]
fn thresholds_of_loops_inside_a_session_may_only_be_tightened_by_a_repository() {
    let context = TestContext::new();
    context.user_config("[loops.repeat]\ntrip = 6\n[loops.paging]\ntrip = 40\n");
    for (project, key, value, source) in [
        ("", "loops.repeat.trip", 6, "user"),
        ("", "loops.paging.trip", 40, "user"),
        ("", "loops.nothing_new.steer", 11, "preset"),
        (
            "[loops.repeat]\ntrip = 3",
            "loops.repeat.trip",
            3,
            "project",
        ),
        ("[loops.repeat]\ntrip = 9", "loops.repeat.trip", 6, "user"),
        (
            "[loops.claims]\ntrip = 9",
            "loops.claims.trip",
            9,
            "project",
        ),
    ] {
        context.project_config(project);
        let row = context.shown(key);
        assert_eq!(
            (&row["value"], &row["source"]),
            (&value.into(), &source.into()),
            "{project}"
        );
    }
    context.project_config("[loops.repeat]\ntrip = 1");
    context
        .fusebox(&["check"])
        .run()
        .expect(3)
        .says("a whole number from 2 to 1000000");
    context.project_config("[loops.repeat]\ntrip = 3");
    context
        .fusebox(&["--preset", "prp", "config", "show"])
        .run()
        .expect(0)
        .says("preset `prp` does not read loops");
}
