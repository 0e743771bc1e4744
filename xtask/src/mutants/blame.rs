//! Which mutants a compiler's complaints are about.
//!
//! All mutants are compiled at once, so that one that cannot be compiled keeps all others
//! from being tried. A complaint names bytes of a rewritten file; what was written there, or
//! around there, is taken out.

use super::rewriting::{Mark, Of};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// A place that the compiler complains about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// As it names the file: below the directory it was started in, or absolute.
    pub(super) file: String,
    pub(super) range: Range<usize>,
    pub(super) message: String,
}

/// The complaints in what cargo prints with `--message-format=json`.
pub(super) fn complaints(printed: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for line in printed.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let message = &value["message"];
        if value["reason"] != "compiler-message" || message["level"] != "error" {
            continue;
        }
        let spans = message["spans"].as_array().into_iter().flatten();
        for span in spans.filter(|span| span["is_primary"] == true) {
            let number = |name: &str| usize::try_from(span[name].as_u64()?).ok();
            if let (Some(file), Some(start), Some(end)) = (
                span["file_name"].as_str(),
                number("byte_start"),
                number("byte_end"),
            ) {
                complaints.push(Complaint {
                    file: file.to_owned(),
                    range: start..end,
                    message: message["message"].as_str().unwrap_or_default().to_owned(),
                });
            }
        }
    }
    complaints
}

/// The mutants to take out for a complaint about this range of a rewritten file: the one whose
/// own words it is about; else those of the narrowest choice around it; else those in it; else
/// all of the function.
pub(super) fn culprits(marks: &[Mark], range: &Range<usize>) -> BTreeSet<usize> {
    let holds = |mark: &&Mark| mark.range.start <= range.start && range.end <= mark.range.end;
    let narrowest = |wanted: fn(&Of) -> bool| {
        let around = marks.iter().filter(holds).filter(|mark| wanted(&mark.of));
        around.min_by_key(|mark| mark.range.len())
    };
    let own = narrowest(|of| matches!(of, Of::Mutant(_)));
    let choice = || narrowest(|of| matches!(of, Of::Site(_)));
    if let Some(mark) = own.or_else(choice) {
        return mutants_of(mark);
    }
    let touching = |outer: &Range<usize>| -> BTreeSet<usize> {
        let touched = |mark: &&Mark| mark.range.start < outer.end && outer.start < mark.range.end;
        let touched = marks.iter().filter(touched);
        touched.flat_map(mutants_of).collect()
    };
    let within = touching(range);
    if !within.is_empty() {
        return within;
    }
    let body = narrowest(|of| matches!(of, Of::Body));
    body.map(|body| touching(&body.range)).unwrap_or_default()
}

fn mutants_of(mark: &Mark) -> BTreeSet<usize> {
    match &mark.of {
        Of::Mutant(mutant) => BTreeSet::from([*mutant]),
        Of::Site(mutants) => mutants.iter().copied().collect(),
        Of::Body => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(range: Range<usize>, of: Of) -> Mark {
        Mark { range, of }
    }

    #[test]
    fn a_complaint_is_about_what_is_nearest_to_it() {
        let marks = [
            mark(12..18, Of::Mutant(1)),
            mark(20..26, Of::Mutant(2)),
            mark(32..38, Of::Mutant(3)),
            mark(30..45, Of::Site(vec![3])),
            mark(10..60, Of::Site(vec![1, 2])),
            mark(70..80, Of::Site(vec![4])),
            mark(5..90, Of::Body),
            mark(110..120, Of::Site(vec![5])),
            mark(100..130, Of::Body),
        ];
        for (why, range, expected) in [
            ("its own words", 21..22, vec![2]),
            ("the choice around it", 40..42, vec![3]),
            ("the next choice around it", 50..51, vec![1, 2]),
            ("the choices in it", 65..85, vec![4]),
            ("the function", 6..7, vec![1, 2, 3, 4]),
            ("another function", 101..102, vec![5]),
            ("nothing of ours", 95..96, vec![]),
        ] {
            let found: Vec<usize> = culprits(&marks, &range).into_iter().collect();
            assert_eq!(found, expected, "{why}");
        }
    }

    #[test]
    fn only_errors_and_what_they_are_mainly_about_are_read() {
        let line = |level: &str, primary: bool| {
            format!(
                r#"{{"reason":"compiler-message","message":{{"level":"{level}","message":"no",
                "spans":[{{"file_name":"a.rs","byte_start":3,"byte_end":5,"is_primary":{primary}}}]}}}}"#
            )
            .replace('\n', "")
        };
        let printed = [
            "not JSON".to_owned(),
            r#"{"reason":"build-finished","success":false}"#.to_owned(),
            line("warning", true),
            line("error", false),
            line("error", true),
        ];
        let expected = Complaint {
            file: "a.rs".to_owned(),
            range: 3..5,
            message: "no".to_owned(),
        };
        assert_eq!(complaints(&printed.join("\n")), [expected]);
    }
}
