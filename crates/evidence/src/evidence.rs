//! The evidence of one iteration, gathered piece by piece.

use crate::attempt;
use crate::claims::{self, Claims};
use crate::criteria;
use crate::reading::{Finding, Reading, read};
use crate::run::KEPT;

/// How many criteria that are not met are kept in words.
const UNMET_KEPT: usize = 5;
/// How much of each.
const UNMET_CHARS: usize = 80;

/// What is known of one iteration. What was not looked at stays `None`: unknown, which is
/// neither good nor bad.
///
/// ```
/// # use fusebox_evidence::Evidence;
/// let mut evidence = Evidence::default();
/// evidence.add_tests(b"test result: ok. 7 passed; 0 failed; 0 ignored\n", true);
/// evidence.add_criteria(b"## Done when\n- [x] it builds\n- [ ] it works\n", Some("Done when"));
/// assert_eq!(evidence.tests.map(|tests| tests.passed), Some(7));
/// assert_eq!(evidence.criteria_unmet, Some(1));
/// assert_eq!(evidence.required_missing, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Results of all test commands together.
    pub tests: Option<Counts>,
    /// Test commands that failed and left unknown how many tests did, if any.
    pub checks_failed: Option<u32>,
    /// Errors of all build and test commands that kept something from being built.
    pub build_errors: Option<u32>,
    /// What went wrong, up to [`KEPT`] errors.
    pub errors: Vec<Finding>,
    /// Files that must exist and do not.
    pub required_missing: Option<u32>,
    /// Acceptance criteria that are not met.
    pub criteria_unmet: Option<u32>,
    /// The words of the first of them.
    pub unmet: Vec<String>,
    /// What the agent says of itself.
    pub claimed: Option<Claims>,
    /// What it says it tried last.
    pub approach: Option<String>,
}

/// How many tests there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed.
    pub failed: u32,
    /// Tests that were skipped.
    pub skipped: u32,
}

impl Evidence {
    /// Adds what a test command printed, and whether it ended well.
    pub fn add_tests(&mut self, output: &[u8], succeeded: bool) {
        let reading = read(output).as_tests(succeeded);
        let is_known = succeeded || reading.tests.is_some();
        if !is_known {
            add(&mut self.checks_failed, 1);
        }
        // Whoever finds no errors in what they cannot read has not found that there are none.
        if is_known || reading.problems.building > 0 {
            add(&mut self.build_errors, reading.problems.building);
        }
        self.add(&reading);
    }

    /// Adds what a build command printed, and whether it ended well.
    pub fn add_build(&mut self, output: &[u8], succeeded: bool) {
        let reading = read(output).as_build(succeeded);
        add(&mut self.build_errors, reading.problems.building);
        self.add(&reading);
    }

    /// Adds how many required files are missing.
    pub fn add_required_missing(&mut self, missing: usize) {
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        add(&mut self.required_missing, missing);
    }

    /// Adds the criteria of a document, or of one section of it; answers whether there are
    /// any to be found.
    pub fn add_criteria(&mut self, markdown: &[u8], section: Option<&str>) -> bool {
        let unmet = &mut self.unmet;
        let counted = criteria::read(markdown, section, &mut |words| {
            if unmet.len() < UNMET_KEPT {
                unmet.push(words.chars().take(UNMET_CHARS).collect());
            }
        });
        if let Some(criteria) = counted {
            add(&mut self.criteria_unmet, criteria.unmet);
        }
        counted.is_some()
    }

    /// Takes the claims in the agent's last words.
    pub fn set_final_text(&mut self, text: &[u8]) {
        self.claimed = claims::read(text);
        self.approach = attempt::last(text);
    }

    /// Takes the claims in all that a program printed that was given this `prompt`.
    pub fn set_printed(&mut self, text: &[u8], prompt: &str) {
        self.claimed = claims::read_printed(text, prompt);
        self.approach = attempt::last(text);
    }

    fn add(&mut self, reading: &Reading) {
        if let Some(run) = &reading.tests {
            let sum = self.tests.get_or_insert_default();
            sum.passed = sum.passed.saturating_add(run.passed);
            sum.failed = sum.failed.saturating_add(run.failed);
            sum.skipped = sum.skipped.saturating_add(run.skipped);
        }
        let room = KEPT.saturating_sub(self.errors.len());
        self.errors
            .extend(reading.findings().into_iter().take(room));
    }
}

fn add(sum: &mut Option<u32>, more: u32) {
    *sum = Some(sum.unwrap_or(0).saturating_add(more));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_known_of_what_was_not_looked_at() {
        let mut evidence = Evidence::default();
        evidence.set_final_text(b"All done! STATUS: COMPLETE");
        assert!(!evidence.add_criteria(b"- [ ] a", Some("Missing")));
        assert_eq!(evidence, Evidence::default());
    }

    #[test]
    fn commands_are_added_up() {
        let mut evidence = Evidence::default();
        evidence.add_build(b"a.c:1:2: error: no\nb.c:3:4: error: no\n", false);
        evidence.add_build(b"the tool\nfell over\n\n", false);
        evidence.add_build(b"fine\n", true);
        evidence.add_tests(
            b"test result: FAILED. 1 passed; 2 failed; 3 ignored\n",
            false,
        );
        evidence.add_tests(b"killed\n", false);
        evidence.add_required_missing(2);
        assert_eq!(evidence.build_errors, Some(3));
        let tests = evidence.tests.unwrap_or_default();
        assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 2, 3));
        assert_eq!(evidence.checks_failed, Some(1));
        assert_eq!(evidence.required_missing, Some(2));
        let messages: Vec<&str> = evidence
            .errors
            .iter()
            .map(|it| it.message.as_str())
            .collect();
        assert_eq!(messages, ["no", "no", "fell over", "killed"]);
    }

    #[test]
    fn of_a_runner_that_is_not_known_nothing_is_known_but_that_it_failed() {
        for output in [
            &b"F.F..\n7 of 11 failing\n"[..],
            b"",
            b"\n3 failed\nmake: *** [test] Error 1\n",
        ] {
            let mut evidence = Evidence::default();
            evidence.add_tests(output, false);
            assert_eq!((evidence.tests, evidence.build_errors), (None, None));
            assert_eq!(evidence.checks_failed, Some(1));
            assert_eq!(evidence.errors[0].message, "the test command failed");
        }
        let mut evidence = Evidence::default();
        evidence.add_tests(b"checking login\nlogin: no session\n1 failing\n", false);
        assert_eq!((evidence.tests, evidence.build_errors), (None, None));
        let error = &evidence.errors[0];
        assert_eq!(
            (error.message.as_str(), &error.test),
            ("login: no session", &None)
        );
        assert!(error.output.is_some());
    }

    #[test]
    fn errors_are_bounded_over_all_commands() {
        let many = "a.c:1:2: error: no\n".repeat(30);
        let mut evidence = Evidence::default();
        evidence.add_build(many.as_bytes(), false);
        evidence.add_build(many.as_bytes(), false);
        assert_eq!(
            (evidence.build_errors, evidence.errors.len()),
            (Some(60), KEPT)
        );
    }
}
