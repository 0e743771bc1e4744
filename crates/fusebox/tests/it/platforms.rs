//! The machines, homes and users that a newcomer may have.

use std::fs;
use std::os::unix::fs::chown;

use crate::context::TestContext;

/// All that says where a user's things are.
const PLACES: [&str; 4] = ["HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"];

#[test]
fn without_a_home_a_place_for_the_memory_is_asked_for_and_enough() {
    let context = TestContext::new();
    let homeless = |args: &[&str]| {
        let call = context.fusebox(args);
        PLACES
            .iter()
            .fold(call, |call, name| call.without_env(name))
    };
    let asked = homeless(&["check"]).run().expect(6);
    assert!(asked.err().contains("--state-dir"), "{}", asked.err());
    let state = context.path("elsewhere");
    let state = state.to_str().unwrap();
    homeless(&["--state-dir", state, "check"]).run().expect(0);
    homeless(&["--state-dir", state, "trip", "--reason", "to see it kept"])
        .run()
        .expect(0);
    homeless(&["--state-dir", state, "check"]).run().expect(42);
}

#[test]
fn a_runner_without_xdg_variables_keeps_things_below_its_home() {
    let context = TestContext::new();
    let call = context.fusebox(&["check"]);
    let call = PLACES[1..]
        .iter()
        .fold(call, |call, name| call.without_env(name));
    call.run().expect(0);
    for place in [".local/state/fusebox", ".local/share/fusebox"] {
        assert!(context.path("home").join(place).is_dir(), "{place}");
    }
}

/// `sudo` without `-H`: what is found there is another user's.
#[test]
fn a_home_of_somebody_else_is_left_alone() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can give things away");
        return;
    }
    let context = TestContext::new();
    chown(context.path("home"), Some(65534), Some(65534)).unwrap();
    let sudo = |args: &[&str]| {
        let call = context.fusebox(args);
        PLACES[1..]
            .iter()
            .fold(call, |call, name| call.without_env(name))
    };
    let refused = sudo(&["check"]).run().expect(6);
    assert!(refused.err().contains("--state-dir"), "{}", refused.err());
    let own = context.path("own");
    let own = own.to_str().unwrap();
    sudo(&["--state-dir", own, "check"]).run().expect(0);
    assert!(!context.path("home/.local").exists());
}

#[test]
fn every_worktree_of_a_repository_has_a_breaker_of_its_own() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let second = context.path("second");
    context.git(&["worktree", "add", "-q", second.to_str().unwrap()]);
    context
        .fusebox(&["trip", "--reason", "stuck in the first"])
        .run()
        .expect(0);
    context.fusebox(&["check"]).run().expect(42);
    context.fusebox(&["check"]).inside(&second).run().expect(0);
    fs::create_dir(second.join("below")).unwrap();
    let below = context
        .fusebox(&["check", "--json"])
        .inside(second.join("below"));
    assert_eq!(below.run().expect(0).json()["iterations"], 2);
}

#[test]
fn an_installation_says_of_itself_whether_it_is_sound() {
    let context = TestContext::new();
    let sound = context.fusebox(&["self-check"]).run().expect(0).out();
    for about in ["program", "memory", "processes", "rehearsal"] {
        assert!(sound.contains(about), "{about}: {sound}");
    }
    assert!(
        sound.contains("was stopped, released and went on"),
        "{sound}"
    );
    let homeless = context.fusebox(&["self-check", "--json"]);
    let homeless = PLACES
        .iter()
        .fold(homeless, |call, name| call.without_env(name));
    let told = homeless.run().expect(6).json();
    assert_eq!(told[1]["level"], "broken", "{told}");
}
