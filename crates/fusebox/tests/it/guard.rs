//! The guard through the command line: nothing is executed, everything is answered.

use std::fs;
use std::time::{Duration, Instant};

use crate::context::TestContext;

#[test]
fn req_004_071_to_073_a_command_is_judged_and_not_run() {
    let context = TestContext::new();
    let root = context.work();
    fs::create_dir_all(root.join("specs")).unwrap();
    fs::write(root.join("specs/a.md"), "a").unwrap();
    let check = |command: &str| context.fusebox(&["guard", "check", command]).run();
    check("rm -rf build").expect(0);
    check("D=spe; rm -rf ${D}cs").expect(5);
    let told = context
        .fusebox(&["guard", "explain", "--json", "rm -rf build specs"])
        .run()
        .expect(5)
        .json();
    assert_eq!(told["verdict"], "block");
    assert_eq!(told["affected"].as_array().map(Vec::len), Some(2));
    assert_eq!(told["protected"][0]["rule"], "specs");
    assert!(root.join("specs/a.md").exists());
    context.fusebox(&["guard", "check"]).run().expect(2);
}

#[test]
fn a_table_is_judged_line_by_line() {
    let context = TestContext::new();
    fs::write(context.work().join("CLAUDE.md"), "x").unwrap();
    let table = context.work().join("cases.tsv");
    fs::write(
        &table,
        "block\trm CLAUDE.md\tn\nallow\tls\\nls\tn\nblock\tls\tn\n",
    )
    .unwrap();
    let table = table.to_str().unwrap();
    let judged = context
        .fusebox(&["guard", "check", "--batch", table])
        .run()
        .expect(0);
    assert_eq!(
        String::from_utf8_lossy(&judged.stdout),
        "block\trm CLAUDE.md\nallow\tls\\nls\nallow\tls\nblock 1/2 allow 1/1\n"
    );
}

#[test]
fn what_cannot_be_analysed_is_answered_in_time_and_never_allowed() {
    let context = TestContext::new();
    let heredoc = "cat <<'EOF' > x\n".to_owned() + &"a line of text\n".repeat(20_000) + "EOF\n";
    for (name, command) in [
        (
            "300 KB",
            [b"rm -rf x #".as_slice(), &[b'y'; 300 << 10]].concat(),
        ),
        ("nested", b"$(".repeat(20_000)),
        ("here-document", heredoc.into_bytes()),
        ("no text", b"rm -rf \xff\xfe".to_vec()),
        ("5 MB", vec![b'a'; 5 << 20]),
        ("5 MB of ü", "ü".repeat(5 << 19).into_bytes()),
    ] {
        let begun = Instant::now();
        let call = context.fusebox(&["guard", "check", "-"]).input(&command);
        let answer = call.run().expect(5);
        let told = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(told.starts_with("block: "), "{name}: {told}");
        let counted = told.contains("has more than 4194304 bytes");
        assert_eq!(counted, name.starts_with("5 MB"), "{name}: {told}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{name}");
    }
    let call = context.fusebox(&["guard", "check", "-"]).input("ls\n");
    call.run().expect(0);
}

#[test]
fn req_004_065_the_protected_set_and_its_tools_come_from_every_layer_and_nobody_relaxes() {
    let context = TestContext::new();
    let root = context.work();
    fs::create_dir_all(root.join("docs")).unwrap();
    fs::write(root.join("docs/a.md"), "a").unwrap();
    fs::write(
        root.join("fusebox.toml"),
        "[guard]\nprotect = [\"docs/*.md\", { path = \"fusebox.toml\", mode = \"keep\" }, { path = \"log\", mode = \"append\" }]\n",
    )
    .unwrap();
    fs::create_dir_all(context.path("config/fusebox")).unwrap();
    fs::write(
        context.path("config/fusebox/config.toml"),
        "[guard]\nprotect = [{ path = \"src/gen/\", mode = \"frozen\" }]\nallow_tools = [\"Edit\"]\n",
    )
    .unwrap();
    let listed = context
        .fusebox(&["guard", "list", "--json"])
        .run()
        .expect(0);
    let rows = listed.json_lines();
    let row = |path: &str| {
        let row = rows.iter().find(|row| row["path"] == path);
        let row = row.unwrap_or_else(|| panic!("{path} is not in {rows:?}"));
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (text("mode"), text("source"))
    };
    assert_eq!(row("specs"), ("keep".into(), "built in".into()));
    assert_eq!(row("src/gen").0, "frozen");
    assert!(
        row("src/gen").1.ends_with("config.toml:2"),
        "{:?}",
        row("src/gen")
    );
    assert!(row("log").1.ends_with("fusebox.toml:2"), "{:?}", row("log"));
    assert_eq!(row(".claude/settings.json").0, "frozen");
    let state = context.path("state/fusebox").display().to_string();
    assert_eq!(row(&state), ("frozen".into(), "part of fusebox".into()));
    fs::create_dir_all(context.path("state/fusebox")).unwrap();
    for (command, code) in [
        ("rm docs/a.md", 5),
        ("echo x > src/gen/new", 5),
        ("echo x >> fusebox.toml", 5),
        ("rm -rf $XDG_STATE_HOME", 5),
        ("rm -rf src", 0),
    ] {
        context
            .fusebox(&["guard", "check", command])
            .run()
            .expect(code);
    }
    let told = context.fusebox(&["guard", "list"]).run().expect(0);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.ends_with("tools that may update: Edit\n"), "{told}");
    // What a repository may not say is refused, and so is a path that leaves it.
    for text in [
        "allow_tools = [\"x\"]",
        "protect = [\"../x\"]",
        "protect = [\"/etc\"]",
    ] {
        fs::write(root.join("fusebox.toml"), format!("[guard]\n{text}\n")).unwrap();
        context.fusebox(&["guard", "list"]).run().expect(3);
    }
}

#[test]
fn req_d_079_a_command_may_add_to_what_is_kept_except_in_superkit() {
    let context = TestContext::new();
    fs::write(context.work().join("CLAUDE.md"), "x\n").unwrap();
    for (preset, append) in [("native", 0), ("superkit", 5)] {
        let check = |command: &str| {
            let args = ["guard", "check", "--preset", preset, command];
            context.fusebox(&args).run()
        };
        check("echo y >> CLAUDE.md").expect(append);
        check("echo y > CLAUDE.md").expect(5);
    }
}

#[test]
fn a_line_of_a_table_that_is_no_case_is_told() {
    let context = TestContext::new();
    let table = context.work().join("cases.tsv");
    let cases = "allow\tls\n\nallow ls\n\trm x\nallow\tpwd\n";
    fs::write(&table, cases).unwrap();
    let args = ["guard", "check", "--batch", table.to_str().unwrap()];
    let judged = context.fusebox(&args).run().expect(2);
    assert_eq!(judged.out(), "allow\tls\nallow\tpwd\nblock 0/0 allow 2/2\n");
    judged
        .complains_once_on_stderr()
        .says("2 lines of ")
        .says("nobody judged what stands there: 3, 4\n");
}

#[test]
fn paths_are_paths_and_what_else_is_meant_is_told_beside_them() {
    let context = TestContext::new();
    fs::create_dir(context.work().join("specs")).unwrap();
    fs::write(context.work().join("specs/a.md"), "x").unwrap();
    for verb in ["check", "explain"] {
        let of = |command: &str, code| {
            let args = ["guard", verb, command, "--json"];
            let report = context.fusebox(&args).run().expect(code).json();
            report["affected"][0].clone()
        };
        let specs = context.work().join("specs");
        let tree = of("rm -rf specs", 5);
        assert_eq!(tree["path"], specs.to_str().unwrap(), "{tree}");
        assert_eq!(
            (&tree["beneath"], &tree["exact"]),
            (&true.into(), &true.into())
        );
        let file = of("rm specs/a.md", 5);
        assert_eq!(file["path"], specs.join("a.md").to_str().unwrap());
        assert_eq!(
            (&file["beneath"], &file["exact"]),
            (&false.into(), &true.into())
        );
        let unknown = of("rm -f \"/tmp/$SOMETHING/x\"", 0);
        assert_eq!(unknown["exact"], false, "{unknown}");
    }
}

#[test]
fn a_command_that_was_not_quoted_is_recognised() {
    let context = TestContext::new();
    for verb in ["check", "explain"] {
        for words in [&["rm", "-rf", "specs"][..], &["rm", "specs"]] {
            let args = [&["guard", verb], words].concat();
            let told = context.fusebox(&args).run().expect(2).complains_once();
            let said = format!("quote the command, so that it is one word: fusebox guard {verb} '");
            told.says(&said);
        }
    }
    let other = context.fusebox(&["guard", "list", "-x"]).run().expect(2);
    assert!(!other.err().contains("quote"), "{}", other.err());
}

#[test]
fn copies_of_nothing_have_no_bytes() {
    let context = TestContext::new();
    let told = context
        .fusebox(&["guard", "snapshot"])
        .run()
        .expect(0)
        .out();
    assert!(
        told.starts_with("snapshot of 0 protected paths (0 bytes)\n"),
        "{told}"
    );
}

/// Whoever was refused a write finds out by which rule, on whose word, and what may be done.
#[test]
fn the_rule_that_protects_a_path_is_looked_up() {
    let context = TestContext::new();
    fs::create_dir(context.work().join("specs")).unwrap();
    fs::write(context.work().join("specs/a.md"), "a").unwrap();
    let list = ["guard", "list", "specs/a.md", "fusebox.toml", "src/main.rs"];
    let told = context.fusebox(&list).run().expect(0).out();
    let lines: Vec<&str> = told.lines().map(str::trim_end).collect();
    assert_eq!(
        lines,
        [
            "keep    specs/a.md                       by the rule specs, built in",
            "        It may be updated in place, never deleted, emptied or moved.",
            "frozen  fusebox.toml                     by the rule fusebox.toml, the configuration of fusebox",
            "        Only a person may change it.",
            "src/main.rs is not protected",
        ]
    );
    let rows = context.fusebox(&[&list[..], &["--json"]].concat()).run();
    let rows = rows.expect(0).json_lines();
    assert_eq!(
        (&rows[0]["rule"], &rows[1]["mode"]),
        (&"specs".into(), &"frozen".into())
    );
    assert!(rows[2]["rule"].is_null(), "{rows:?}");
}
