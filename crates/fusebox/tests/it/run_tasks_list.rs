//! The list that a run works from lies where the agent works: ticking it is no work, and losing
//! it is no way out.

use crate::context::TestContext;

/// Lists of every kind, and how their first task is ticked.
const LISTS: [(&str, &str, &str); 4] = [
    (
        "prd.json",
        r#"{"userStories": [{"id": "T-1", "title": "a", "passes": false}]}"#,
        r#"s/"passes": false/"passes": true/"#,
    ),
    (
        "feature_list.json",
        "[{\"id\": \"T-1\", \"title\": \"a\", \"passes\": false}]",
        r#"s/"passes": false/"passes": true/"#,
    ),
    (
        ".cub/tasks.jsonl",
        "{\"id\": \"T-1\", \"title\": \"a\", \"status\": \"open\"}\n",
        r#"s/"status": "[a-z_]*"/"status": "closed"/"#,
    ),
    (
        "IMPLEMENTATION_PLAN.md",
        "- [ ] T-1 a\n",
        r"s/\[ \] T-1/[x] T-1/",
    ),
];

fn with_list(file: &str, text: &str) -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    context.put(file, text);
    Some(context)
}

const BOUNDS: [&str; 6] = [
    "--tasks",
    "--require",
    "out.txt",
    "--no-wait",
    "--max-iterations",
    "6",
];

#[test]
fn req_000_031_and_004_015_a_tick_that_is_taken_back_is_no_work_but_a_claim() {
    for (file, text, tick) in LISTS {
        for (also, why) in [
            ("true", "No progress for 3 iterations"),
            (
                "echo $FUSEBOX_ITERATION >> a.txt",
                "Completion claimed without evidence in 3 iterations in a row",
            ),
        ] {
            let Some(context) = with_list(file, text) else {
                return;
            };
            let script = format!("sed -i '{tick}' {file}; {also}");
            let run = context.supervise(&BOUNDS, &script).run().expect(43);
            run.says("task T-1 was closed, but nothing shows that it is done; it is open again")
                .says("completion was claimed, but out.txt is not there")
                .says(why);
            assert_eq!(context.state(), "Open", "{file}");
        }
    }
}
