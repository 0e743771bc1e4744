//! Errors of compilers and interpreters.

use fusebox_evidence::{Stage, read};

use crate::support::fixture;

#[test]
fn errors_are_found_with_their_type_and_place() {
    use Stage::{Building, Running};
    for (name, stage, expected) in [
        (
            "cargo_build_error.txt",
            Building,
            &[("E0277", "cannot add `&str` to `u32`", "src/lib.rs", 7)][..],
        ),
        (
            "gcc.txt",
            Building,
            &[("", "expected ‘,’ or ‘;’ before ‘undefined_fn’", "c/a.c", 4)],
        ),
        (
            "tsc.txt",
            Building,
            &[
                (
                    "TS2322",
                    "Type 'string' is not assignable to type 'number'.",
                    "ts/a.ts",
                    1,
                ),
                ("TS2304", "Cannot find name 'nothing'.", "ts/a.ts", 1),
            ],
        ),
        (
            "tsc_pretty.txt",
            Building,
            &[
                (
                    "TS2322",
                    "Type 'string' is not assignable to type 'number'.",
                    "ts/a.ts",
                    1,
                ),
                ("TS2304", "Cannot find name 'nothing'.", "ts/a.ts", 1),
            ],
        ),
        (
            "go_build_error.txt",
            Building,
            &[
                ("", "undefined: nothing", "./bad.go", 2),
                (
                    "",
                    "syntax error: unexpected EOF, expecting )",
                    "other/o.go",
                    3,
                ),
                ("", "method has no receiver", "other/o.go", 3),
            ],
        ),
        (
            "python_traceback.txt",
            Running,
            &[(
                "ModuleNotFoundError",
                "No module named 'nothing_like_it'",
                "/home/me/py2/test_import.py",
                1,
            )],
        ),
        (
            "python_syntax.txt",
            Building,
            &[("SyntaxError", "invalid syntax", "/home/me/py2/s.py", 1)],
        ),
    ] {
        let problems = read(&fixture(name)).problems;
        let total = u32::try_from(expected.len()).unwrap();
        let counted = match stage {
            Building => (total, 0),
            Running => (0, total),
        };
        assert_eq!((problems.building, problems.running), counted, "{name}");
        for (found, (kind, message, file, line)) in problems.kept.iter().zip(expected) {
            assert_eq!(found.stage, stage, "{name}");
            assert_eq!(found.kind.as_deref().unwrap_or_default(), *kind, "{name}");
            assert_eq!(found.message, *message, "{name}");
            assert_eq!(found.file.as_deref(), Some(*file), "{name}");
            assert_eq!(found.line, Some(*line), "{name}");
        }
    }
}

#[test]
fn test_failures_and_warnings_are_no_build_errors() {
    for name in [
        "cargo_failed.txt",
        "nextest_failed.txt",
        "jest_failed.txt",
        "vitest_failed.txt",
        "go_failed.txt",
        "go_verbose.txt",
        "go_json.txt",
        "node_tap.txt",
    ] {
        assert_eq!(read(&fixture(name)).problems.building, 0, "{name}");
    }
}

#[test]
fn chained_tracebacks_end_in_one_error() {
    let output = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n\
                  KeyError: 'x'\n\nDuring handling of the above exception, another exception \
                  occurred:\n\nTraceback (most recent call last):\n  File \"b.py\", line 2, in h\n\
                  \x20   raise ValueError\nValueError\n";
    let problems = read(output.as_bytes()).problems;
    assert_eq!(problems.running, 1);
    assert_eq!(problems.kept[0].kind.as_deref(), Some("ValueError"));
    assert_eq!(problems.kept[0].file.as_deref(), Some("b.py"));
}

#[test]
fn go_events_hold_what_the_compiler_printed() {
    let output = concat!(
        r##"{"ImportPath":"p","Action":"build-output","Output":"# p\n"}"##,
        "\n",
        r#"{"ImportPath":"p","Action":"build-output","Output":"./a.go:3:4: undefined: b\n"}"#,
        "\n",
        r#"{"Action":"fail","Package":"p","Elapsed":0}"#,
        "\n"
    );
    let reading = read(output.as_bytes());
    assert_eq!(reading.tests.as_ref().unwrap().failed, 1);
    assert_eq!(reading.problems.building, 1);
    let finding = &reading.findings()[0];
    assert_eq!(finding.message, "undefined: b");
    assert_eq!(
        (finding.file.as_deref(), finding.line),
        (Some("./a.go"), Some(3))
    );
}
