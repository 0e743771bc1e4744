//! JUnit's XML: test cases in suites in suites.
//!
//! The cases are counted, not the attributes that sum them up: runners disagree about what
//! these include. A report that is cut off says nothing, for what is missing could be the
//! failures. Entities that a document defines for itself are not expanded.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::plain_text::location;
use crate::run::{Failure, TestRun};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut sum: Option<TestRun> = None;
    let mut rest = text;
    while let Some(start) = rest.find("<testsuite") {
        rest = &rest[start..];
        let (run, length) = document(rest)?;
        sum.get_or_insert_default().add(run);
        rest = &rest[length..];
    }
    sum
}

/// The test case that is being read.
struct Case {
    failure: Failure,
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// Reads one document; answers with its length as well.
fn document(text: &str) -> Option<(TestRun, usize)> {
    let mut reader = Reader::from_str(text);
    let mut run = TestRun::default();
    let mut case: Option<Case> = None;
    let mut depth = 0_usize;
    loop {
        match reader.read_event().ok()? {
            Event::Start(element) => {
                depth += 1;
                open(&element, &mut case);
            }
            Event::Empty(element) => {
                open(&element, &mut case);
                if is_case(&element) {
                    close(case.take(), &mut run);
                }
            }
            Event::End(element) => {
                depth = depth.checked_sub(1)?;
                if element.name().as_ref() == "testcase" {
                    close(case.take(), &mut run);
                }
            }
            Event::Text(said) => hear(&said.xml10_content(), &mut case),
            Event::CData(said) => hear(&said.xml10_content(), &mut case),
            Event::Eof => return None,
            _ => {}
        }
        if depth == 0 {
            let length = usize::try_from(reader.buffer_position()).ok()?;
            return Some((run, length));
        }
    }
}

fn is_case(element: &BytesStart<'_>) -> bool {
    element.name().as_ref() == "testcase"
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.try_get_attribute(name).ok()??;
    let value = found.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

fn open(element: &BytesStart<'_>, case: &mut Option<Case>) {
    let get = |name| attribute(element, name);
    if is_case(element) {
        let name = get("name").unwrap_or_default();
        let name = match get("classname").filter(|class| !class.is_empty()) {
            Some(class) => format!("{class} {name}"),
            None => name,
        };
        let file = get("file");
        let line = get("line").and_then(|line| line.parse().ok());
        *case = Some(Case {
            failure: Failure::new(&name, "").at(file.as_deref().zip(line)),
            outcome: Outcome::Passed,
        });
    }
    let Some(case) = case else { return };
    case.outcome = match element.name().as_ref() {
        // Node reports a test that is yet to be done as both, and ends well.
        "failure" | "error" if case.outcome != Outcome::Skipped => Outcome::Failed,
        "skipped" => Outcome::Skipped,
        _ => return,
    };
    let message = get("message").unwrap_or_default();
    let first = message.lines().next().unwrap_or_default();
    let told = Failure::new(&case.failure.name, first)
        .of_kind(get("type").as_deref())
        .split_kind();
    (case.failure.kind, case.failure.message) = (told.kind, told.message);
}

/// Looks for the first place in what a failure says, if the report does not give it.
fn hear(said: &str, case: &mut Option<Case>) {
    let Some(case) = case.as_mut().filter(|it| it.outcome == Outcome::Failed) else {
        return;
    };
    if case.failure.message.is_empty() {
        case.failure.message = Failure::new("", said.trim().lines().next().unwrap_or("")).message;
    }
    if case.failure.file.is_some() {
        return;
    }
    let place = said
        .split(|it: char| it.is_whitespace() || "()".contains(it))
        .filter_map(location)
        .find(|(file, _)| file.contains('.') && !file.contains("node_modules"));
    case.failure = std::mem::take(&mut case.failure).at(place);
}

fn close(case: Option<Case>, run: &mut TestRun) {
    match case {
        None => {}
        Some(case) => match case.outcome {
            Outcome::Passed => run.passed = run.passed.saturating_add(1),
            Outcome::Skipped => run.skipped = run.skipped.saturating_add(1),
            Outcome::Failed => run.fail(case.failure),
        },
    }
}
