//! Which command would run a project's tests.
//!
//! Files are looked at and nothing is executed. The answers are suggestions for a person to
//! consent to: a repository could suggest anything, so it is never the repository that
//! decides what runs. The commands themselves are ours; no text of the project is in them.

/// The files of a project, as far as they matter here.
pub trait Project {
    /// The content of a file, or `None` if it is not there or too large to be sensible.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// The names in a directory; none if it is not there.
    fn names(&self, directory: &str) -> Vec<String>;
}

/// A command that would run the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggestion {
    /// The program and its arguments.
    pub command: &'static [&'static str],
    /// What in the project suggests it.
    pub why: &'static str,
}

/// The test commands that a project's files suggest, the most specific first.
pub fn test_commands(project: &dyn Project) -> Vec<Suggestion> {
    let rows: [(bool, &'static [&'static str], &'static str); 5] = [
        (
            project.read("Cargo.toml").is_some(),
            &["cargo", "test"],
            "there is a Cargo.toml",
        ),
        (
            has_test_script(project),
            &["npm", "test"],
            "package.json has a script named test",
        ),
        (
            is_tested_by_pytest(project),
            &["pytest"],
            "there are settings or tests for pytest",
        ),
        (
            project.read("go.mod").is_some(),
            &["go", "test", "./..."],
            "there is a go.mod",
        ),
        (
            has_test_target(project),
            &["make", "test"],
            "the Makefile has a target named test",
        ),
    ];
    rows.into_iter()
        .filter(|(is_suggested, ..)| *is_suggested)
        .map(|(_, command, why)| Suggestion { command, why })
        .collect()
}

/// `npm init` writes a script that does nothing but fail.
fn has_test_script(project: &dyn Project) -> bool {
    project
        .read("package.json")
        .and_then(|manifest| serde_json::from_slice::<serde_json::Value>(&manifest).ok())
        .and_then(|manifest| Some(manifest.get("scripts")?.get("test")?.as_str()?.to_owned()))
        .is_some_and(|script| !script.contains("no test specified"))
}

fn is_tested_by_pytest(project: &dyn Project) -> bool {
    let mentions = |file: &str, mark: &str| {
        project
            .read(file)
            .is_some_and(|content| String::from_utf8_lossy(&content).contains(mark))
    };
    let has_tests = |directory: &str| {
        let names = project.names(directory);
        names.iter().any(|name| {
            let stem = name.strip_suffix(".py").unwrap_or_default();
            stem.starts_with("test_") || stem.ends_with("_test")
        })
    };
    project.read("pytest.ini").is_some()
        || mentions("pyproject.toml", "[tool.pytest")
        || mentions("setup.cfg", "[tool:pytest]")
        || mentions("tox.ini", "[pytest]")
        || ["", "tests", "test"].into_iter().any(has_tests)
}

fn has_test_target(project: &dyn Project) -> bool {
    ["GNUmakefile", "makefile", "Makefile"]
        .iter()
        .find_map(|name| project.read(name))
        .is_some_and(|makefile| {
            let text = String::from_utf8_lossy(&makefile);
            text.lines().any(|line| {
                line.split_once(':').is_some_and(|(targets, rest)| {
                    !rest.starts_with('=') && targets.split(' ').any(|target| target == "test")
                })
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files<'a>(&'a [(&'a str, &'a str)]);

    impl Project for Files<'_> {
        fn read(&self, path: &str) -> Option<Vec<u8>> {
            let found = self.0.iter().find(|(name, _)| *name == path)?;
            Some(found.1.as_bytes().to_vec())
        }

        fn names(&self, directory: &str) -> Vec<String> {
            let above = |path: &'_ str| match path.rsplit_once('/') {
                Some((above, name)) => (above.to_owned(), name.to_owned()),
                None => (String::new(), path.to_owned()),
            };
            let paths = self.0.iter().map(|(path, _)| above(path));
            paths
                .filter(|(above, _)| above == directory)
                .map(|(_, name)| name)
                .collect()
        }
    }

    #[test]
    fn files_suggest_commands() {
        for (files, expected) in [
            (&[][..], &[][..]),
            (&[("Cargo.toml", "")], &["cargo test"]),
            (&[("go.mod", "")], &["go test ./..."]),
            (
                &[("package.json", r#"{"scripts":{"test":"vitest"}}"#)],
                &["npm test"],
            ),
            (&[("package.json", r#"{"scripts":{"build":"x"}}"#)], &[]),
            (
                &[(
                    "package.json",
                    r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
                )],
                &[],
            ),
            (&[("package.json", "{ broken")], &[]),
            (&[("pytest.ini", "")], &["pytest"]),
            (
                &[("pyproject.toml", "[tool.pytest.ini_options]\n")],
                &["pytest"],
            ),
            (&[("pyproject.toml", "[project]\n")], &[]),
            (&[("tests/test_a.py", "")], &["pytest"]),
            (&[("tests/data.py", "")], &[]),
            (&[("Makefile", "build test: a\n\tx\n")], &["make test"]),
            (&[("Makefile", "test := 1\nlatest:\n\ttest: x\n")], &[]),
            (
                &[("Makefile", "test:\n"), ("Cargo.toml", "")],
                &["cargo test", "make test"],
            ),
        ] {
            let suggested: Vec<String> = test_commands(&Files(files))
                .iter()
                .map(|it| it.command.join(" "))
                .collect();
            assert_eq!(suggested, expected, "{files:?}");
        }
    }
}
