//! Every shape of file, as people really write them.

use fusebox_tasks::Status;

use crate::support::{Place, at, ready, somebody};

const PRD: &str = r#"{
  "project": "MyApp",
  "branchName": "ralph/x",
  "userStories": [
    {"id": "US-001", "title": "Log in", "acceptanceCriteria": ["a", "b"], "priority": 1, "passes": false, "notes": ""},
    {"id": "US-002", "title": "Log out", "priority": 2, "passes": true, "notes": "ü"}
  ]
}
"#;

const STORIES: &str = "{\"version\": 1,\r\n \"stories\": [\r\n  {\"id\": \"S-1\", \"title\": \"a\", \"status\": \"open\", \"dependsOn\": [], \"startedAt\": null, \"updatedAt\": null},\r\n  {\"id\": \"S-2\", \"title\": \"b\", \"status\": \"open\", \"dependsOn\": [\"S-1\"]}\r\n ]}";

const FEATURES: &str = r#"[
    {"category": "functional", "description": "A user can log in", "steps": ["open", "type"], "passes": false},
    {"category": "style", "description": "It is blue", "steps": [], "passes": false}
]"#;

const DRIFTED: &str = r#"{"rules": {"valid_status": ["pending", "spec_ready", "in_progress", "done", "blocked"]},
 "features": [
  {"id": 1, "name": "auth", "acceptance": ["x"], "status": "spec_ready"},
  {"id": 2, "name": "mail", "acceptance": ["y"], "status": "done"}]}"#;

const TASKMASTER: &str = r#"{
	"master": {"tasks": [{"id": 7, "title": "other tag", "status": "pending"}]},
	"next": {
		"tasks": [
			{"id": 1, "title": "a", "status": "done", "dependencies": [], "subtasks": []},
			{"id": 2, "title": "b", "priority": "high", "status": "pending", "dependencies": [1], "details": "<info added on 2026>"},
			{"id": 3, "title": "c", "priority": "low", "status": "pending", "dependencies": [2]}
		],
		"metadata": {"created": "x"}
	}
}"#;

const CUB: &str = "{\"id\":\"cub-1\",\"title\":\"a\",\"status\":\"retry\",\"priority\":\"P2\",\"issue_type\":\"task\",\"unknown\":[1, 2]}\n{\"id\":\"cub-2\",\"title\":\"b\",\"status\":\"open\",\"priority\":\"P0\",\"dependsOn\":[\"cub-3\"]}\n{\"id\":\"cub-3\",\"title\":\"c\",\"status\":\"closed\",\"priority\":\"P1\"}\n";

const PLAN: &str = "# Fix plan\n\n## High\n- [ ] T-1 log in\n- [x] T-2 log out\n\n## Optional\n- [ ] T-3 colours\n";

/// Which list is found, what can be begun, and the text before and after a claim and
/// after the end, as differences.
struct Row {
    file: &'static str,
    text: &'static str,
    name: &'static str,
    ready: &'static [&'static str],
    claimed: &'static [(&'static str, &'static str)],
    closed: &'static [(&'static str, &'static str)],
}

const NOON: &str = "2026-01-31T12:00:00Z";

#[test]
fn req_000_007_and_104_a_claim_gets_its_start_and_every_other_byte_stays() {
    for row in [
        Row {
            file: "prd.json",
            text: PRD,
            name: "prd.json",
            ready: &["US-001"],
            claimed: &[],
            closed: &[(
                r#""priority": 1, "passes": false"#,
                r#""priority": 1, "passes": true"#,
            )],
        },
        Row {
            file: ".agents/tasks/prd.json",
            text: STORIES,
            name: ".agents/tasks/prd.json",
            ready: &["S-1"],
            claimed: &[(
                r#""status": "open", "dependsOn": [], "startedAt": null, "updatedAt": null"#,
                r#""status": "in_progress", "dependsOn": [], "startedAt": "2026-01-31T12:00:00Z", "updatedAt": "2026-01-31T12:00:00Z""#,
            )],
            closed: &[
                (r#""status": "in_progress""#, r#""status": "done""#),
                (
                    r#""updatedAt": "2026-01-31T12:00:00Z"}"#,
                    r#""updatedAt": "2026-01-31T12:01:00Z", "completedAt": "2026-01-31T12:01:00Z"}"#,
                ),
            ],
        },
        Row {
            file: "feature_list.json",
            text: FEATURES,
            name: "feature_list.json",
            ready: &["#1", "#2"],
            claimed: &[],
            closed: &[(r#""type"], "passes": false"#, r#""type"], "passes": true"#)],
        },
        Row {
            file: "feature_list.json",
            text: DRIFTED,
            name: "feature_list.json",
            ready: &["1"],
            claimed: &[(
                r#""status": "spec_ready"}"#,
                r#""status": "in_progress", "started_at": "2026-01-31T12:00:00Z"}"#,
            )],
            closed: &[(r#""status": "in_progress", "#, r#""status": "done", "#)],
        },
        Row {
            file: ".taskmaster/tasks/tasks.json",
            text: TASKMASTER,
            name: ".taskmaster/tasks/tasks.json",
            ready: &["2"],
            claimed: &[(
                r#""status": "pending", "dependencies": [1], "details": "<info added on 2026>"}"#,
                r#""status": "in-progress", "dependencies": [1], "details": "<info added on 2026>", "started_at": "2026-01-31T12:00:00Z"}"#,
            )],
            closed: &[(r#""status": "in-progress""#, r#""status": "done""#)],
        },
        Row {
            file: ".cub/tasks.jsonl",
            text: CUB,
            name: ".cub/tasks.jsonl",
            ready: &["cub-2", "cub-1"],
            claimed: &[(
                r#""status":"open","priority":"P0","dependsOn":["cub-3"]}"#,
                r#""status":"in_progress","priority":"P0","dependsOn":["cub-3"],"started_at":"2026-01-31T12:00:00Z","assignee":"worker"}"#,
            )],
            closed: &[
                (r#""status":"in_progress""#, r#""status":"closed""#),
                (
                    r#""assignee":"worker"}"#,
                    r#""assignee":"worker","closed_at":"2026-01-31T12:01:00Z"}"#,
                ),
            ],
        },
        Row {
            file: "@fix_plan.md",
            text: PLAN,
            name: "@fix_plan.md",
            ready: &["T-1"],
            claimed: &[],
            closed: &[("- [ ] T-1", "- [x] T-1")],
        },
    ] {
        let place = Place::with(row.file, row.text);
        place.write(".taskmaster/state.json", r#"{"currentTag": "next"}"#);
        let mut desk = place.desk();
        assert_eq!(desk.name(), row.name);
        let items = desk.look(&at(0)).unwrap();
        assert_eq!(ready(&items), row.ready, "{}", row.file);
        let id = row.ready[0];
        let claimed = desk.claim(id, &somebody("worker"), &at(0)).unwrap();
        assert_eq!(
            place.read(row.file),
            changed(row.text, row.claimed),
            "{}",
            row.file
        );
        // Where the list has no place for it, our own record has.
        let item = desk.find(id, &at(30)).unwrap();
        assert_eq!(item.status, Status::InProgress, "{}", row.file);
        assert_eq!(
            item.started_ms(),
            Some(at(0).wall_ms),
            "{NOON} in {}",
            row.file
        );
        desk.done(id, Some(claimed.fence), "tests pass", &at(60))
            .unwrap();
        let closed = changed(&changed(row.text, row.claimed), row.closed);
        assert_eq!(place.read(row.file), closed, "{}", row.file);
        let item = desk.find(id, &at(90)).unwrap();
        assert_eq!(
            (item.status, item.record.evidence.as_deref()),
            (Status::Done, Some("tests pass"))
        );
    }
}

fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        text.replace(from, to)
    })
}

#[test]
fn lists_are_told_by_their_content_and_not_by_their_names() {
    for (file, text) in [
        (
            "prd.json",
            r#"{"title": "Our product", "requirements": ["fast"]}"#,
        ),
        ("feature_list.json", r#"["fast", "blue"]"#),
        (
            "tasks/tasks.json",
            r#"{"version": "2.0.0", "tasks": [{"label": "build", "type": "shell"}]}"#,
        ),
        ("IMPLEMENTATION_PLAN.md", "# Plan\nFirst this, then that.\n"),
        (".cub/tasks.jsonl", "{\"id\": 1}\n"),
    ] {
        let place = Place::with(file, text);
        assert!(place.try_desk(None).unwrap().is_none(), "{file}: {text}");
    }
    // And a list goes by any name, where it is named.
    let place = Place::with("docs/todo.md", PLAN);
    assert!(place.try_desk(None).unwrap().is_none());
    assert_eq!(
        place
            .try_desk(Some("docs/todo.md"))
            .unwrap()
            .unwrap()
            .name(),
        "docs/todo.md"
    );
    assert!(place.try_desk(Some("docs/none.md")).is_err());
}

#[test]
fn giving_up_is_kept_where_a_list_has_no_word_for_it() {
    for (file, text, id, kept) in [
        ("prd.json", PRD, "US-001", false),
        (".cub/tasks.jsonl", CUB, "cub-2", false),
        ("feature_list.json", DRIFTED, "1", true),
    ] {
        let place = Place::with(file, text);
        let mut desk = place.desk();
        desk.claim(id, &somebody("a"), &at(0)).unwrap();
        desk.block(id, None, "no way", &at(1)).unwrap();
        assert_eq!(
            place.read(file).contains("\"blocked\"}") || place.read(file).contains("\"blocked\","),
            kept,
            "{file}"
        );
        let mut later = place.desk();
        let item = later.find(id, &at(2)).unwrap();
        assert_eq!(item.status, Status::Blocked, "{file}");
        assert!(later.claim(id, &somebody("b"), &at(3)).is_err());
        later.reopen(id, "looked at it", "person", &at(4)).unwrap();
        later.claim(id, &somebody("b"), &at(5)).unwrap();
    }
}

#[test]
fn the_built_in_list_is_there_for_those_who_have_none() {
    let place = Place::new();
    let (root, own) = (place.root(), place.own());
    let places = fusebox_tasks::Places {
        root: &root,
        own: &own,
        path: None,
        actor: "x",
    };
    assert!(place.try_desk(None).unwrap().is_none());
    std::fs::create_dir_all(&own).unwrap();
    for (title, id) in [("first \"thing\"", "T-1"), ("second", "T-2")] {
        assert_eq!(
            fusebox_tasks::add(&places, title, Some("chore"), 0).unwrap(),
            id
        );
    }
    let mut desk = place.desk();
    let items = desk.look(&at(0)).unwrap();
    assert_eq!(ready(&items), ["T-1", "T-2"]);
    assert_eq!(
        (items[0].task.title.as_str(), items[0].kind()),
        ("first \"thing\"", Some("chore"))
    );
    desk.claim("T-1", &somebody("a"), &at(0)).unwrap();
    assert_eq!(ready(&desk.look(&at(1)).unwrap()), ["T-2"]);
}
