//! A configuration that changes while a run is under way.

use std::fs;

use crate::context::TestContext;

/// A run whose iterations edit the configuration and gain nothing else.
fn iterations(context: &TestContext, options: &[&str], script: &str, code: i32) -> (u64, String) {
    let count = context.path("count");
    let script = format!("echo x >> {}; {script}", count.display());
    let run = context.supervise(options, &script).run().expect(code);
    let lines = fs::read_to_string(&count).unwrap().lines().count();
    (lines as u64, run.err())
}

/// Prepares the configuration that a run begins with: the user's threshold, and
/// what the repository's file says.
fn begun_with(threshold: u32, project: &str) -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    let dir = context.path("config/fusebox");
    fs::create_dir_all(&dir).unwrap();
    let text = format!("stagnation.threshold = {threshold}\n");
    fs::write(dir.join("config.toml"), text).unwrap();
    fs::write(context.work().join(".gitignore"), "fusebox.toml\n").unwrap();
    if !project.is_empty() {
        fs::write(context.work().join("fusebox.toml"), project).unwrap();
    }
    Some(context)
}

#[test]
fn a_threshold_that_changes_in_mid_run_holds_from_the_next_iteration() {
    let user = "$XDG_CONFIG_HOME/fusebox/config.toml";
    let says = "the configuration was changed";
    let table = [
        // the user's threshold, the project's file, the edit, trips after, says
        (
            8,
            "",
            format!("echo stagnation.threshold=4 > {user}"),
            4,
            says,
        ),
        (
            3,
            "",
            format!("echo stagnation.threshold=6 > {user}"),
            6,
            says,
        ),
        (
            8,
            "",
            "echo stagnation.threshold=5 > fusebox.toml".into(),
            5,
            says,
        ),
        (
            4,
            "",
            "echo stagnation.threshold=9 > fusebox.toml".into(),
            4,
            "would loosen it and is ignored",
        ),
        // What the repository's file said when the run began stays, also where a file that
        // the agent takes away is not put back.
        (
            8,
            "stagnation.threshold = 4",
            "rm -f fusebox.toml".into(),
            4,
            "42",
        ),
        (
            8,
            "stagnation.threshold = 4",
            "echo stagnation.threshold=7 > fusebox.toml".into(),
            4,
            "is ignored",
        ),
        // What becomes wrong changes nothing, and is said once.
        (
            5,
            "",
            format!("echo nonsense > {user}"),
            5,
            "has become wrong",
        ),
        (
            5,
            "",
            "echo stagnation.threshold=500 > fusebox.toml".into(),
            5,
            "has become wrong",
        ),
    ];
    for (threshold, project, script, expected, says) in table {
        let Some(context) = begun_with(threshold, project) else {
            return;
        };
        let preset = if project.is_empty() { "native" } else { "cub" };
        let options = [
            "--on-stagnation=abort",
            "--max-iterations=12",
            "--preset",
            preset,
        ];
        let (count, said) = iterations(&context, &options, &script, 42);
        assert_eq!(count, expected, "{script}: {said}");
        if says != "42" {
            assert_eq!(said.matches(says).count(), 1, "{script}: {said}");
        }
    }
}

#[test]
fn a_flag_wins_over_a_file_that_changes_in_mid_run() {
    let Some(context) = begun_with(3, "") else {
        return;
    };
    let options = ["--on-stagnation=abort", "--stagnation-threshold=5"];
    let script = "echo stagnation.threshold=9 > $XDG_CONFIG_HOME/fusebox/config.toml";
    let (count, said) = iterations(&context, &options, script, 42);
    assert_eq!(count, 5, "{said}");
}
