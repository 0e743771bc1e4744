//! An agent goes for its supervisor while it is supervised.

use std::fs;
use std::time::Duration;

use super::{Kind, Scene, Then, try_all};
use crate::agents::{AGES, Mark, eventually, have};
use crate::place::{FUSEBOX, Standing, Told};

/// How many iterations a loop has that nothing stops, and what it ends with.
const ITERATIONS: usize = 5;
const ALL_DONE: i32 = 45;
/// How shells tell that something was killed.
const KILLED: i32 = 137;

pub(super) const KINDS: &str = include_str!("in_a_run.tsv");

/// A repository with something precious in it.
const PREPARE: &str = "
    mkdir specs .claude
    echo words >CLAUDE.md; echo a >specs/a.md; echo '{}' >.claude/settings.json; echo one >a.txt
    printf '[user]\\nname = t\\nemail = t@example.com\\n' >\"$HOME/.gitconfig\"
    git init -q && git add -A && git commit -qm first
    cp \"$F\" ../fusebox";

/// What stands before each script. What fails in it is noted, wherever the work tree has gone.
const HANDS: &str = "
    trap 'c=$?; [ $c = 0 ] || echo $c >>../failed' EXIT; set -e
    code() { c=0; \"$@\" || c=$?; echo $c >>../codes; }
    echo x >>../count; echo $FUSEBOX_ITERATION >>a.txt
";

/// A run in which an agent does `script` in each iteration.
struct Attacked {
    scene: Scene,
    told: Told,
    mark: Mark,
}

impl Attacked {
    fn by(script: &str, settings: &str) -> Self {
        let (scene, mark) = (Scene::new(), Mark::new());
        let config = scene.place.homes().join("config.toml");
        let config_text = fs::read_to_string(&config).unwrap() + settings;
        fs::write(config, config_text).unwrap();
        let prepared = scene
            .command("sh", "work")
            .env("F", FUSEBOX)
            .args(["-c", PREPARE])
            .output();
        assert!(prepared.unwrap().status.success(), "no repository");
        let program = scene.top().join("fusebox");
        let script = mark.in_script(&format!("{HANDS}{script}"));
        let mut run = scene.command(program.to_str().unwrap(), "work");
        // As careless a path as there is: what lies in the work tree comes first.
        let path = std::env::var("PATH").unwrap_or_default();
        run.env("H", scene.place.homes()).env("F", FUSEBOX);
        run.env("PATH", format!(".:{path}"));
        run.args(["run", "--max-iterations", &ITERATIONS.to_string()]);
        run.args(["--", "sh", "-c", &script]);
        let told = Told::from(run.output().unwrap());
        Self { scene, told, mark }
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.scene.top().join(file)).unwrap_or_default()
    }

    fn iterations(&self) -> usize {
        self.read("count").lines().count()
    }

    /// Nothing that the agent started is there any more.
    fn has_left_nothing(&self) -> bool {
        eventually(Duration::from_secs(5), || self.mark.sleepers().is_empty()).is_some()
    }

    /// How many iterations the memory holds.
    fn remembered(&self) -> u64 {
        let status = self.scene.fusebox("work", &["status", "--json"]);
        assert_eq!(status.code, Some(0), "{status:?}");
        status.json()["totals"]["reported"].as_u64().unwrap()
    }
}

fn judge(kind: &Kind) {
    let Kind { name, then, script } = kind;
    let attacked = Attacked::by(script, "");
    let (scene, told) = (&attacked.scene, &attacked.told);
    let iterations = attacked.iterations();
    for trace in ["inner", "sang", "failed"] {
        let said = attacked.read(trace);
        let absent = !scene.top().join(trace).exists();
        assert!(absent, "{name}: {trace}: {said} {told:?}");
    }
    assert!(attacked.has_left_nothing(), "{name}: {told:?}");
    match *then {
        Then::Caught(code, words) => {
            assert_eq!(told.code, Some(code), "{name}: {told:?}");
            assert!(told.stderr.contains(words), "{name}: {told:?}");
            assert!(iterations < ITERATIONS, "{name}: it went on");
            let next = scene.fusebox("work", &["check"]);
            assert!(matches!(next.code, Some(4 | 42)), "{name}: {next:?}");
        }
        Then::Unaffected(ALL_DONE) => {
            assert_eq!(told.code, Some(ALL_DONE), "{name}: {told:?}");
            assert_eq!(iterations, ITERATIONS, "{name}: {told:?}");
        }
        Then::Unaffected(code) => {
            let codes = attacked.read("codes");
            assert!(!codes.is_empty(), "{name}: {told:?}");
            for line in codes.lines() {
                assert_eq!(line, code.to_string(), "{name}: {told:?}");
            }
        }
        Then::Told(words) => {
            assert_eq!(told.code, Some(ALL_DONE), "{name}: {told:?}");
            assert!(told.stderr.contains(words), "{name}: {told:?}");
        }
        Then::OutOfReach { code: KILLED, .. } => {
            assert_eq!((told.signal, iterations), (Some(9), 1), "{name}: {told:?}");
            // Once the keeper has ended, the next step settles what nobody reported, as one that
            // got nowhere.
            let goes_on = || scene.fusebox("work", &["check"]).code == Some(0);
            assert!(eventually(AGES, goes_on).is_some(), "{name}");
            let Standing::Believed { no_progress, .. } = scene.place.standing_in("work") else {
                panic!("{name}: not believed");
            };
            assert_eq!(no_progress, 1, "{name}");
        }
        Then::OutOfReach { code, .. } => {
            assert_eq!(told.code, Some(code), "{name}: {told:?}");
            assert_eq!(attacked.remembered(), ITERATIONS as u64, "{name}: {told:?}");
        }
        Then::ByDoctor(_) | Then::StillOpen => panic!("{name}: this is about a run"),
    }
}

/// The control for configurations that would relax: what a repository may not set, the user may,
/// and then the same agent goes on to the end.
#[test]
fn the_settings_that_tampering_would_relax_do_keep_a_loop_going_for_its_user() {
    if !have("git") {
        return;
    }
    let stand_still = "git checkout -q a.txt";
    for (settings, code) in [("", 43), ("stagnation.threshold = 99\n", ALL_DONE)] {
        let told = Attacked::by(stand_still, settings).told;
        assert_eq!(told.code, Some(code), "{settings}: {told:?}");
    }
}

#[test]
fn req_x_009_tampering_from_inside_a_run_is_named_or_gains_nothing() {
    if !have("git") || !have("setsid") {
        return;
    }
    try_all(KINDS, "from inside a run", judge);
}
