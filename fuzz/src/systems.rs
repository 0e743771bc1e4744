//! The files of the systems that fusebox works beside, and recorded sessions.

use fusebox_core::calls::CallPolicy;
use fusebox_replay::{Judging, read_from};
use fusebox_seeds::bmad::features::FeatureList;
use fusebox_seeds::{EXISTING, bmad, cub, prp, ralph};

/// Every reader of such a file answers, and an edit of one is still one.
pub(crate) fn progress(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(features) = FeatureList::read(text) {
        let known: Vec<String> = features.features.iter().map(|one| one.id.clone()).collect();
        for id in known {
            let blocked = features
                .block(text, &id, "no \"way\"\n")
                .expect("it is there");
            FeatureList::read(&blocked).unwrap_or_else(|why| panic!("{why:?}: {blocked}"));
        }
    }
    let _ = bmad::progress::Progress::read(text);
    let _ = bmad::app_spec::flaw(text);
    let _ = cub::read(text);
    let _ = prp::read(text);
    let _ = ralph::read_settings(text);
    for system in EXISTING {
        for file in system.files() {
            let _ = system.understand(file.path, text);
        }
    }
}

/// Any bytes as a file of sessions: read to the end, and judged.
pub(crate) fn replay(bytes: &[u8]) {
    let begin = || Judging::by(CallPolicy::native());
    read_from("fuzz", bytes, &begin, &mut |told| {
        assert!(told.outcome.points.len() <= 64);
    });
}

/// What test runners, compilers and agents print.
pub(crate) fn evidence(bytes: &[u8]) {
    let reading = fusebox_evidence::read(bytes);
    let findings = reading.clone().as_tests(false).findings();
    assert!(findings.len() <= 10_000);
    let _ = reading.as_build(true);
    let _ = fusebox_evidence::claims::read(bytes);
    let _ = fusebox_evidence::criteria::count(bytes, None);
    let _ = fusebox_evidence::criteria::count(bytes, Some("Acceptance"));
}
