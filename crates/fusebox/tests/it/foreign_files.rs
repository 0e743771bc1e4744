//! What other programs and editors leave in their files: damage, twins, and marks.

use serde_json::json;

use crate::bmad::Bmad;
use crate::context::TestContext;

const MARK: &str = "\u{feff}";

#[test]
fn a_list_of_tasks_that_is_damaged_is_told_with_its_name_and_reason() {
    let twin = |title: &str| json!({"id": "a", "title": title, "passes": false});
    let twins = json!({"userStories": [twin("one"), twin("two")]}).to_string();
    for (text, why) in [
        ("", "it is empty"),
        ("\0\0", "NUL bytes"),
        ("{\"userStories\": [{", "not valid JSON"),
        (&twins, "two tasks there have the id `a`"),
    ] {
        let context = TestContext::list("prd.json", text);
        for args in [&["tasks", "next"][..], &["tasks", "list"], &["doctor"]] {
            let told = context.fusebox(args).run();
            let said = format!("{}{}", told.out(), told.err());
            assert_eq!(told.code, 6, "{args:?}: {said}");
            assert!(said.contains("prd.json: ") && said.contains(why), "{said}");
            assert!(!said.contains("no task list found"), "{said}");
        }
    }
}

#[test]
fn a_mark_of_the_order_of_bytes_is_passed_over_wherever_json_comes_in() {
    let context = TestContext::new();
    let record = context.fusebox(&["record", "-"]);
    let record = record.input(format!("{MARK}{{\"files_changed\": 1}}"));
    record.run().expect(0);
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for args in [&["mcp"][..], &["serve", "--stdio"]] {
        let answered = context.fusebox(args).input(format!("{MARK}{request}\n"));
        let answer = answered.run().expect(0).out();
        // -32700 is what a text that cannot be parsed is answered with.
        assert!(answer.contains("\"id\":1"), "{answer}");
        assert!(!answer.contains("-32700"), "{answer}");
    }
    let context = TestContext::list(
        ".cub/config.json",
        &format!("{MARK}{{\"stagnation\": {{\"threshold\": 3}}}}"),
    );
    context.cub(&["check"]).run().expect(0);
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let done = "{\"features\": [{\"id\": \"F1\", \"status\": \"pass\"}]}";
    bmad.write("feature_list.json", &format!("{MARK}{done}"));
    let check = bmad.0.fusebox(&["--preset", "bmad", "check"]);
    check.run().expect(40);
}
