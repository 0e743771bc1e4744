//! Input that is hostile, broken or huge: an answer in time, and never consent for want of one.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::workspace::Workspace;
use fusebox_guard::{Decision, Guard, Limits, Protected, Stop};
use proptest::prelude::*;

fn with_default_limits(workspace: &Workspace) -> Guard {
    Guard::new(Protected::new(workspace.path()))
}

/// One workspace for all the cases of a property: nothing is changed in it.
fn shared() -> &'static Workspace {
    static SHARED: OnceLock<Workspace> = OnceLock::new();
    SHARED.get_or_init(Workspace::new)
}

#[test]
fn what_is_too_long_too_deep_or_no_text_is_denied_in_time() {
    let workspace = Workspace::new();
    let guard = with_default_limits(&workspace);
    let heredoc = format!(
        "cat <<'EOF' > build/x\n{}EOF\n",
        "a line of text\n".repeat(20_000)
    );
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "300 KB",
            format!("rm -rf specs #{}", "x".repeat(300 * 1024)).into_bytes(),
        ),
        ("nested substitutions", "$(".repeat(20_000).into_bytes()),
        (
            "closed substitutions",
            ["$(".repeat(20_000), ")".repeat(20_000)]
                .concat()
                .into_bytes(),
        ),
        ("braces", "{ ".repeat(20_000).into_bytes()),
        ("here-document", heredoc.into_bytes()),
        ("invalid UTF-8", b"rm -rf \xff\xfe specs".to_vec()),
        ("pipes", "a|".repeat(20_000).into_bytes()),
        ("ands", "a&&".repeat(20_000).into_bytes()),
        (
            "arguments",
            format!("rm -rf specs {}", "x ".repeat(100_000)).into_bytes(),
        ),
        (
            "brace product",
            format!("echo {}; rm -rf specs", "{a,b}".repeat(60)).into_bytes(),
        ),
        ("unclosed quote", b"rm -rf specs '".to_vec()),
        ("recursion", b"f() { f; f; }; f; rm -rf specs".to_vec()),
        (
            "script that runs itself",
            b"echo 'sh build/me.sh; sh build/me.sh' > build/me.sh; sh build/me.sh; rm -rf specs"
                .to_vec(),
        ),
    ];
    for (name, command) in cases {
        let begun = Instant::now();
        let verdict = guard.judge_command(&command, workspace.path());
        assert!(
            begun.elapsed() < Duration::from_secs(4),
            "{name}: {:?}",
            begun.elapsed()
        );
        assert_eq!(verdict.decision, Decision::Deny, "{name}");
    }
}

/// A few lines of a program that stand for names without end are followed as far as they can be.
#[test]
fn names_that_a_program_multiplies_are_judged_in_time() {
    let workspace = Workspace::new();
    let guard = with_default_limits(&workspace);
    let names: Vec<String> = (0..64).map(|n| format!("'n{n}'")).collect();
    let names = names.join(", ");
    let doubled = |open: &str| -> String {
        let lines = (1..40).map(|n| format!("{open}x{n} = x{0}+x{0};\n", n - 1));
        lines.collect()
    };
    let filled: String = (1..40)
        .map(|n| format!("x{n} = f'{{x{0}}}{{x{0}}}'\n", n - 1))
        .collect();
    let spelled: String = (1..40)
        .map(|n| format!("x{n} = '%s%s' % (x{0}, x{0})\n", n - 1))
        .collect();
    let programs = [
        (
            "python3",
            "py",
            format!("import os\nfor a in [{names}]:\n    os.remove(a + a + a + a)\n"),
        ),
        (
            "python3",
            "py",
            format!(
                "import os\nx0='aaaaaaaaaa'\n{}os.remove(x39)\n",
                doubled("")
            ),
        ),
        (
            "python3",
            "py",
            format!("import os\nx0='aaaaaaaaaa'\n{filled}os.remove(x39)\n"),
        ),
        (
            "python3",
            "py",
            format!("import os\nx0='aaaaaaaaaa'\n{spelled}os.remove(x39)\n"),
        ),
        (
            "node",
            "js",
            format!(
                "const fs = require('fs');\nlet x0 = 'aaaaaaaaaa';\n{}fs.rmSync(x39);\n",
                doubled("let ")
            ),
        ),
        (
            "node",
            "js",
            format!(
                "const fs = require('fs');\nfor (const a of [{names}]) fs.rmSync(`${{a}}` + a + a + a + a);\n"
            ),
        ),
    ];
    for (interpreter, extension, program) in programs {
        let file = format!("build/grows.{extension}");
        std::fs::write(workspace.path().join(&file), &program).expect("a program");
        for command in [
            format!("{interpreter} - <<'END'\n{program}END\n"),
            format!("{interpreter} {file}"),
            format!("{interpreter} {file}; rm -rf specs"),
        ] {
            let begun = Instant::now();
            let verdict = guard.judge_command(command.as_bytes(), workspace.path());
            let took = begun.elapsed();
            assert!(took < Duration::from_secs(4), "{took:?}: {command}");
            if command.ends_with("specs") {
                assert_eq!(verdict.decision, Decision::Deny, "{command}");
            }
        }
    }
    // What is known of the names by their beginning is still judged.
    let begun = format!(
        "python3 - <<'END'\nimport os\nfor a in ['specs/a', {names}]:\n    os.remove(a + a + a + a)\nEND\n"
    );
    let verdict = guard.judge_command(begun.as_bytes(), workspace.path());
    assert_eq!(verdict.decision, Decision::Deny);
}

/// What is followed on the caller's own stack must fit on it, whatever it is made of. An
/// overflow would end this test's process; an agent would take that for consent.
#[test]
fn an_ordinary_command_fits_on_an_ordinary_stack() {
    let workspace = Workspace::new();
    let guard = with_default_limits(&workspace);
    let wraps: [(&str, &str); 8] = [
        ("echo $(", ")"),
        ("echo `", "`"),
        ("(", ")"),
        ("{ ", "; }"),
        ("if ", "; then a; fi"),
        ("while ", "; do a; done"),
        ("for i in a; do ", "; done"),
        ("bash -c '", "'"),
    ];
    let mut commands: Vec<String> = [
        "a|", "a&&", "a;", "! ", "a||", "x=$y", "<a ", "a{b,c}", "$((1))", "'a'b",
    ]
    .iter()
    .map(|part| format!("{}rm -rf specs", part.repeat(8_000 / part.len())))
    .collect();
    for (open, close) in wraps {
        for depth in 1..12 {
            let wrap = |inner: String, _| format!("{open}{inner}{close}");
            commands.push((0..depth).fold("rm -rf specs".to_owned(), wrap));
        }
    }
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let path = workspace.path().to_owned();
    let judged = small.spawn(move || {
        for command in &commands {
            let verdict = guard.judge_command(command.as_bytes(), &path);
            let shown: String = command.chars().take(60).collect();
            assert_ne!(verdict.stopped, Some(Stop::Failed), "{shown}");
        }
    });
    judged.expect("a thread").join().expect("every answer");
}

#[test]
fn a_deadline_that_has_passed_denies_and_is_told_from_the_commands_own_fault() {
    let workspace = Workspace::new();
    let limits = Limits {
        cpu: Duration::ZERO,
        ..Limits::default()
    };
    let guard = with_default_limits(&workspace).with_limits(limits);
    let verdict = guard.judge_command("true;".repeat(100).as_bytes(), workspace.path());
    assert_eq!(verdict.decision, Decision::Deny);
    assert_eq!(verdict.stopped, Some(Stop::TooSlow));
    assert!(Stop::TooSlow.is_environment() && !Stop::TooDeep.is_environment());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is put around it, a plain removal is not overlooked. Who goes elsewhere first,
    /// as `cd /` does, removes something else.
    #[test]
    fn a_removal_is_found_behind_any_words(before in "[a-z]{1,6}( [a-z./-]{1,6}){0,3}", after in "[a-z]{1,6}( [a-z./-]{1,6}){0,3}") {
        let reserved = ["if", "do", "fi", "in", "for", "case", "done", "then", "else", "esac", "elif", "while", "until", "time", "select", "exec", "exit", "return", "coproc", "function"];
        let goes_elsewhere = |words: &str| matches!(words.split(' ').next(), Some("cd" | "pushd"));
        prop_assume!(!goes_elsewhere(&before));
        prop_assume!(!before.split(' ').chain(after.split(' ')).any(|word| reserved.contains(&word)));
        let workspace = shared();
        for command in [format!("{before}; rm -rf specs; {after}"), format!("{before} | {after} & rm -rf specs")] {
            let verdict = workspace.guard().judge_command(command.as_bytes(), workspace.path());
            prop_assert_eq!(verdict.decision, Decision::Deny, "{}", command);
        }
    }

    /// Any bytes get an answer.
    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), words in "[ -~\n]{0,120}") {
        let workspace = shared();
        for command in [bytes.as_slice(), words.as_bytes()] {
            let verdict = workspace.guard().judge_command(command, workspace.path());
            prop_assert_ne!(verdict.stopped, Some(Stop::Failed), "{:?}", String::from_utf8_lossy(command));
        }
    }

    /// Pieces of shell in any order get an answer.
    #[test]
    fn no_mixture_of_syntax_panics(pieces in prop::collection::vec(prop::sample::select(vec![
        "rm", "-rf", "specs", "$(", ")", "`", "'", "\"", "{", "}", "${", "a", "=", ";", "|", "&&", "\n", "<<EOF",
        "EOF", "*", "[", "]", "~", "/", "..", "cd", "find", "-exec", "\\;", "git", "clean", "-f", "xargs", "bash",
        "-c", "python3", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "((", "))", "[[", "]]", ">",
        ">>", "<", "$", "#", "%", ":", "@", "!", "\\", "sed", "-i", "s/a/b/w", "é", "tar", "x", "printf", "%s%",
    ]), 0..24), spaced in any::<bool>()) {
        let workspace = shared();
        let command = pieces.join(if spaced { " " } else { "" });
        let verdict = workspace.guard().judge_command(command.as_bytes(), workspace.path());
        prop_assert_ne!(verdict.stopped, Some(Stop::Failed), "{}", command);
    }
}
