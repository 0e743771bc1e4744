//! Living beside another tool that reads and writes the same file, and beside
//! somebody who would like it to say something else.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use crate::context::{TestContext, nobody_can_play_a_person};
use crate::phases::{FILE, Phased};

#[test]
fn req_d_024_what_is_stricter_is_taken_over_from_an_edited_file() {
    let it = Phased::new();
    it.phase(&["start", "RED"]).expect(0);
    let open = it.text().replace("\"CLOSED\"", "\"OPEN\"").replace(
        "\"open_reason\": null",
        "\"open_reason\": \"the other tool saw it\"",
    );
    fs::write(it.file(), &open).unwrap();
    it.phase(&["start", "RED"])
        .expect(42)
        .says("taken over from .prp-session/circuit-breaker.json: OPEN")
        .says("REASON: the other tool saw it");
    let history = it.context.fusebox(&["history"]).run().expect(0).out();
    assert!(history.contains("adopted"), "{history}");
    assert_eq!(it.context.state(), "Open");
}

#[test]
fn req_d_024_and_x_009_what_is_less_strict_is_written_anew_and_kept_as_tampering() {
    for (what, edit) in [
        (
            "CLOSED instead of OPEN",
            ("\"state\": \"OPEN\"", "\"state\": \"CLOSED\""),
        ),
        (
            "no_progress_count 0 instead of 2",
            ("\"no_progress_count\": 2", "\"no_progress_count\": 0"),
        ),
        (
            "other last values of GREEN",
            ("\"tests_passing\": 3", "\"tests_passing\": 1"),
        ),
    ] {
        let it = Phased::new();
        it.open_green().expect(42);
        let before = it.json();
        let edited = it.text().replace(edit.0, edit.1);
        assert_ne!(edited, it.text(), "{what}");
        fs::write(it.file(), edited).unwrap();
        let refused = it.phase(&["start", "GREEN"]).expect(4);
        assert!(refused.err().contains(what), "{what}: {}", refused.err());
        let after = it.json();
        for name in [
            "state",
            "no_progress_count",
            "last_progress_metric",
            "opened_at",
        ] {
            assert_eq!(after[name], before[name], "{what}: {name}");
        }
        it.phase(&["start", "GREEN"]).expect(42);
        let history = it.context.fusebox(&["history"]).run().expect(0).out();
        assert!(history.contains("edit refused"), "{history}");
    }
}

#[test]
fn neither_a_trip_nor_a_person_is_held_up_by_an_edit() {
    let close = |it: &Phased| {
        let edited = it
            .text()
            .replace("\"state\": \"OPEN\"", "\"state\": \"CLOSED\"");
        fs::write(it.file(), edited).unwrap();
    };
    let it = Phased::new();
    it.open_green().expect(42);
    close(&it);
    let trip = it
        .context
        .fusebox(&["trip", "--reason", "by hand"])
        .run()
        .expect(0);
    assert!(
        trip.err()
            .contains("was edited to say CLOSED instead of OPEN"),
        "{}",
        trip.err()
    );
    assert_eq!(it.json()["state"], "OPEN");
    if nobody_can_play_a_person() {
        return;
    }
    close(&it);
    it.as_person(&["reset", "--reason", "seen"])
        .expect(0)
        .says("was edited to say CLOSED instead of OPEN")
        .says("Circuit reset by user");
    assert_eq!(it.json()["state"], "CLOSED");
    let history = it.context.fusebox(&["history"]).run().expect(0).out();
    assert_eq!(history.matches("edit refused").count(), 2, "{history}");
}

#[test]
fn keys_that_nobody_knows_and_the_shape_of_the_file_stay() {
    let it = Phased::new();
    it.phase(&["start", "RED"]).expect(0);
    let theirs = it
        .text()
        .replace("  \"state\"", "  \"$schema\": \"theirs\",\n  \"state\"")
        .replace(
            "\"RED\": { ",
            "\"QA\": {\"checks\":  7},\n    \"RED\": { \"note\": [1 , 2], ",
        )
        .replace('\n', "\r\n");
    fs::write(it.file(), &theirs).unwrap();
    it.phase(&["end", "RED", "--tests-generated", "4"])
        .expect(0);
    let text = it.text();
    assert!(
        text.lines().count() > 10 && !text.replace("\r\n", "").contains('\n'),
        "{text:?}"
    );
    for kept in [
        "\"$schema\": \"theirs\",\r\n  \"state\"",
        "\"QA\": {\"checks\":  7}",
        "\"note\": [1 , 2], \"tests_generated\": 4",
    ] {
        assert!(text.contains(kept), "{kept} is not in {text}");
    }
}

#[test]
fn req_x_004_a_file_that_cannot_be_understood_stops_everything_and_stays_as_it_is() {
    let fresh = || {
        let it = Phased::new();
        it.phase(&["start", "RED"]).expect(0);
        it
    };
    let sound = fresh().text();
    let huge = format!("{}{}", " ".repeat(5 << 20), sound);
    for (what, text) in [
        ("half of it", sound[..sound.len() / 2].to_owned()),
        ("empty", String::new()),
        ("a word", "CLOSED".to_owned()),
        ("a list", "[]".to_owned()),
        ("no state", "{\"no_progress_count\": 0}".to_owned()),
        ("another state", sound.replace("CLOSED", "MAYBE")),
        (
            "a key twice",
            sound.replacen("{", "{\"state\": \"CLOSED\",", 1),
        ),
        (
            "a text for a number",
            sound.replace("_count\": 0", "_count\": \"0\""),
        ),
        (
            "a negative number",
            sound.replace("_count\": 0", "_count\": -1"),
        ),
        (
            "no time",
            sound.replace("opened_at\": null", "opened_at\": \"noon\""),
        ),
        ("history of numbers", sound.replace("[]", "[1, 2]")),
        ("5 MB", huge),
    ] {
        let it = fresh();
        fs::write(it.file(), &text).unwrap();
        for args in [&["start", "RED"][..], &["end", "RED"]] {
            let refused = it.phase(args).expect(4);
            refused.complains_once_on_stderr().says(FILE);
        }
        assert_eq!(it.text(), text, "{what}");
        // Anyone may trip whatever somebody wrote anywhere.
        let trip = ["trip", "--reason", "by hand"];
        it.context.fusebox(&trip).run().expect(0);
        let status = it.context.fusebox(&["status", "--json"]).run().expect(4);
        assert_eq!(
            (&status.json()["state"], it.text()),
            (&json!("Open"), text),
            "{what}"
        );
        // A file that is moved away is written anew, and says what holds.
        fs::remove_file(it.file()).unwrap();
        it.phase(&["start", "RED"]).expect(42);
        assert_eq!(it.json()["state"], "OPEN", "{what}");
    }
}

#[test]
fn no_link_and_nothing_but_a_file_is_written_through() {
    let it = Phased::new();
    fs::create_dir(it.context.work().join(".prp-session")).unwrap();
    let outside = it.context.path("outside");
    fs::write(&outside, "precious").unwrap();
    symlink(&outside, it.file()).unwrap();
    it.phase(&["end", "RED"]).expect(4).says("symbolic link");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");

    let it = Phased::new();
    let elsewhere = it.context.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, it.context.work().join(".prp-session")).unwrap();
    it.phase(&["end", "RED"]).expect(4);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn req_d_083_a_file_that_could_not_be_written_follows_later_and_is_no_edit() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    let it = Phased { context };
    it.phase(&["start", "RED"]).expect(0);
    let before = it.text();
    fs::set_permissions(it.file(), fs::Permissions::from_mode(0o444)).unwrap();
    let failed = it.phase(&["end", "RED", "--tests-generated", "2"]);
    failed.expect(4).says("it cannot be written");
    assert_eq!(it.text(), before);
    fs::set_permissions(it.file(), fs::Permissions::from_mode(0o600)).unwrap();
    it.phase(&["start", "RED"]).expect(0);
    assert_eq!(
        it.json()["last_progress_metric"]["RED"]["tests_generated"],
        2
    );
    let mode = fs::metadata(it.file()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "who may read it stays as it was");
    let history = it.context.fusebox(&["history"]).run().expect(0).out();
    assert!(!history.contains("edit refused"), "{history}");
}

#[test]
fn req_d_065_other_circuits_have_a_memory_and_no_file() {
    let it = Phased::new();
    let end = ["--circuit", "other", "phase", "end", "GREEN"];
    let mut args = vec!["--preset", "prp"];
    args.extend(end);
    it.context.fusebox(&args).run().expect(0);
    it.context.fusebox(&args).run().expect(42);
    assert!(!it.file().exists());
    it.phase(&["start", "GREEN"]).expect(0);
    assert_eq!(it.json()["state"], "CLOSED");
}

#[test]
fn req_x_005_two_writers_lose_nothing_in_the_file() {
    let it = Phased::new();
    it.phase(&["start", "REFACTOR"]).expect(0);
    let end = [
        "--preset",
        "prp",
        "phase",
        "end",
        "REFACTOR",
        "--pattern-applied",
        "--exit-zero",
    ];
    let running: Vec<_> = (0..8).map(|_| it.context.fusebox(&end).start()).collect();
    for one in running {
        one.finish().expect(0);
    }
    let file = it.json();
    let history = file["history"].as_array().unwrap();
    let progress = history.iter().filter(|event| event["event"] == "progress");
    assert_eq!(progress.count(), 8, "{file}");
    assert_eq!(file["state"], json!("CLOSED"));
}

#[test]
fn req_x_004_and_001_084_whoever_only_looks_finds_a_broken_file_open_as_well() {
    let it = Phased::new();
    it.phase(&["start", "RED"]).expect(0);
    fs::write(it.file(), "{").unwrap();
    for args in [
        &["check"][..],
        &["check", "--peek"],
        &["status"],
        &["status", "--json"],
        &["explain"],
        &["doctor"],
    ] {
        let came = it.context.fusebox(args).run().expect(4);
        let said = format!("{}{}", came.out(), came.err());
        assert!(said.contains("circuit-breaker.json"), "{args:?}: {said}");
    }
    let line = it.context.fusebox(&["statusline"]).run().expect(0).out();
    assert!(line.contains("cannot be read"), "{line}");
    let tool = r#"{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "true"}}"#;
    let hook = it.context.fusebox(&["hook", "claude", "pre-tool-use"]);
    let answer = hook.input(tool).run();
    assert!(
        answer.out().contains("deny"),
        "{}{}",
        answer.out(),
        answer.err()
    );
    // Another tool that opened it is heeded by whoever looks, before anything is written.
    fs::remove_file(it.file()).unwrap();
    it.phase(&["start", "RED"]).expect(0);
    let open = it.text().replace("CLOSED", "OPEN");
    fs::write(it.file(), &open).unwrap();
    it.context.fusebox(&["check", "--peek"]).run().expect(42);
    assert_eq!(it.text(), open, "looking writes nothing");
}
