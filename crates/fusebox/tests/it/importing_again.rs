//! Imports after the first, older layouts, and what an import leaves in force.

use crate::context::{TestContext, nobody_can_play_a_person};
use crate::importing::{RALPH_OPEN, put, value};

/// Whoever imports the same file once more asks for nothing new.
#[test]
fn req_d_064_what_a_person_released_stays_released_until_the_other_loop_says_something_new() {
    let context = TestContext::new();
    let state = ".ralph/.circuit_breaker_state";
    let fresh = RALPH_OPEN.replace("2026-11-15", "2099-11-15");
    put(&context, state, &fresh);
    context.fusebox(&["import"]).run().expect(0);
    context.fusebox(&["check"]).run().expect(42);
    if nobody_can_play_a_person() {
        return;
    }
    context.hold_key();
    context.reset().expect(0);
    let again = context.fusebox(&["import"]).run().expect(0);
    assert!(again.out().contains("has not changed"), "{}", again.out());
    assert_eq!(context.state(), "Closed");
    put(
        &context,
        state,
        &fresh.replace("\"current_loop\":3", "\"current_loop\":9"),
    );
    context.fusebox(&["import"]).run().expect(0);
    assert_eq!(context.state(), "Open");
}

#[test]
fn req_d_064_a_cooldown_that_is_over_there_is_over_here() {
    let context = TestContext::new();
    put(&context, ".ralph/.circuit_breaker_state", RALPH_OPEN);
    let imported = context.fusebox(&["import"]).run().expect(0);
    assert!(imported.out().contains("its cooldown began at 2026-11-15"));
    assert_eq!(context.state(), "Open");
    context.fusebox(&["check"]).run().expect(0);
    assert_eq!(context.state(), "Probing");
}

#[test]
fn the_older_layout_is_imported_unless_a_newer_one_is_there() {
    let context = TestContext::new();
    put(&context, ".circuit_breaker_state", RALPH_OPEN);
    context.fusebox(&["import"]).run().expect(0);
    assert_eq!(context.state(), "Open");

    let context = TestContext::new();
    put(&context, ".circuit_breaker_state", RALPH_OPEN);
    put(
        &context,
        ".ralph/.circuit_breaker_state",
        r#"{"state":"CLOSED"}"#,
    );
    let imported = context.fusebox(&["import"]).run().expect(0);
    assert!(!imported.out().contains("\n.circuit"), "{}", imported.out());
    assert_eq!(context.state(), "Closed");

    put(&context, ".ralph/.circuit_breaker_state", "{");
    let broken = context.fusebox(&["import"]).run().expect(4);
    broken.says("remove .ralph/.circuit_breaker_state and import again");
}

#[test]
fn limits_of_an_imported_file_hold_and_what_is_not_used_is_said_once() {
    let context = TestContext::new();
    let settings = "PROJECT_NAME=\"calc\"\nMAX_TOKENS_PER_HOUR=400\nCLAUDE_TIMEOUT_MINUTES=15\n\
                    MAX_CALLS_PER_HOUR=20\nALLOWED_TOOLS=\"Write,Bash(git add *)\"\n";
    put(&context, ".ralphrc", settings);
    context.fusebox(&["init", "--yes"]).run().expect(0);
    let imported = context.fusebox(&["import"]).run().expect(0);
    for said in [
        "PROJECT_NAME: not used here",
        "`run --permissions edits`",
        "at most 400 tokens in any hour",
    ] {
        assert!(imported.out().contains(said), "{}", imported.out());
    }
    assert_eq!(value(&context, "limits.tokens.limit"), "400");
    assert_eq!(value(&context, "limits.tokens.window"), "\"1h\"");
    let check = context.fusebox(&["check"]).run().expect(0).err();
    for unwanted in ["would loosen", "PROJECT_NAME"] {
        assert!(!check.contains(unwanted), "{check}");
    }
}

/// The hour of the clock that the other loop counted its calls in has not ended because we go on.
#[test]
fn calls_of_this_hour_count_against_its_limit_and_those_of_another_do_not() {
    let left = |hour: Option<&str>, count: &str| {
        let context = TestContext::new();
        put(&context, ".ralph/.call_count", count);
        hour.iter()
            .for_each(|hour| put(&context, ".ralph/.last_reset", hour));
        let at = |args: &[&str]| {
            let call = context.at("2026-11-19T20:30:00Z", args).env("TZ", "UTC");
            call.run().expect(0)
        };
        let told = at(&["import"]).out();
        // What was taken over is not taken over twice.
        at(&["import"]);
        let status = at(&["status", "--json"]).json();
        (told, status["limits"]["calls"]["left"].as_u64().unwrap())
    };
    let (told, calls) = left(Some("2026111920\n"), "40\n");
    assert!(
        told.contains("taken   40 calls made within this hour"),
        "{told}"
    );
    assert_eq!(calls, 60);
    let (told, calls) = left(Some("2026111919\n"), "40\n");
    let over = "left    40 calls, made within an hour that is over";
    assert!(told.contains(over), "{told}");
    assert_eq!(calls, 100);
    assert_eq!(left(None, "40").1, 60, "nobody knows, so it was this one");
    assert_eq!(left(Some("2026111920"), "4000").1, 0);
    let context = TestContext::new();
    put(&context, ".ralph/.call_count", "many");
    context
        .fusebox(&["import"])
        .run()
        .expect(4)
        .says("this is not a number of calls");
}
