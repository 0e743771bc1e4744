//! The list of features in all its shapes.

use super::*;
use FeatureStatus::{Blocked, Fail, InProgress, Pass, Pending};

const LIST: &str = r#"{"metadata": {"total_features": 3}, "features": [
  {"id": "FEATURE_001", "name": "Login", "status": "pass", "attempts": 1, "verification_results": {"functional": "pass"}},
  {"id": "FEATURE_002", "name": "Cart", "status": "fail", "attempts": 2, "implementation_notes": "Attempt 2 failed: no API", "dependencies": []},
  {"id": "FEATURE_003", "name": "Pay", "status": "blocked", "attempts": 3, "blocked_reason": "no key"}
]}"#;

#[test]
fn the_usual_shape_is_read() {
    let list = FeatureList::read(LIST).unwrap();
    assert_eq!(
        list.counts(),
        FeatureCounts {
            pass: 1,
            pending: 0,
            fail: 1,
            blocked: 1
        }
    );
    assert_eq!(
        list.features[1].notes.as_deref(),
        Some("Attempt 2 failed: no API")
    );
    assert!(list.has_work(), "two of three attempts are used");
    let used_up = FeatureList::read(&LIST.replace("\"attempts\": 2", "\"attempts\": 3")).unwrap();
    assert!(!used_up.has_work());
}

#[test]
fn drifted_shapes_are_understood() {
    for text in [
        r#"[{"id": 1, "status": "passed"}, {"id": 2, "passes": false}]"#,
        r#"{"features": {"1": {"status": "DONE"}, "2": {"status": "todo"}}}"#,
        r#"{"features": [{"feature_id": "1", "passes": true}, {"feature_id": "2"}]}"#,
        r#"{"features": [{"id": "1", "state": "Completed", "attempts": null}, {"id": "2", "status": null, "attempts": "2"}]}"#,
    ] {
        let list = FeatureList::read(text).unwrap();
        let found: Vec<_> = list
            .features
            .iter()
            .map(|f| (f.id.as_str(), f.status))
            .collect();
        assert_eq!(found, [("1", Pass), ("2", Pending)], "{text}");
    }
    for (word, status) in [
        ("In-Progress", InProgress),
        ("failing", Fail),
        ("skipped", Blocked),
        ("passing", Pass),
    ] {
        assert_eq!(FeatureStatus::of(word), Some(status));
    }
    let nameless = FeatureList::read(r#"[{"status": "pass"}, {}]"#).unwrap();
    assert_eq!(nameless.features[1].id, "#2");
}

#[test]
fn req_003_093_what_cannot_be_read_is_told_with_its_place() {
    for (text, what) in [
        ("", "JSON"),
        ("{\"features\": [", "JSON"),
        ("3", "not a list"),
        ("{}", "no `features`"),
        (r#"{"features": 3}"#, "not a list"),
        (r#"["a"]"#, "not a feature"),
        (r#"[{"id": "a", "id": "b"}]"#, "twice"),
        (r#"[{"id": "a"}, {"id": "a"}]"#, "twice"),
        (r#"[{"id": "a", "status": "purple"}]"#, "none that is known"),
        (r#"[{"id": "a", "attempts": []}]"#, "not a number"),
    ] {
        let wrong = FeatureList::read(text).unwrap_err();
        assert!(wrong.what.contains(what), "{text}: {}", wrong.what);
    }
}

#[test]
fn req_003_021_to_023_only_what_newly_passes_counts() {
    let list = |pairs: &[(&str, &str)]| {
        let items: Vec<String> = pairs
            .iter()
            .map(|(id, status)| format!(r#"{{"id":"{id}","status":"{status}"}}"#))
            .collect();
        FeatureList::read(&format!("[{}]", items.join(","))).unwrap()
    };
    let before = list(&[("a", "pass"), ("b", "fail"), ("c", "pending")]);
    for (after, expected) in [
        (list(&[("a", "pass"), ("b", "fail"), ("c", "pending")]), 0),
        (list(&[("a", "pass"), ("b", "pass"), ("c", "pending")]), 1),
        (list(&[("a", "fail"), ("b", "pass"), ("c", "pass")]), 2),
        (list(&[("c", "pending"), ("a", "pass")]), 0),
        (list(&[("a", "pass"), ("d", "pass")]), 1),
        // A new name for what passed is no success, and hides none.
        (list(&[("z", "pass"), ("b", "fail"), ("c", "pending")]), 0),
        (list(&[("z", "pass"), ("b", "pass"), ("c", "pending")]), 1),
        (list(&[("b", "pass"), ("c", "pending")]), 1),
        (list(&[("y", "pass"), ("z", "pass")]), 1),
    ] {
        assert_eq!(after.newly_passing(&before).len(), expected);
    }
}

#[test]
fn req_003_058_a_feature_is_blocked_and_every_other_byte_stays() {
    let list = FeatureList::read(LIST).unwrap();
    let blocked = list.block(LIST, "FEATURE_002", "needs \"a\" key").unwrap();
    let expected = LIST
        .replace(
            "\"Cart\", \"status\": \"fail\"",
            "\"Cart\", \"status\": \"blocked\"",
        )
        .replace(
            "\"dependencies\": []}",
            "\"dependencies\": [], \"blocked_reason\": \"needs \\\"a\\\" key\"}",
        );
    assert_eq!(blocked, expected);
    let again = list.block(LIST, "FEATURE_003", "x").unwrap();
    assert_eq!(again, LIST.replace("\"no key\"", "\"x\""));
    let bare = "[\n{ \"id\": \"a\" }, {}\n]";
    let list = FeatureList::read(bare).unwrap();
    let after = FeatureList::read(&list.block(bare, "a", "x").unwrap()).unwrap();
    assert_eq!(after.features[0].status, Blocked);
    assert_eq!(list.block(bare, "none", "x"), None);
}
