//! The documentation, held to its word: every command that a page shows is
//! executed, and what it prints compared with what the page says it prints.
//!
//! A block marked `console` holds commands after `$ `, each followed by its
//! output. A line `...` stands for any lines, `[..]` for anything within a line,
//! and `? 42` says how the command above ends if not with 0. The commands of a
//! page are typed one after the other, beginning in an empty directory.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its page should fail there"
)]

mod page;
mod reference;
mod shell;
mod snippets;

use std::fs;
use std::path::{Path, PathBuf};

use page::Page;
use shell::Shell;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn book() -> PathBuf {
    root().join("docs/src")
}

/// All pages of the book but its table of contents.
fn pages() -> Vec<Page> {
    let mut pages = Vec::new();
    let mut folders = vec![book()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == "md") && !path.ends_with("SUMMARY.md")
            {
                pages.push(Page::read(path));
            }
        }
    }
    pages
}

/// The pages at the root of the project.
fn front_pages() -> Vec<Page> {
    let names = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    names.map(|name| Page::read(root().join(name))).into()
}

#[test]
fn commands_print_what_the_pages_show() {
    let mut executed = 0;
    for page in pages().into_iter().chain(front_pages()) {
        let shell = Shell::new();
        for example in page.examples() {
            let given = shell.run(&example.command);
            assert!(
                given.code == example.code && example.matches(&given.output),
                "{}: `{}` ended with {} and printed\n{}\nwhile the page shows {} and\n{}",
                page.path.display(),
                example.command,
                given.code,
                given.output,
                example.code,
                example.output.join("\n"),
            );
            executed += 1;
        }
    }
    assert!(executed >= 60, "only {executed} commands were found");
}

/// The clients themselves are executed elsewhere; here they are held against what is
/// shown of them.
#[test]
fn what_is_shown_of_a_client_is_what_the_client_does() {
    let page = fs::read_to_string(book().join("guides/own-loop.md")).unwrap();
    for (language, file) in [("python", "loop.py"), ("ts", "loop.ts")] {
        let fence = format!("```{language}\n");
        let (_, shown) = page.split_once(&fence).unwrap();
        let (shown, _) = shown.split_once("```").unwrap();
        let client = fs::read_to_string(root().join("examples/clients").join(file)).unwrap();
        let mut lines = client.lines().map(str::trim);
        for line in shown.lines().map(str::trim) {
            assert!(lines.any(|there| there == line), "{file}: {line}");
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents_and_every_link_leads_somewhere() {
    let contents = Page::read(book().join("SUMMARY.md"));
    let listed: Vec<PathBuf> = contents.links();
    for page in pages() {
        assert!(
            listed.contains(&page.path),
            "{} is in no table of contents",
            page.path.display()
        );
        for link in page.links() {
            assert!(link.exists(), "{}: {}", page.path.display(), link.display());
        }
    }
    assert!(listed.iter().all(|page| page.exists()), "{listed:?}");
    for page in front_pages() {
        for link in page.links() {
            assert!(link.exists(), "{}: {}", page.path.display(), link.display());
        }
    }
}

/// The questions that the documents leave open are answered on a page each, in
/// so many words.
#[test]
fn req_000_113_to_117_and_004_037_the_open_questions_are_answered() {
    let answers = [
        (
            "explanation/thresholds.md",
            "three iterations without progress",
        ),
        ("explanation/tests-alone.md", "which files changed"),
        ("explanation/progress.md", "files whose contents changed"),
        ("explanation/recovery.md", "change the prompt"),
        ("explanation/recovery.md", "begin with a fresh context"),
        ("explanation/recovery.md", "give the task up"),
        ("explanation/testing.md", "cargo xtask mutants"),
        ("explanation/recovery.md", "rapid cycling"),
    ];
    for (page, answer) in answers {
        let text = fs::read_to_string(book().join(page))
            .unwrap()
            .to_lowercase();
        assert!(text.contains(answer), "{page} does not say {answer:?}");
    }
}

/// What only people can do is told where they look for it.
#[test]
fn req_002_079_and_003_053_to_054_and_003_057_and_060_and_078_what_people_do_is_told() {
    for (page, told) in [
        ("systems/bmad.md", "reset after fixing the root cause"),
        (
            "systems/bmad.md",
            "after dealing with blocked features, when ready to try again",
        ),
        (
            "guides/tuning.md",
            "raise one when it is too strict for the work",
        ),
        (
            "guides/tuning.md",
            "when more failures are to be expected, or when more attempts are worth",
        ),
        ("moving/bmad.md", "a dependency outside that is down"),
        (
            "moving/bmad.md",
            "a specification that asks for something contradictory",
        ),
        (
            "moving/bmad.md",
            "an environment in which the application cannot be started",
        ),
        (
            "moving/bmad.md",
            "beyond what the agent can do in one session",
        ),
        ("systems/liza.md", "a new adr, an updated spec"),
        (
            "systems/bmad.md",
            "simple features: 3 to 5; complex ones: 5 to 10",
        ),
        (
            "systems/bmad.md",
            "go on with the plain command, `fusebox run`",
        ),
    ] {
        let text = fs::read_to_string(book().join(page)).unwrap();
        let text = text.to_lowercase().replace('\n', " ");
        assert!(text.contains(told), "{page} does not say {told:?}");
    }
}
