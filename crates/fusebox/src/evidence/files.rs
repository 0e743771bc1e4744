//! Files that show whether the work is done: those that must be there, and the one whose
//! criteria must be met.
//!
//! Whoever claims that it is done may have written them. So they are looked at from the
//! root of the workspace without following a link, within bounds, and what cannot be
//! looked at speaks against it.

use std::path::Path;

use fusebox_evidence::Evidence;
use fusebox_workspace::RootMark;

use super::EvidencePlan;

/// The longest file of criteria that is read.
const CRITERIA_BYTES: u64 = 1 << 20;

/// What the files say, in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) speaks_for: Vec<String>,
    pub(crate) speaks_against: Vec<String>,
}

impl Files {
    /// Looks at the files that `plan` names, and adds what is found to the evidence.
    pub(crate) fn look(root: &RootMark, plan: &EvidencePlan, evidence: &mut Evidence) -> Self {
        let mut files = Self::default();
        files.look_for_required(root, plan, evidence);
        files.look_at_criteria(root, plan, evidence);
        files
    }

    fn look_for_required(&mut self, root: &RootMark, plan: &EvidencePlan, evidence: &mut Evidence) {
        let required = &plan.required;
        if required.is_empty() {
            return;
        }
        match root.missing(required) {
            Ok(missing) => {
                evidence.add_required_missing(missing.len());
                let told = missing
                    .iter()
                    .map(|path| format!("{} is not there", path.display()));
                self.speaks_against.extend(told);
                if missing.is_empty() {
                    self.speaks_for.push("all required files are there".into());
                }
            }
            Err(why) => {
                // Nobody can tell, and they were asked for.
                evidence.add_required_missing(required.len());
                let told = format!("the required files cannot be looked for ({why})");
                self.speaks_against.push(told);
            }
        }
    }

    fn look_at_criteria(&mut self, root: &RootMark, plan: &EvidencePlan, evidence: &mut Evidence) {
        let Some(file) = &plan.criteria else {
            return;
        };
        let text = root.read(file, CRITERIA_BYTES);
        let gone = text.is_none();
        let readable = evidence.add_criteria(&text.unwrap_or_default(), None);
        if !readable {
            // Without the file nobody can tell, and it was asked for.
            evidence.add_required_missing(1);
        }
        match evidence.criteria_unmet {
            Some(0) if readable => self.speaks_for.push("all criteria are met".into()),
            Some(unmet) if readable => {
                let told = unmet_words(file, unmet, &evidence.unmet);
                self.speaks_against.push(told);
            }
            _ if gone => self
                .speaks_against
                .push(format!("the criteria in {} cannot be read", file.display())),
            _ => self
                .speaks_against
                .push(format!("there are no criteria in {}", file.display())),
        }
    }
}

/// How many criteria are not met, and which, as far as they are known.
fn unmet_words(file: &Path, unmet: u32, words: &[String]) -> String {
    let count = match unmet {
        1 => "1 criterion".to_owned(),
        unmet => format!("{unmet} criteria"),
    };
    let more = u32::try_from(words.len()).is_ok_and(|known| known < unmet);
    let more = if more { ", …" } else { "" };
    let words: Vec<String> = words.iter().map(|words| format!("\"{words}\"")).collect();
    let file = file.display();
    format!("{count} in {file} not met: {}{more}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_cannot_be_looked_at_speaks_against_it() {
        let home = tempfile::tempdir().expect("a directory");
        let root = home.path().join("root");
        fs::create_dir(&root).expect("a root");
        fs::write(root.join("proof"), "").expect("a file");
        fs::write(root.join("criteria.md"), "- [x] done\n").expect("a file");
        let plan = EvidencePlan {
            required: vec!["proof".into(), "criteria.md".into()],
            criteria: Some("criteria.md".into()),
            ..EvidencePlan::default()
        };
        let mark = RootMark::of(&root).expect("a mark");
        let mut evidence = Evidence::default();
        let there = Files::look(&mark, &plan, &mut evidence);
        assert_eq!((there.speaks_for.len(), there.speaks_against.len()), (2, 0));
        assert_eq!(evidence.required_missing, Some(0));

        fs::rename(&root, home.path().join("moved")).expect("a move");
        let mut evidence = Evidence::default();
        let gone = Files::look(&mark, &plan, &mut evidence);
        assert_eq!((gone.speaks_for.len(), gone.speaks_against.len()), (0, 2));
        assert_eq!(evidence.required_missing, Some(3));
    }
}
