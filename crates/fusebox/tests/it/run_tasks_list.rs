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
            run.says(
                "task T-1 was closed, but there is no evidence that it is done; it is open again",
            )
            .says("completion was claimed, but out.txt is not there")
            .says(why);
            assert_eq!(context.state(), "Open", "{file}");
        }
    }
}

#[test]
fn req_004_056_and_004_076_a_list_that_its_agent_deletes_or_empties_is_put_back() {
    for (lose, code, told) in [
        ("rm -f", 47, "was deleted; it is back"),
        ("truncate -s 0", 47, "was emptied; it is back"),
    ] {
        for (file, text, _) in LISTS {
            let Some(context) = with_list(file, text) else {
                return;
            };
            let script = format!("{lose} {file}; echo $FUSEBOX_ITERATION >> a.txt");
            let run = context.supervise(&BOUNDS, &script).run().expect(code);
            run.says(&format!("protected: {file} {told}"))
                .says("stopped · protected files were lost");
            assert!(context.tasks("list")[0]["id"] == "T-1", "{file}");
        }
    }
}

/// A list that is no default is protected while a run works through it.
#[test]
fn a_list_of_another_name_is_protected_while_a_run_works_through_it() {
    let Some(context) = with_list("docs/todo.md", "- [ ] T-1 a\n") else {
        return;
    };
    context.user_settings("[tasks]\nsource = \"./docs/todo.md\"\n");
    let run = context.supervise(&BOUNDS, "rm -r docs").run().expect(47);
    run.says("docs/todo.md was deleted; it is back");
    let tick = "sed -i 's/\\[ \\]/[x]/' docs/todo.md";
    let context = with_list("docs/todo.md", "- [ ] T-1 a\n").unwrap();
    context.user_settings("[tasks]\nsource = \"./docs/todo.md\"\n");
    let run = context.supervise(&BOUNDS, tick).run().expect(43);
    run.says("only the loop's own files changed")
        .says("No progress for 3 iterations");
}

#[test]
fn a_list_that_its_agent_breaks_is_put_back_and_the_agent_told() {
    let list = LISTS[0].1;
    let Some(context) = with_list("prd.json", list) else {
        return;
    };
    let broken = "cat > ../prompt; sed -i 's/,//' prd.json; echo $FUSEBOX_ITERATION >> a.txt";
    let run = context.supervise(&BOUNDS, broken).run().expect(47);
    let told = "prd.json was broken: it is not valid JSON: expected `,` or `}` at line 1 column 31; it is back";
    run.says(&format!("protected: {told}"))
        .says("2 protected files were emptied or replaced");
    let prompt = std::fs::read_to_string(context.path("prompt")).unwrap();
    assert!(prompt.contains(told), "{prompt}");
    let now = std::fs::read_to_string(context.work().join("prd.json")).unwrap();
    assert_eq!(now, list);
}

/// Where nothing is put back, the run ends in order.
#[test]
fn a_run_whose_list_stays_lost_ends_with_its_summary() {
    for lose in ["rm prd.json", "echo { > prd.json"] {
        let Some(context) = with_list("prd.json", LISTS[0].1) else {
            return;
        };
        let options = [&["--preset", "cub"], BOUNDS.as_slice()].concat();
        let run = context.supervise(&options, lose).run();
        run.says("stopped · ").says("  done  1 iteration in ");
    }
}
