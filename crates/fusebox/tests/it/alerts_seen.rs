//! What is worth a person's glance, where a person glances: on the page of a loop.

use std::fs;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::context::TestContext;
use crate::served::Served;

/// A loop that comes to one alert: its directory, the sentence, and what its iterations
/// report, the last of which brings it about.
struct Course {
    name: &'static str,
    sentence: &'static str,
    reports: Vec<Value>,
}

fn courses() -> Vec<Course> {
    let course = |name, sentence, reports| Course {
        name,
        sentence,
        reports,
    };
    let again = |count: usize, report: Value| vec![report; count];
    let tests = |passed: u32| json!({"files_changed": 1, "tests": {"passed": passed, "failed": 10 - passed}});
    let lines = |lines: u32| json!({"files_changed": 1, "output_lines": lines});
    let errors = |count: usize| {
        let error =
            |n: usize| json!({"type": "Error", "message": format!("{n} of {count} is wrong")});
        let errors: Vec<Value> = (0..count).map(error).collect();
        json!({"files_changed": 1, "errors": errors})
    };
    vec![
        course(
            "many-loops",
            "more than 20 iterations on a single task",
            again(21, json!({"files_changed": 1, "task": "T-1"})),
        ),
        course(
            "no-task",
            "no task completed in 3 or more iterations",
            again(3, json!({"files_changed": 1, "tasks_completed": 0})),
        ),
        course(
            "no-file",
            "no file modified in 3 or more iterations",
            again(3, json!({"files_changed": 0})),
        ),
        course(
            "falling-tests",
            "the share of passing tests falls",
            [9, 8, 7, 6].map(tests).to_vec(),
        ),
        course(
            "more-errors",
            "more errors each time",
            [1, 2, 3, 4].map(errors).to_vec(),
        ),
        course(
            "less-output",
            "the output fell by 70 % or more",
            [100, 90, 30].map(lines).to_vec(),
        ),
        course(
            "bad-score",
            "a negative score for 3 iterations",
            again(
                3,
                json!({"files_changed": 0, "errors": [{"message": "the same"}]}),
            ),
        ),
    ]
}

/// The page of the loop in a directory of that name.
fn page_of(served: &Served, name: &str) -> String {
    let loops = served.json("/api/loops");
    let mut loops = loops.as_array().unwrap().iter();
    let found = loops.find(|one| one["workspace"].as_str().unwrap().ends_with(name));
    format!("loops/{}", found.unwrap()["id"].as_str().unwrap())
}

#[test]
fn req_004_077_to_084_every_alert_stands_on_the_page_from_its_iteration_on() {
    let context = TestContext::new();
    let record = |name: &str, report: &Value| {
        let directory = context.path(name);
        if !directory.exists() {
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("fusebox.toml"), "").unwrap();
        }
        let call = context.fusebox(&["record", "-", "--exit-zero"]);
        call.inside(directory)
            .input(report.to_string())
            .run()
            .expect(0);
    };
    let served = Served::start(&context);
    let shows = |name: &str, sentence: &str| {
        let page = served.get(&format!("/pages/{}", page_of(&served, name)));
        page.contains(sentence)
    };
    let mut seen = Vec::new();
    for course in courses() {
        let (last, before) = course.reports.split_last().unwrap();
        before.iter().for_each(|report| record(course.name, report));
        assert!(
            !shows(course.name, course.sentence),
            "{} too early",
            course.name
        );
        record(course.name, last);
        seen.push((course.name, course.sentence));
    }
    // The last of them is about calls, which are taken and not reported.
    let few = "less than 20 % of the calls is left";
    record("few-calls", &json!({"files_changed": 1}));
    for (calls, is_shown) in [("80", false), ("1", true)] {
        let take = context.fusebox(&["limit", "take", calls]);
        take.inside(context.path("few-calls")).run().expect(0);
        assert_eq!(shows("few-calls", few), is_shown, "after {calls} more");
    }
    seen.push(("few-calls", few));
    for (name, sentence) in &seen {
        assert!(shows(name, sentence), "{name}");
    }
    let Some(mut browser) = Browser::start(&context) else {
        return;
    };
    browser.open(&served.address());
    browser.wait_for("document.querySelector('#pulse.live')");
    for (name, sentence) in seen {
        browser.visit(&format!("#/{}", page_of(&served, name)));
        browser.wait_to_see(sentence);
    }
    assert_eq!(browser.complaints, [""; 0]);
}
