//! Whatever is not ours stays as it was, byte for byte.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Json, JsonError};

fn text(json: Json) -> String {
    String::from_utf8(json.into_bytes()).expect("text")
}

fn parsed(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect(text)
}

fn is_ours(value: &Value) -> bool {
    value["by"] == "us"
}

fn with_ours(before: &str) -> String {
    let json = parsed(before);
    json.push(&["hooks", "Stop"], &json!({"by": "us", "n": 1}))
        .expect(before);
    text(json)
}

fn without_ours(before: &str) -> String {
    let json = parsed(before);
    json.remove_elements("hooks", &is_ours).expect(before);
    text(json)
}

#[test]
fn comments_order_indentation_and_line_ends_stay() {
    for (before, after) in [
        (
            "{\n  // why\n  \"b\": 1,\n  \"a\": [2, 3] /* two */\n}\n",
            "{\n  // why\n  \"b\": 1,\n  \"a\": [2, 3], /* two */\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"by\": \"us\",\n        \"n\": 1\n      }\n    ]\n  }\n}\n",
        ),
        (
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"by\": \"you\"}, // mine\n\t\t],\n\t},\n}",
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"by\": \"you\"}, // mine\n\t\t\t{\n\t\t\t\t\"by\": \"us\",\n\t\t\t\t\"n\": 1,\n\t\t\t},\n\t\t],\n\t},\n}",
        ),
        (
            "{\r\n  \"a\": 1\r\n}\r\n",
            "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"Stop\": [\r\n      {\r\n        \"by\": \"us\",\r\n        \"n\": 1\r\n      }\r\n    ]\r\n  }\r\n}\r\n",
        ),
    ] {
        assert_eq!(with_ours(before), after);
        assert_eq!(
            without_ours(&with_ours(before)).parse::<Value>().ok(),
            before.parse::<Value>().ok()
        );
    }
}

#[test]
fn a_byte_order_mark_stays_and_nothing_is_an_empty_object() {
    assert!(with_ours("\u{feff}{}").starts_with("\u{feff}{"));
    assert_eq!(parsed(&with_ours("")).value()["hooks"]["Stop"][0]["n"], 1);
}

#[test]
fn what_was_emptied_by_removing_goes_and_what_was_empty_stays() {
    for (before, after) in [
        (r#"{"a":1,"hooks":{"Stop":[{"by":"us"}]}}"#, json!({"a": 1})),
        (
            r#"{"hooks":{"Stop":[{"by":"us"}],"Start":[]}}"#,
            json!({"hooks": {"Start": []}}),
        ),
        (
            r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"by":"us"},{"by":"you"}]}]}}"#,
            json!({"hooks": {"Stop": [{"matcher": "*", "hooks": [{"by": "you"}]}]}}),
        ),
        (r#"{"hooks":{}}"#, json!({"hooks": {}})),
        (
            r#"{"other":[{"by":"us"}]}"#,
            json!({"other": [{"by": "us"}]}),
        ),
    ] {
        let without = without_ours(before);
        assert_eq!(parsed(&without).value(), after, "{before}");
    }
}

#[test]
fn what_cannot_be_changed_safely_is_refused() {
    let push = |text: &str| {
        let json = Json::parse(text.as_bytes())?;
        json.push(&["hooks", "Stop"], &json!(1))
    };
    assert!(matches!(push("{\"a\": }"), Err(JsonError::NotJson(_))));
    assert!(matches!(push("{'a': 1}"), Err(JsonError::NotJson(_))));
    assert!(matches!(push("[]"), Err(JsonError::Misfit { .. })));
    assert!(matches!(
        push(r#"{"hooks": 3}"#),
        Err(JsonError::Misfit { .. })
    ));
    assert!(matches!(
        push(r#"{"hooks": {"Stop": {}}}"#),
        Err(JsonError::Misfit { .. })
    ));
    assert_eq!(
        push(r#"{"hooks": {}, "hooks": {}}"#),
        Err(JsonError::Twice("hooks".to_owned()))
    );
    assert!(matches!(
        push(&"[".repeat(100_000)),
        Err(JsonError::NotJson(_))
    ));
    assert_eq!(
        Json::parse(b"{\"a\": \"\xff\"}").err(),
        Some(JsonError::NotText)
    );
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\/{}\u{e9}\n ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let keys = "[a-z]{1,3}";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_object_keeps_its_values_and_its_text(
        map in prop::collection::btree_map("[a-z]{1,4}", any_value(), 0..5),
        pretty in any::<bool>(),
    ) {
        let value = Value::Object(map.into_iter().filter(|(key, _)| key != "hooks").collect());
        let before = if pretty { format!("{value:#}") } else { value.to_string() };
        prop_assert_eq!(&text(parsed(&before)), &before);
        let with = with_ours(&before);
        let mut expected = value.clone();
        expected["hooks"]["Stop"] = json!([{"by": "us", "n": 1}]);
        prop_assert_eq!(parsed(&with).value(), expected);
        prop_assert_eq!(parsed(&without_ours(&with)).value(), value);
    }
}
