//! Whatever lies in a folder: read or passed over with a line, never a crash.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use fusebox_replay::{Format, Oddity, Recording};
use proptest::prelude::*;

use crate::fixtures::*;

#[test]
fn what_cannot_be_read_is_told_in_a_line() {
    let session = claude_session(3, |round| round.to_string());
    let cut = &session[..session.len() - 40];
    let broken = session.replacen("\"uuid\":\"u2\"", "\"uuid\":\"u2", 1);
    let mixed = session.clone() + CODEX_STREAM;
    let twice = session.clone() + &session;
    let foreign = session.clone() + "{\"what\":1}\n[1]\n";
    let banner = format!("Welcome!\n\n{session}");
    let table = [
        ("cut off", cut, 3, "line 7: no JSON, or cut off"),
        ("broken", &broken, 3, "line 3: no JSON, or cut off"),
        (
            "two formats",
            &mixed,
            3,
            "from line 8 on it is of the format codex-stream",
        ),
        (
            "copied",
            &twice,
            3,
            "7 lines stand there twice and were read once",
        ),
        (
            "foreign lines",
            &foreign,
            3,
            "2 lines from line 8 on: of no known kind",
        ),
        ("a banner", &banner, 3, "line 1: no JSON, or cut off"),
    ];
    for (what, text, calls, note) in table {
        let (report, sessions) = record(text);
        assert_eq!(report.format, Some(Format::ClaudeSession), "{what}");
        assert_eq!(report.notes, [note], "{what}");
        assert_eq!(sessions[0].tally.calls, calls, "{what}");
    }
}

#[test]
fn what_is_no_session_is_passed_over() {
    for (what, bytes, note) in [
        (
            "nothing",
            &b""[..],
            "it holds no session in a supported format",
        ),
        (
            "prose",
            b"Dear diary,\n",
            "it holds no session in a supported format",
        ),
        (
            "other JSON",
            b"{\"name\":\"x\"}\n",
            "it holds no session in a supported format",
        ),
        (
            "a document",
            b"{\n \"name\": \"x\"\n}\n",
            "it holds no session in a supported format",
        ),
        (
            "half a document",
            b"[\n {\"id\": 1,\n",
            "it begins like a document and is none; perhaps it was cut off",
        ),
        (
            "bytes",
            b"\x00\xff\xfe\x80",
            "it holds no session in a supported format",
        ),
        (
            "a log of ours",
            b"FUSEBOX\n\x01\x00",
            "it is the log of a circuit; `fusebox history --json` prints it in a form that can be read here",
        ),
    ] {
        let (report, sessions) = read_by(bytes, Recording::default);
        assert_eq!(
            (report.format, report.notes),
            (None, vec![note.to_owned()]),
            "{what}"
        );
        assert!(sessions.is_empty(), "{what}");
    }
}

#[test]
fn odd_sessions_are_read_and_their_oddities_told() {
    let session = claude_session(3, |round| round.to_string());
    let late = session.replacen("T00:00:04", "T00:09:04", 1);
    let asked = session.lines().filter(|line| !line.contains("tool_result"));
    let unanswered: String = asked.map(|line| format!("{line}\n")).collect();
    let rewound = session.clone() + &claude_line("user", 9, r#""content":"No, like this.""#);
    for (text, oddity) in [
        (late, Oddity::ClockGoesBack),
        (unanswered, Oddity::NoAnswers),
        (rewound, Oddity::Branches),
    ] {
        assert_eq!(record(&text).1[0].oddities(), [oddity]);
    }
    assert!(record(&session).1[0].oddities().is_empty());
}

/// Two sessions that wrote into one file at the same time.
#[test]
fn interleaved_sessions_are_taken_apart() {
    let one = claude_session(4, |round| round.to_string());
    let other = renamed(&one, 'w').replace("\"sessionId\":\"s\"", "\"sessionId\":\"t\"");
    let lines = one.lines().zip(other.lines());
    let mixed: String = lines
        .map(|(one, other)| format!("{one}\n{other}\n"))
        .collect();
    let (report, sessions) = record(&mixed);
    assert_eq!(report.notes, [""; 0]);
    assert_eq!(sessions.len(), 2);
    let alone = record(&one).1;
    for session in &sessions {
        assert_eq!(session.outcome.0, alone[0].outcome.0, "{}", session.session);
    }
}

#[test]
fn packed_files_are_unpacked_also_when_they_end_too_soon() {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer
        .write_all(claude_session(50, |round| round.to_string()).as_bytes())
        .unwrap();
    let packed = packer.finish().unwrap();
    let half = &packed[..packed.len() / 2];
    let read = read_folder(&[
        ("a.jsonl.gz", &packed),
        ("b/half.gz", half),
        ("c.md", b"# no session"),
        ("d/output", CODEX_STREAM.as_bytes()),
    ]);
    let names: Vec<_> = read
        .iter()
        .map(|(name, _, sessions)| (name.as_str(), *sessions))
        .collect();
    assert_eq!(
        names,
        [("a.jsonl.gz", 1), ("b/half.gz", 1), ("d/output", 1)]
    );
    assert!(read[0].1.notes.is_empty());
    assert!(
        read[1]
            .1
            .notes
            .iter()
            .any(|note| note.starts_with("it could not be read to its end"))
    );
}

/// Half of a surrogate pair is what is left when an agent cuts its text.
#[test]
fn text_that_was_cut_in_the_middle_of_a_character_is_read() {
    let text = claude_session(1, |_| "no".to_owned()).replace("\"no\"", "\"no \\ud83d\"");
    let (report, sessions) = record(&text);
    assert_eq!((report.notes.len(), sessions[0].tally.answers), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any bytes, and any damage to a real session, are read to their end.
    #[test]
    fn no_bytes_are_too_bad(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        which in 0..6_usize,
        at in 0..2000_usize,
    ) {
        let session = claude_session(3, |round| round.to_string());
        let texts = [&session, CODEX_ROLLOUT, OPENHANDS_LIST, SWE_AGENT, COLLECTION, OPENHANDS_SDK];
        let mut damaged = texts[which].as_bytes().to_vec();
        let at = at.min(damaged.len());
        let end = (at + bytes.len() / 4).min(damaged.len());
        damaged.splice(at..end, bytes.iter().copied());
        for input in [&bytes, &damaged] {
            let (report, sessions) = read_by(input, Recording::default);
            prop_assert!(report.format.is_some() || sessions.is_empty() || !report.notes.is_empty());
        }
    }
}
