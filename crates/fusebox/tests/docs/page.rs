//! A page: its examples and its links.

use std::fs;
use std::path::PathBuf;

pub(crate) struct Page {
    pub(crate) path: PathBuf,
    text: String,
}

/// A command, and what the page says becomes of it.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
    pub(crate) code: i32,
}

impl Page {
    pub(crate) fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap();
        Self { path, text }
    }

    pub(crate) fn examples(&self) -> Vec<Example> {
        let mut examples: Vec<Example> = Vec::new();
        let mut inside = false;
        for line in self.text.lines() {
            if line.starts_with("```") {
                inside = line == "```console";
            } else if !inside {
            } else if let Some(command) = line.strip_prefix("$ ") {
                let command = command.to_owned();
                examples.push(Example {
                    command,
                    output: Vec::new(),
                    code: 0,
                });
            } else {
                let example = examples.last_mut().expect("output before any command");
                match line.strip_prefix("? ") {
                    Some(code) => example.code = code.parse().unwrap(),
                    None => example.output.push(line.to_owned()),
                }
            }
        }
        examples
    }

    /// The blocks of one language, each as it stands.
    pub(crate) fn blocks(&self, language: &str) -> Vec<String> {
        let fence = format!("```{language}\n");
        let rest = self.text.split(&fence).skip(1);
        rest.filter_map(|rest| rest.split_once("```").map(|(block, _)| block.to_owned()))
            .collect()
    }

    /// The pages that this one links to.
    pub(crate) fn links(&self) -> Vec<PathBuf> {
        let folder = self.path.parent().unwrap();
        let mut links = Vec::new();
        for piece in self.text.split("](").skip(1) {
            let target = piece.split([')', '#']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                links.push(folder.join(target));
            }
        }
        links
    }
}

impl Example {
    pub(crate) fn matches(&self, output: &str) -> bool {
        let given: Vec<&str> = output.lines().collect();
        lines_match(&self.output, &given)
    }
}

fn lines_match(shown: &[String], given: &[&str]) -> bool {
    match shown.split_first() {
        None => given.is_empty(),
        Some((any, rest)) if any == "..." => {
            (0..=given.len()).any(|skipped| lines_match(rest, &given[skipped..]))
        }
        Some((line, rest)) => match given.split_first() {
            Some((first, others)) => line_matches(line, first) && lines_match(rest, others),
            None => false,
        },
    }
}

fn line_matches(shown: &str, given: &str) -> bool {
    let mut pieces = shown.split("[..]");
    let Some(mut left) = given.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let mut open_ended = false;
    for piece in pieces {
        open_ended = piece.is_empty();
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    open_ended || left.is_empty()
}

#[test]
fn an_output_is_compared_line_by_line_with_its_two_wildcards() {
    let cases: [(&[&str], &str, bool); 9] = [
        (&["one"], "one\n", true),
        (&["one"], "two\n", false),
        (&["one"], "one\ntwo\n", false),
        (&["one", "..."], "one\ntwo\nthree\n", true),
        (&["...", "three"], "one\ntwo\nthree\n", true),
        (&["...", "four"], "one\ntwo\nthree\n", false),
        (&["a [..] z"], "a to z\n", true),
        (&["a [..]"], "b to z\n", false),
        (&[], "one\n", false),
    ];
    for (shown, given, same) in cases {
        let output = shown.iter().map(ToString::to_string).collect();
        let example = Example {
            command: String::new(),
            output,
            code: 0,
        };
        assert_eq!(example.matches(given), same, "{shown:?} and {given:?}");
    }
}
