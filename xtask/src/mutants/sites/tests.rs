//! Small sources in, what is compiled in their stead out.

use super::super::rewriting::{Of, Rewritten};
use super::*;

/// Rewrites a source with mutants at these words: the genre, the word before which the
/// mutant begins (the first such), and what is put there.
fn rewritten(source: &str, mutants: &[(Genre, &str, &str)]) -> Rewritten {
    let mutants: Vec<Mutant> = mutants
        .iter()
        .map(|(genre, word, replacement)| {
            let before = &source[..source.find(word).expect("the word is there")];
            let line = before.rsplit('\n').next().unwrap_or(before);
            let at = (before.lines().count().max(1), line.chars().count() + 1);
            Mutant {
                name: String::new(),
                file: "a.rs".into(),
                genre: *genre,
                at,
                replacement: (*replacement).to_owned(),
            }
        })
        .collect();
    let sites = find(source, mutants.iter().enumerate()).unwrap();
    Rewritten::of(source, &sites)
}

#[test]
fn each_kind_of_change_becomes_a_choice() {
    use Genre::*;
    for (source, mutants, expected) in [
        (
            "fn f() -> u8 { #![allow(a)] g(); 1 }",
            &[(FnValue, "g()", "0"), (FnValue, "g()", "7")][..],
            "fn f() -> u8 { #![allow(a)] match crate::mutant::active(0) { 0 => return 0, \
            1 => return 7, _ => {} }; g(); 1 }",
        ),
        (
            "fn f() -> bool { a < b + 1 }",
            &[(BinaryOperator, "<", "=="), (BinaryOperator, "<", "<=")],
            "fn f() -> bool { (match crate::mutant::active(0) { 0 => a == b + 1, \
            1 => (a) <= b + 1, _ => a < b + 1 }) }",
        ),
        (
            "fn f() { x.y += 2; }",
            &[(BinaryOperator, "+=", "-=")],
            "fn f() { (match crate::mutant::active(0) { 0 => x.y -= 2, _ => x.y += 2 }); }",
        ),
        (
            "fn f() { g(!a.b()); }",
            &[(UnaryOperator, "!", "")],
            "fn f() { g((match crate::mutant::active(0) { 0 => a.b(), _ => !a.b() })); }",
        ),
        (
            "fn f() { match a { B | C => d(), _ => e() } }",
            &[(MatchArm, "B |", "")],
            "fn f() { match a { B | C if crate::mutant::active(0) != 0 => d(), _ => e() } }",
        ),
        (
            "fn f() { match a { B(c) if d(c) => e, _ => g } }",
            &[
                (MatchArmGuard, "d(", "true"),
                (MatchArmGuard, "d(", "false"),
            ],
            "fn f() { match a { B(c) if (match crate::mutant::active(0) { 0 => true, \
            1 => false, _ => d(c) }) => e, _ => g } }",
        ),
        (
            "fn f() { S { a: 1, b, ..c } }",
            &[(StructField, "a:", ""), (StructField, "b,", "")],
            "fn f() { (match crate::mutant::active(0) { 0 => S {  b, ..c }, 1 => S { a: 1,  ..c }, \
            _ => S { a: 1, b, ..c } }) }",
        ),
    ] {
        assert_eq!(rewritten(source, mutants).text, expected, "{source}");
    }
}

#[test]
fn a_mutant_is_a_copy_of_what_was_and_never_holds_another() {
    let nested = [
        (Genre::FnValue, "a && b", "true"),
        (Genre::BinaryOperator, "&&", "||"),
        (Genre::BinaryOperator, "==", "!="),
        (Genre::UnaryOperator, "!", ""),
    ];
    let rewritten = rewritten("fn f() -> bool { a && b == !c }", &nested);
    assert_eq!(
        rewritten.text,
        "fn f() -> bool { match crate::mutant::active(0) { 0 => return true, _ => {} }; \
        (match crate::mutant::active(1) { 1 => a || b == !c, _ => a && \
        (match crate::mutant::active(2) { 2 => b != !c, _ => b == \
        (match crate::mutant::active(3) { 3 => c, _ => !c }) }) }) }"
    );
    for mark in &rewritten.marks {
        let marked = &rewritten.text[mark.range.clone()];
        match &mark.of {
            Of::Mutant(2) => assert_eq!(marked, "2 => b != !c"),
            Of::Site(mutants) if *mutants == [3] => {
                assert!(marked.starts_with("(match") && marked.ends_with("_ => !c })"));
            }
            _ => {}
        }
    }
    assert_eq!(
        rewritten.marks.len(),
        9,
        "four mutants, four sites, one body"
    );
}

#[test]
fn what_would_not_compile_is_left_but_what_is_within_is_not() {
    let source = "fn f() { if let Some(a) = b && a < c {} }";
    let mutants = [
        (Genre::BinaryOperator, "&&", "||"),
        (Genre::BinaryOperator, "<", ">"),
    ];
    assert_eq!(
        rewritten(source, &mutants).text,
        "fn f() { if let Some(a) = b && (match crate::mutant::active(1) { 1 => a > c, _ => a < c }) \
        {} }"
    );
    let incomplete = "fn f() { match a { B => c, _ if d => e, C => g } }";
    let deletion = [(Genre::MatchArm, "B", "")];
    assert_eq!(rewritten(incomplete, &deletion).text, incomplete);
    let guarded = "fn f() { match a { B(c) if let Some(d) = c => e, _ => g } }";
    let guards = [(Genre::MatchArmGuard, "let", "true")];
    assert_eq!(rewritten(guarded, &guards).text, guarded);
}

#[test]
fn nothing_asks_while_compiling() {
    let plus = [(Genre::BinaryOperator, "+", "-")];
    for source in [
        "const A: u8 = 1 + 2;",
        "static A: u8 = 1 + 2;",
        "const fn f() -> u8 { 1 + 2 }",
        "fn f() { let a = [0; 1 + 2]; }",
        "fn f() { let a: [u8; 1 + 2]; }",
        "fn f() { const { 1 + 2 } }",
        "enum E { A = 1 + 2 }",
        "impl S { const A: u8 = 1 + 2; }",
    ] {
        assert_eq!(rewritten(source, &plus).text, source);
    }
}

#[test]
fn a_function_that_hides_its_type_returns_only_its_own() {
    let source = "fn f() -> impl Iterator<Item = u8> { a() }";
    let nothing = [(Genre::FnValue, "a()", "::std::iter::empty()")];
    assert_eq!(rewritten(source, &nothing).text, source);
}

#[test]
fn letters_of_more_than_a_byte_do_not_shift_anything() {
    let source = "fn f() {\n    g(\"ä…\"); h(\"ö\", a == b);\n}";
    let equal = [(Genre::BinaryOperator, "==", "!=")];
    let expected = "fn f() {\n    g(\"ä…\"); h(\"ö\", (match crate::mutant::active(0) \
        { 0 => a != b, _ => a == b }));\n}";
    assert_eq!(rewritten(source, &equal).text, expected);
}
