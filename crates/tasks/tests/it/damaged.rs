//! Lists that are there, and cannot be worked on; and marks that are no damage.

use crate::support::{Place, at, somebody};

#[test]
fn a_list_that_is_damaged_is_told_and_not_taken_for_none() {
    let cut_off = r#"{"userStories": [{"id": "a", "title": "t", "pass"#;
    for (file, text, why) in [
        ("prd.json", "", "it is empty"),
        ("prd.json", " \n", "it is empty"),
        ("prd.json", "\u{feff}", "it is empty"),
        ("prd.json", "\0\0\0\0", "NUL"),
        ("prd.json", cut_off, "not valid JSON: EOF while parsing"),
        ("feature_list.json", "[{", "not valid JSON"),
        (
            "prd.json",
            r#"{"userStories": "all of them"}"#,
            "`userStories` is no list",
        ),
        (
            "prd.json",
            r#"{"userStories": [{"id": "a", "title": "t", "passes": "no"}]}"#,
            "`passes` of its first task",
        ),
        (
            "tasks/tasks.json",
            r#"{"tasks": [{"id": 1, "title": "t", "status": ["open"]}]}"#,
            "`status` of its first task",
        ),
        (".cub/tasks.jsonl", "{\"id\": 1", "not valid JSON"),
    ] {
        let place = Place::with(file, text);
        for wanted in [None, Some(file)] {
            let told = place.try_desk(wanted).err().unwrap().to_string();
            assert!(told.contains(file) && told.contains(why), "{told}");
        }
        // Another list further down is not taken in its place, and one before it is.
        place.write(
            "plan/feature_list.json",
            r#"[{"title": "t", "passes": false}]"#,
        );
        assert!(place.try_desk(None).is_err(), "{file}: {text}");
        if file != ".cub/tasks.jsonl" {
            let line = r#"{"id": "a", "title": "t", "status": "open"}"#;
            place.write(".cub/tasks.jsonl", line);
            assert_eq!(place.desk().name(), ".cub/tasks.jsonl");
        }
    }
}

/// The names of these files, and the words in them, are also those of other things.
#[test]
fn a_sound_document_that_is_no_list_is_passed_over() {
    for (file, text) in [
        (
            "prd.json",
            r#"{"title": "p", "features": {"core": ["fast"]}}"#,
        ),
        (
            "prd.json",
            r#"{"features": [{"name": "x", "status": {"a": 1}}]}"#,
        ),
        (
            "prd.json",
            r#"{"tasks": {"phase1": []}, "stories": "see wiki"}"#,
        ),
        ("tasks/tasks.json", r#"{"tasks": {"phase1": [{"id": 1}]}}"#),
        ("tasks/tasks.json", r#"{"features": "fast"}"#),
        ("feature_list.json", r#"{"tasks": {}, "userStories": 3}"#),
    ] {
        let place = Place::with(file, text);
        place.write("fix_plan.md", "- [ ] T-1 do it\n");
        assert_eq!(place.desk().name(), "fix_plan.md", "{file}: {text}");
    }
}

#[test]
fn a_mark_of_the_order_of_bytes_is_passed_over_and_stays() {
    for (file, text, closed) in [
        (
            "prd.json",
            "\u{feff}{\"userStories\": [{\"id\": \"a\", \"title\": \"t\", \"passes\": false}]}\r\n",
            ("false", "true"),
        ),
        (
            "feature_list.json",
            "\u{feff}[{\"id\": \"a\", \"title\": \"t\", \"passes\": false}]",
            ("false", "true"),
        ),
        ("fix_plan.md", "\u{feff}- [ ] **a**: t\n", ("[ ]", "[x]")),
    ] {
        let place = Place::with(file, text);
        let mut desk = place.desk();
        let id = desk.look(&at(0)).unwrap()[0].task.id.clone();
        let claimed = desk.claim(&id, &somebody("a"), &at(0)).unwrap();
        desk.done(&id, Some(claimed.fence), "seen", &at(1)).unwrap();
        let (open, done) = closed;
        assert_eq!(place.read(file), text.replacen(open, done, 1));
    }
}

#[test]
fn an_id_that_stands_there_twice_is_told() {
    let twins = r#"{"userStories": [{"id": "a", "title": "one", "passes": true},
        {"id": "b", "title": "two", "passes": false}, {"id": "a", "title": "three", "passes": false}]}"#;
    let place = Place::with("prd.json", twins);
    let told = place.desk().look(&at(0)).unwrap_err().to_string();
    assert!(
        told.contains("prd.json: two tasks there have the id `a`"),
        "{told}"
    );
    assert_eq!(place.read("prd.json"), twins);
}

#[test]
fn of_many_who_add_at_once_each_gets_an_id_of_its_own() {
    let place = Place::in_memory();
    let (root, own) = (place.root(), place.own());
    std::fs::create_dir_all(&own).unwrap();
    let places = fusebox_tasks::Places {
        root: &root,
        own: &own,
        path: None,
        actor: "x",
    };
    let ids: std::collections::BTreeSet<String> = std::thread::scope(|scope| {
        let adding: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let add = |_| fusebox_tasks::add(&places, "one more", None, 0).unwrap();
                    (0..5).map(add).collect::<Vec<_>>()
                })
            })
            .collect();
        let each = adding.into_iter().map(|adding| adding.join().unwrap());
        each.flatten().collect()
    });
    assert_eq!(ids.len(), 40, "{ids:?}");
    assert_eq!(place.desk().look(&at(0)).unwrap().len(), 40);
}
