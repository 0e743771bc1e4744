//! A system that refuses any single call of a check.
//!
//! What cannot be read is never taken for consent: an open breaker is not
//! passed because a file could not be opened, a lock not taken or a name not
//! found, and a grant that is given is stored.

use std::time::Instant;

use crate::place::{Place, Standing, Told};
use crate::sampling::{for_each, thinned};
use crate::strace::{self, Point};

const REFUSALS: [&str; 4] = ["EIO", "ENOENT", "EACCES", "ENOMEM"];

const STAND_STILL: [&str; 3] = ["record", "--files-changed", "0"];

/// Refuses every call of a check from `origin`, and hands what came of each
/// to `judge`: the exit code and the memory thereafter.
fn refuse_everywhere(name: &str, origin: &Place, judge: impl Fn(&Place, Option<i32>, &str) + Sync) {
    if !strace::available() {
        return;
    }
    let began = Instant::now();
    let points = strace::points(&origin.copy(), &["check"]);
    let cases: Vec<(&Point, &str)> = points
        .iter()
        .flat_map(|point| REFUSALS.map(|refusal| (point, refusal)))
        .collect();
    let cases = thinned(cases);
    for_each(&cases, |(point, refusal)| {
        let place = origin.copy();
        let told = strace::inject(&place, &["check"], point, &format!("error={refusal}"));
        let context = format!("{refusal} at {point:?}: {told:?}");
        judge(&place, told.code, &context);
    });
    println!(
        "check from {name}: {} calls refused in {:.1?}",
        cases.len(),
        began.elapsed()
    );
}

/// Two iterations without progress, on a machine that has been up for longer
/// than any wait: whatever makes the present boot look like another one would
/// end them all.
fn watching() -> Place {
    let place = Place::new().up_for(7 * 24 * 3_600_000);
    place.expect(0, &STAND_STILL);
    place.expect(0, &STAND_STILL);
    place
}

/// The same, tripped by the third, and closed again by nothing but time.
fn cooling_down() -> Place {
    let place = watching();
    place.expect(42, &STAND_STILL);
    place
}

#[test]
fn an_open_breaker_is_not_passed_by_what_cannot_be_read() {
    refuse_everywhere("open", &cooling_down(), |place, code, context| {
        assert_ne!(code, Some(0), "{context}");
        let next = place.fusebox(&["check"]);
        assert!(matches!(next.code, Some(42 | 4)), "{context}; {next:?}");
    });
}

#[test]
fn a_grant_is_stored_whatever_could_not_be_read() {
    let place = watching();
    let before = place.standing();
    let finished = place.copy();
    finished.expect(0, &["check"]);
    let after = finished.standing();
    refuse_everywhere("watching", &place, |place, code, context| {
        let found = place.standing();
        match code {
            Some(0) => assert_eq!(found, after, "{context}"),
            _ => assert!(
                [&before, &after, &Standing::Distrusted].contains(&&found),
                "{context} left {found:?}"
            ),
        }
    });
}

/// Too few open files is the refusal that any agent can bring about.
#[test]
fn an_open_breaker_is_not_passed_with_too_few_open_files() {
    let origin = cooling_down();
    let limits: Vec<u32> = (0..20).collect();
    for_each(&limits, |limit| {
        let place = origin.copy();
        let mut command = place.command("sh");
        let script = format!("ulimit -n {limit}; exec \"$0\" check");
        let output = command.args(["-c", &script, place.program()]).output();
        let told = Told::from(output.unwrap());
        assert_ne!(told.code, Some(0), "{limit} open files: {told:?}");
        place.expect(42, &["check"]);
    });
    println!(
        "check from open: not passed with any of {} limits on open files",
        limits.len()
    );
}
