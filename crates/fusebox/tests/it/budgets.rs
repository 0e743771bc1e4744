//! Budgets of tokens and money, as they are configured and shown.

use std::fs;

use serde_json::Value;

use crate::context::TestContext;

/// What the user's file says.
fn configured(text: &str) -> TestContext {
    let context = TestContext::new();
    let dir = context.path("config/fusebox");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("config.toml"), text).unwrap();
    context
}

/// One iteration that used so much; the answer to its report.
fn spend(context: &TestContext, usage: &str, code: i32) -> Value {
    context.fusebox(&["check"]).run().expect(0);
    let report = format!("{{\"files_changed\": 1, {usage}}}");
    let told = context.fusebox(&["record", "-", "--json"]).input(report);
    told.run().expect(code).json()
}

#[test]
fn a_budget_warns_from_its_share_on_and_denies_when_used_up() {
    for (text, usage, name, limit, word) in [
        (
            "limits.tokens.limit = 1000",
            "\"usage\": {\"input_tokens\": 400}",
            "tokens",
            1_000,
            "tokens",
        ),
        (
            "limits.money.limit_usd = 2.50",
            "\"usage\": {\"cost_usd\": 1.0}",
            "money_micro_usd",
            2_500_000,
            "$2.50",
        ),
    ] {
        let context = configured(text);
        let first = &spend(&context, usage, 0)["limits"][name];
        assert_eq!(first["limit"], limit, "{first}");
        assert_eq!(first["used"], limit * 2 / 5, "{first}");
        assert_eq!(first["window_seconds"], 86_400);
        assert_eq!(first["warning"], false);
        let second = &spend(&context, usage, 0)["limits"][name];
        assert_eq!(
            (&second["warning"], &second["left"]),
            (&true.into(), &(limit / 5).into())
        );
        for command in [&["status"][..], &["limit", "status"], &["explain"]] {
            let told = context.fusebox(command).run().expect(0).out();
            assert!(
                told.contains(word) && told.contains("nearly used up"),
                "{told}"
            );
        }
        let limits = context.fusebox(&["limit", "--json"]).run().expect(0).json();
        assert_eq!(limits[name]["used"], limit * 4 / 5);
        // The third is granted, as a tenth is left, and overruns.
        let third = spend(&context, usage, 45);
        assert_eq!(third["gate"], "deny");
        assert!(third["limits"][name]["next_slot"].is_string(), "{third}");
        context
            .fusebox(&["check"])
            .run()
            .expect(45)
            .says("budget is used up");
    }
}

#[test]
fn without_a_limit_there_is_no_budget() {
    let context = TestContext::new();
    let answer = spend(&context, "\"usage\": {\"input_tokens\": 400}", 0);
    assert!(answer["limits"]["tokens"].is_null());
    assert!(answer["limits"]["money_micro_usd"].is_null());
}

#[test]
fn a_run_is_given_budgets_by_flag_and_ends_with_45() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    // Nothing tells what an iteration used, so each counts for a tenth.
    let script = "echo $FUSEBOX_ITERATION >> a.txt";
    for flag in ["--max-usd=3", "--max-tokens=50000"] {
        let circuit = format!("--circuit=c{}", flag.len());
        let run = context
            .supervise(&[&circuit, flag], script)
            .run()
            .expect(45);
        let lines = fs::read_to_string(context.work().join("a.txt")).unwrap();
        assert!(run.err().contains("budget"), "{}", run.err());
        assert!(lines.lines().count() >= 12, "{lines}");
        context.git(&["checkout", "-q", "a.txt"]);
    }
    for (flag, says) in [
        ("--max-usd=0", "not an amount of US dollars"),
        ("--max-usd=1e9", "not an amount of US dollars"),
        ("--max-tokens=0", "invalid value"),
    ] {
        context
            .supervise(&[flag], script)
            .run()
            .expect(2)
            .says(says);
    }
}

/// A result that tells what was paid, and not what for.
#[test]
fn a_bill_without_models_is_spent_from_the_budget() {
    let bill = r#"echo $FUSEBOX_ITERATION >> a.txt
printf '{"type":"result","subtype":"success","is_error":false,"result":"More.","session_id":"s-%s","num_turns":1,"total_cost_usd":1.5,"usage":{"input_tokens":10,"output_tokens":5}}\n' "$FUSEBOX_ITERATION""#;
    let Some(context) = TestContext::with_claude(bill) else {
        return;
    };
    let run = context.run_claude(&["--max-usd=4"]).run().expect(45);
    run.says("budget");
    assert_eq!(context.calls().len(), 3, "each of them took $1.50 of $4");
    let status = context.fusebox(&["status", "--json"]).run().json();
    assert_eq!(status["totals"]["cost_micro_usd"], 4_500_000);
}
