//! What is changed, and that nothing else is.

use super::*;

fn plain(text: &str) -> Value {
    Value::Plain(text.to_owned())
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(
        entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    )
}

fn fill(document: &Document<'_>, key: &str, section: &str) -> String {
    document.place(key).unwrap().fill(document.text, section)
}

const BOARD: &str = "\
# A board. Größe: ✓
version: 1   # of the schema

anomalies:
- task: t-1     # zero indent
  details: {what: \"a: b\", n: 1}
- task: t-2
  note: |
    two
    lines

# Ours:
circuit_breaker:
  last_check: null  # never
  extra: [1, 2]
  history: []
# Theirs:
config: {a: 1}
";

#[test]
fn a_section_is_its_lines_and_the_rest_stays() {
    let document = Document::parse(BOARD).unwrap();
    let section = document.section("circuit_breaker").unwrap();
    assert_eq!(
        section,
        "circuit_breaker:\n  last_check: null  # never\n  extra: [1, 2]\n  history: []\n"
    );
    assert_eq!(fill(&document, "circuit_breaker", section), BOARD);
    assert_eq!(
        document.section("anomalies").unwrap().lines().last(),
        Some("    lines")
    );
    let anomalies = document.root().get("anomalies").unwrap().items().unwrap();
    assert_eq!(
        anomalies[1].get("note").unwrap().text(),
        Some("two\nlines\n")
    );
    assert_eq!(
        anomalies[0]
            .get("details")
            .unwrap()
            .get("what")
            .unwrap()
            .text(),
        Some("a: b")
    );
    assert_eq!(anomalies[1].line, 7);
    let with = fill(&document, "mine", "mine: 1\n");
    assert_eq!(with, format!("{BOARD}mine: 1\n"));
    for (text, expected) in [
        ("", "k: 1\n"),
        ("a: 1", "a: 1\nk: 1\n"),
        ("# only\n", "# only\nk: 1\n"),
    ] {
        let document = Document::parse(text).unwrap();
        assert_eq!(fill(&document, "k", "k: 1\n"), expected);
    }
}

#[test]
fn values_are_set_in_place_with_comments_and_neighbours_kept() {
    for (text, path, value, expected) in [
        (
            "a: 1 # c\nb: 2\n",
            &["a"][..],
            plain("9"),
            "a: 9 # c\nb: 2\n",
        ),
        (
            "a:\n  b: 1\n  # c\n  d: 2\n",
            &["a", "b"],
            Value::Null,
            "a:\n  b: null\n  # c\n  d: 2\n",
        ),
        ("a:\n", &["a", "b"], plain("1"), "a:\n  b: 1\n"),
        (
            "a: {x: 1, \"y z\": \"q\"}\n",
            &["a", "b"],
            plain("1"),
            "a:\n  x: 1\n  \"y z\": \"q\"\n  b: 1\n",
        ),
        (
            "a:\n    b: 1 # c\nz: 1\n",
            &["a", "n"],
            Value::Text("x\"\n".into()),
            "a:\n    b: 1 # c\n    n: \"x\\\"\\n\"\nz: 1\n",
        ),
        (
            "a:\n  t:\n    x: 1\n    y: 2\n  z: 3\n",
            &["a", "t"],
            Value::Null,
            "a:\n  t: null\n  z: 3\n",
        ),
        (
            "a:\n  t: null\n  z: 3\n",
            &["a", "t"],
            map(&[("x", plain("1")), ("y", plain("2"))]),
            "a:\n  t:\n    x: 1\n    y: 2\n  z: 3\n",
        ),
        (
            "a:\r\n  b: 1\r\n",
            &["a", "c"],
            plain("2"),
            "a:\r\n  b: 1\r\n  c: 2\r\n",
        ),
        (
            "a:\n  b: |\n    text\n\nc: 1\n",
            &["a", "b"],
            plain("x"),
            "a:\n  b: x\n\nc: 1\n",
        ),
        ("", &["a", "b"], plain("1"), "a:\n  b: 1\n"),
        (
            "a:\n  b: 1",
            &["a", "c"],
            plain("2"),
            "a:\n  b: 1\n  c: 2\n",
        ),
    ] {
        assert_eq!(set(text, path, &value).unwrap(), expected, "{text:?}");
    }
    assert!(set("a: word\n", &["a", "b"], &Value::Null).is_err());
}

#[test]
fn items_are_added_behind_the_last_at_its_dash() {
    let item = map(&[("x", plain("1")), ("y", Value::Null)]);
    for (text, expected) in [
        ("h: []\n", "h:\n  - x: 1\n    y: null\n"),
        ("h:\n", "h:\n  - x: 1\n    y: null\n"),
        (
            "h: [{a: 1}]\nz: 2\n",
            "h:\n  - a: 1\n  - x: 1\n    y: null\nz: 2\n",
        ),
        (
            "h:\n- a: 1 # c\n# d\nz: 2\n",
            "h:\n- a: 1 # c\n- x: 1\n  y: null\n# d\nz: 2\n",
        ),
        (
            "h:\n    -\n      a: 1\n",
            "h:\n    -\n      a: 1\n    - x: 1\n      y: null\n",
        ),
    ] {
        assert_eq!(push(text, &["h"], &item).unwrap(), expected, "{text:?}");
    }
    assert_eq!(
        push("a: 1\n", &["h"], &plain("w")).unwrap(),
        "a: 1\nh:\n  - w\n"
    );
}

#[test]
fn what_is_not_sound_is_told_with_its_line() {
    for (text, line, what) in [
        (
            "a: 1\nb: 2\na: 3\n",
            3,
            "`a` is there twice, first on line 1",
        ),
        ("a:\n  x: 1\n  x: 1\n", 3, "twice"),
        ("a:\n\tb: 1\n", 2, "tab"),
        ("a: \"x\n", 1, "end of stream"),
        ("a: [1,\n", 2, ""),
        ("a: 1\n---\nb: 1\n", 2, "second document"),
        ("? [a]\n: 1\n", 1, "not a single word"),
    ] {
        let broken = Document::parse(text).unwrap_err();
        assert_eq!(broken.line, line, "{text:?}: {broken}");
        assert!(broken.what.contains(what), "{text:?}: {broken}");
    }
    let deep = "[".repeat(100) + &"]".repeat(100);
    assert!(Document::parse(&deep).unwrap_err().what.contains("deeply"));
    let flows = Document::parse("{a: 1}\n").unwrap();
    assert!(flows.place("b").is_err());
    let alias = Document::parse("a: &x 1\nb: *x\n").unwrap();
    assert!(matches!(alias.root().get("b").unwrap().kind, Kind::Alias));
}

#[test]
fn whatever_a_text_holds_it_is_read_back_as_it_was() {
    for text in [
        "",
        "a\"b\\c",
        "#x",
        "null",
        "2025-01-01",
        "line\nline\r\n\t",
        "\u{1b}[31m\u{2028}",
        "ä✓🚨",
        "- a: b",
        &fusebox_core::hostile().collect::<String>(),
    ] {
        let written = format!("k: {}\n", quoted(text));
        let acts = |c: char| fusebox_core::is_hostile(c) && c != '\n';
        assert!(!written.contains(acts), "{written}");
        assert_eq!(written.lines().count(), 1, "{text:?}");
        let document = Document::parse(&written).unwrap();
        assert_eq!(
            document.root().get("k").unwrap().text(),
            Some(text),
            "{written}"
        );
    }
}

proptest::proptest! {
    /// Setting and adding change what was asked for, whatever else there is.
    #[test]
    fn edits_come_out_as_asked(words in proptest::collection::vec("[a-y]{1,6}", 1..6), nest in proptest::bool::ANY) {
        let mut text = String::new();
        let mut names: Vec<&String> = words.iter().collect();
        names.sort();
        names.dedup();
        for name in &names {
            text.push_str(&if nest { format!("{name}:\n  - {name}: 1 # c\n") } else { format!("{name}: {{v: \"{name}\"}}\n\n") });
        }
        let item = map(&[("stamp", plain("1"))]);
        let first = names[0].as_str();
        let pushed = push(&text, &["zz", "list"], &item).unwrap();
        let twice = push(&pushed, &["zz", "list"], &item).unwrap();
        let changed = set(&twice, &[first], &plain("w")).unwrap();
        let document = Document::parse(&changed).unwrap();
        proptest::prop_assert_eq!(document.root().get(first).unwrap().text(), Some("w"));
        proptest::prop_assert_eq!(document.root().get("zz").unwrap().get("list").unwrap().items().unwrap().len(), 2);
        for name in &names[1..] {
            let before = Document::parse(&text).unwrap();
            proptest::prop_assert_eq!(document.section(name), before.section(name));
        }
    }
}

/// Where a collection begins there may be an anchor or a tag, and its bracket only later.
#[test]
fn brackets_behind_anchors_and_tags_are_brackets() {
    for before in [
        "a: &x [1,\n 2]\n",
        "a: !t [1,\n 2]\n",
        "a: &x {b: 1,\n c: 2}\n",
    ] {
        let set = set(before, &["status"], &plain("OK")).unwrap();
        assert_eq!(set, format!("{before}status: OK\n"));
    }
    let braces = "&x {a: 1}\n";
    assert!(Document::parse(braces).unwrap().place("b").is_err());
    assert_eq!(set(braces, &["b"], &plain("2")).unwrap(), "a: 1\nb: 2\n");
    let pushed = push("a: &x [1]\n", &["a"], &plain("2")).unwrap();
    let document = Document::parse(&pushed).unwrap();
    assert_eq!(document.root().get("a").unwrap().items().unwrap().len(), 2);
}

#[test]
fn what_others_refer_to_is_not_taken_away() {
    let text = "a: &x 1\nb: *x\n";
    assert!(set(text, &["a"], &plain("2")).is_err());
    assert!(set(text, &["c"], &plain("2")).is_ok());
}

#[test]
fn only_line_feeds_end_lines() {
    let mixed = set("a: 1\r\nb: 2\n", &["c"], &plain("3")).unwrap();
    assert_eq!(mixed, "a: 1\r\nb: 2\nc: 3\r\n");
    let refused = Document::parse("a: 1\nb: 1\rc: 2\n").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "line 2: a carriage return stands alone"
    );
}

/// What other languages take for a blank is a part of the value here.
#[test]
fn odd_blanks_belong_to_what_is_replaced() {
    for odd in ["O\u{b} # mine", "O\u{a0}", "O\u{2028} # mine"] {
        let text = format!("status: {odd}\n");
        let set = set(&text, &["status"], &plain("OK")).unwrap();
        let document = Document::parse(&set).unwrap();
        let status = document.root().get("status").and_then(Node::text);
        assert_eq!(status, Some("OK"), "{set:?}");
    }
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let refused = set("c:\n?  \n  ours\n?:\n ", &["ours", "status"], &plain("OK")).unwrap_err();
    assert!(
        refused.what.contains("`ours.status` cannot be set"),
        "{refused}"
    );
}

/// What others write may be long. It must be sound, but it is not held in memory.
#[test]
fn of_a_long_document_only_what_is_wanted_is_kept() {
    let many = "  - x\n".repeat(read::MOST_KEPT + 1);
    let text =
        format!("a:\n  - 1\n  - {{b: 2}}\nlong:\n{many}own:\n  status: OK # so it is\nlast: 1\n");
    let wanted = |section: &str| match section {
        "a" => Wanted::Items,
        "own" => Wanted::Whole,
        _ => Wanted::Nothing,
    };
    let mut lines = Vec::new();
    let document = Document::parse_parts(&text, &wanted, &mut |node| {
        lines.push((node.line, node.get("b").and_then(Node::text) == Some("2")));
        Ok(())
    })
    .unwrap();
    assert_eq!(lines, [(2, false), (3, true)]);
    let root = document.root();
    assert!(root.get("a").unwrap().items().unwrap().is_empty());
    for passed in ["long", "last"] {
        assert!(
            matches!(root.get(passed).unwrap().kind, Kind::Passed),
            "{passed}"
        );
    }
    assert_eq!(
        document.section("own"),
        Some("own:\n  status: OK # so it is\n")
    );
    assert_eq!(
        document.section("long").unwrap().len(),
        "long:\n".len() + many.len()
    );
    let refused = Document::parse(&text).unwrap_err();
    assert!(refused.what.contains("have to be kept"), "{refused}");
}

#[test]
fn what_is_not_wanted_must_be_sound_all_the_same() {
    for (text, line, what) in [
        ("a:\n  x: 1\n  y: {z: 1}\n  x: 1\n", 4, "`x` is there twice"),
        ("a: 1\nb: 2\na: 3\n", 3, "`a` is there twice"),
        ("a:\n  ? [b]\n  : 1\n", 2, "not a single word"),
        ("a: [1,\n", 2, ""),
    ] {
        let nothing = |_: &str| Wanted::Nothing;
        let broken = Document::parse_parts(text, &nothing, &mut |_| Ok(())).unwrap_err();
        assert_eq!(broken.line, line, "{text:?}: {broken}");
        assert!(broken.what.contains(what), "{text:?}: {broken}");
    }
}
