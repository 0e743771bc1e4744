use super::*;

lenient_object! {
    Sample<'a> {
        name: Text<'a>,
        list: Vec<Maybe<Count>>,
    }
    raw {
        #[serde(rename = "rawPart")]
        raw,
    }
}

lenient_object! {
    Count {
        count: u64,
    }
}

#[test]
fn a_field_of_another_type_does_not_spoil_its_neighbours() {
    let odd = [
        "7",
        "-7",
        "1.5",
        "1e300",
        "null",
        "true",
        r#""text""#,
        "[]",
        "[1,[2,{}]]",
        "{}",
        r#"{"count":{"count":[]}}"#,
    ];
    for value in odd {
        let json = format!(r#"{{"x":{value},"count":{value},"name":"n","rawPart":{value}}}"#);
        let sample: Sample<'_> = parse(&json).expect("an object");
        assert_eq!(sample.name.as_deref(), Some("n"), "{json}");
        assert_eq!(sample.raw.is_some(), value != "null", "{json}");
        let counted: Count = parse(&json).expect("an object");
        assert_eq!(counted.count, (value == "7").then_some(7), "{json}");
        let json = format!(r#"{{"name":{value},"list":[{value},{{"count":1}}]}}"#);
        let sample: Sample<'_> = parse(&json).expect("an object");
        assert_eq!(sample.name.is_some(), value.starts_with('"'), "{json}");
        let last = sample
            .list
            .and_then(|mut list| list.pop())
            .and_then(|last| last.0);
        assert_eq!(last.and_then(|last| last.count), Some(1), "{json}");
    }
}

#[test]
fn half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() {
    let table = [
        (r#"{"name":"a\ud83d|"}"#, Some("a\u{fffd}|")),
        (r#"{"name":"\ude00\ud83d\ude00"}"#, Some("\u{fffd}😀")),
        (r#"{"name":"\\ud83d \ud83d"}"#, Some("\\ud83d \u{fffd}")),
        (r#"{"name":"\ud83d\ud83d\ude00ü"}"#, Some("\u{fffd}😀ü")),
        (r#"{"name":"whole \ud83d\ude00"}"#, None),
        (r#"{"name":"\\ud83d"}"#, None),
        ("\\", None),
        ("\\u12", None),
    ];
    for (json, expected) in table {
        let mended = mended(json);
        let sample = mended
            .as_deref()
            .map(|json| parse::<Sample<'_>>(json).expect(json));
        let name = sample.and_then(|sample| sample.name);
        assert_eq!(name.as_deref(), expected, "{json}");
    }
}

#[test]
fn nesting_beyond_any_stack_is_passed_over() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let json = format!(r#"{{"rawPart":{deep},"list":[{deep}],"new":{deep},"name":"n"}}"#);
    let sample: Sample<'_> = parse(&json).expect("an object");
    assert_eq!(sample.name.as_deref(), Some("n"));
    assert_eq!(sample.raw.map(|raw| raw.get().len()), Some(200_000));
}

#[test]
fn a_line_that_is_broken_inside_is_not_half_believed() {
    let broken = [
        r#"{"list":[{"count":1}"#,
        r#"{"list":[{"count":"\ud83d"}],"name":"n"}"#,
        "{\"list\":[{\"x\":\"\u{1}\"}],\"name\":\"n\"}",
        r#"{"list":[{"count":1,"count":2}],"name":"n"}"#,
        r#"{"list":[{"count":1 "name":2}],"name":"n"}"#,
    ];
    for json in broken {
        assert!(parse::<Sample<'_>>(json).is_none(), "{json}");
    }
}
