use super::*;

#[test]
fn one_value_changes_and_every_other_byte_stays() {
    for (text, key, value, expected) in [
        (
            r#"{"a" : 1 ,"b":[ 2 ]}"#,
            "a",
            "9",
            r#"{"a" : 9 ,"b":[ 2 ]}"#,
        ),
        (
            "{\n\t\"a\": 1\n}",
            "b",
            "\"x\"",
            "{\n\t\"a\": 1,\n\t\"b\": \"x\"\n}",
        ),
        (r#"{"a":1}"#, "b", "2", r#"{"a":1,"b":2}"#),
        (r#"{"q\"x\\": 1}"#, "b", "2", r#"{"q\"x\\": 1,"b": 2}"#),
        ("{ \n}", "b", "true", r#"{ "b": true }"#),
        (r#"{"a": 1, "a": 2}"#, "a", "3", r#"{"a": 1, "a": 3}"#),
        (
            "{\r\n  \"a\": \"ü:\"\r\n}",
            "b",
            "1",
            "{\r\n  \"a\": \"ü:\",\r\n  \"b\": 1\r\n}",
        ),
    ] {
        let object: &RawValue = serde_json::from_str(text).unwrap();
        let cut = put(text, object, key, value).unwrap();
        assert_eq!(splice(text, vec![cut]), expected, "{text}");
    }
}

#[test]
fn a_path_leads_to_a_value_and_all_around_it_stays() {
    let text = "{\r\n\t\"mine\" : 1,\r\n\t\"b\":  {\"x\":2 , \"theirs\": [ ]}\r\n}\r\n";
    for (path, value, expected) in [
        (&["mine"][..], "3", text.replace(": 1", ": 3")),
        (&["mine"], "1.0", text.replace(": 1", ": 1.0")),
        (&["mine"], " 1", text.to_owned()),
        (&["b", "x"], "7", text.replace("\"x\":2", "\"x\":7")),
        (
            &["b", "y"],
            "true",
            text.replace("[ ]}", "[ ], \"y\": true}"),
        ),
        (
            &["c"],
            "{\n}",
            text.replace("[ ]}\r\n", "[ ]},\r\n\t\"c\":  {\r\n}\r\n"),
        ),
        (&["mine", "z"], "0", text.replace(": 1", ": { \"z\": 0 }")),
    ] {
        assert_eq!(set(text, path, value).unwrap(), expected, "{path:?}");
    }
    assert_eq!(set("{}", &["a"], "1").unwrap(), "{ \"a\": 1 }");
    assert!(set("{\"a\": 1", &["a"], "2").is_err(), "half a text");
    assert!(set("[]", &["a"], "2").is_err(), "no object");
}

#[test]
fn a_list_grows_at_its_end_and_forgets_its_beginning() {
    assert_eq!(push("[]", "1", 3).unwrap(), "[\n    1\n  ]");
    assert_eq!(push("[ 1,  2]", "3", 3).unwrap(), "[ 1,  2, 3]");
    assert_eq!(push("[ 1,  2]", "3", 2).unwrap(), "[ 2, 3]");
    assert_eq!(push("[1, 2, 3, 4]", "5", 2).unwrap(), "[4,5]");
    assert_eq!(push("[1]", "5", 1).unwrap(), "[\n    5\n  ]");
    assert_eq!(push("\r[  1]", "2", 3).unwrap(), "\r[  1,  2]");
    assert_eq!(push("{}", "1", 3), None);
}

#[test]
fn a_list_is_found_in_one_go_as_it_would_be_in_two() {
    for text in [
        r#"{"before": {"tasks": [0]}, "tasks": [ 1, {"a": "b"} ], "after": 2}"#,
        r#"{"tasks": [1], "tasks": [2, 3]}"#,
        r#"{"tasks": {"no": "list"}}"#,
        r#"{"tasks": []}"#,
        r#"{"other": 1}"#,
        r#"{"tasks": [1]} and more"#,
        r#"{"tasks": [1}"#,
        r#"{"t\u0061sks": [4]}"#,
        "[1]",
        "",
    ] {
        let in_two = Object::parse(text).ok().and_then(|all| all.get("tasks"));
        let in_two: Option<Vec<&RawValue>> = in_two;
        let found = list_of(text, "tasks");
        assert_eq!(format!("{found:?}"), format!("{in_two:?}"), "{text}");
    }
}
