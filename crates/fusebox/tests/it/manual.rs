//! Completions and manual pages: made from the command line, so they must
//! know all of it.

use std::fs;

use crate::context::TestContext;

/// The commands that `--help` lists.
fn commands(context: &TestContext) -> Vec<String> {
    let help = context.fusebox(&["--help"]).run().expect(0).out();
    let (_, list) = help.split_once("Getting started:\n").unwrap();
    let listed: Vec<String> = list
        .lines()
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    for known in ["run", "check", "presets", "completions", "man"] {
        assert!(listed.iter().any(|name| name == known), "{listed:?}");
    }
    listed
}

#[test]
fn every_shell_completes_every_command() {
    let context = TestContext::new();
    let commands = commands(&context);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = context.fusebox(&["completions", shell]).run().expect(0);
        assert_eq!(said.err(), "", "{shell}");
        let script = said.out();
        let known: Vec<&str> = script
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .collect();
        for name in commands.iter().map(String::as_str).chain(["--peek"]) {
            // One script writes options without their dashes.
            let bare = name.trim_start_matches('-');
            assert!(
                known.contains(&name) || known.contains(&bare),
                "{shell} does not know {name}"
            );
        }
    }
    context.fusebox(&["completions", "cobol"]).run().expect(2);
    context.fusebox(&["completions"]).run().expect(2);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let context = TestContext::new();
    let first = context.fusebox(&["man"]).run().expect(0).out();
    let directory = context.path("pages/man1");
    context
        .fusebox(&["man", directory.to_str().unwrap()])
        .run()
        .expect(0);
    for command in commands(&context) {
        let listed = first.contains(&format!("fusebox\\-{}(1)", command.replace('-', "\\-")));
        assert!(listed, "{command} is not on the first page");
        let page = fs::read_to_string(directory.join(format!("fusebox-{command}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{command}: {page}");
    }
    assert_eq!(
        fs::read_to_string(directory.join("fusebox.1")).unwrap(),
        first
    );
    assert!(directory.join("fusebox-presets-diff.1").exists());
}

#[test]
fn pages_go_where_they_were_asked_for_or_nowhere() {
    let context = TestContext::new();
    let top = context.path("");
    context
        .fusebox(&["-C", top.to_str().unwrap(), "man", "here"])
        .run()
        .expect(0);
    assert!(context.path("here/fusebox-check.1").exists());
    fs::write(context.path("taken"), "").unwrap();
    context
        .fusebox(&["man", context.path("taken").to_str().unwrap()])
        .run()
        .expect(6)
        .complains_once()
        .says("taken cannot be written");
}

/// `help COMMAND` is what fingers type.
#[test]
fn help_is_a_command_too() {
    let context = TestContext::new();
    for (asked, page) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "run"], &["run", "--help"]),
        (&["help", "guard", "check"], &["guard", "check", "--help"]),
        (&["help", "help"], &["--help"]),
    ] {
        let told = context.fusebox(asked).run().expect(0).out();
        assert_eq!(told, context.fusebox(page).run().expect(0).out());
    }
    let astray = context.fusebox(&["help", "rnu"]).run().expect(2);
    astray.says("'run'");
}
