//! Lists that somebody has prepared.

use std::os::unix::fs::symlink;

use fusebox_tasks::{Journal, SourceError, TaskError};

use crate::support::{Place, at, program, somebody};

const PLAN: &str = "- [ ] T-1 a\n";

#[test]
fn links_pipes_and_other_things_are_not_followed() {
    let place = Place::new();
    let outside = place.dir.path().join("outside.md");
    std::fs::write(&outside, PLAN).unwrap();
    symlink(&outside, place.root().join("fix_plan.md")).unwrap();
    let refused = place.try_desk(None).err().unwrap().to_string();
    assert!(refused.contains("it is a link"), "{refused}");
    std::fs::remove_file(place.root().join("fix_plan.md")).unwrap();

    std::fs::create_dir(place.dir.path().join("elsewhere")).unwrap();
    std::fs::write(place.dir.path().join("elsewhere/fix_plan.md"), PLAN).unwrap();
    symlink(
        place.dir.path().join("elsewhere"),
        place.root().join(".ralph"),
    )
    .unwrap();
    let refused = place.try_desk(None).err().unwrap().to_string();
    assert!(refused.contains("behind a link"), "{refused}");
    std::fs::remove_file(place.root().join(".ralph")).unwrap();

    std::fs::create_dir(place.root().join("fix_plan.md")).unwrap();
    assert!(
        place
            .try_desk(None)
            .err()
            .unwrap()
            .to_string()
            .contains("not a regular file")
    );
    std::fs::remove_dir(place.root().join("fix_plan.md")).unwrap();

    std::fs::write(place.root().join("fix_plan.md"), b"- [ ] T-1 \xff\n").unwrap();
    assert!(
        place
            .try_desk(None)
            .err()
            .unwrap()
            .to_string()
            .contains("not UTF-8")
    );
}

#[test]
fn a_program_in_the_repository_is_never_run() {
    let mut place = Place::with(".beads/metadata.json", "{}");
    let trap = place.root().join("bd");
    std::fs::write(&trap, "#!/bin/sh\ntouch executed\n").unwrap();
    std::process::Command::new("chmod")
        .arg("+x")
        .arg(&trap)
        .status()
        .unwrap();
    // Directly, behind a link from outside, and by a path that begins nowhere.
    let linked = program(&place, "bd", &trap);
    for path in [place.root().into_os_string(), linked, ".".into()] {
        place.path = path;
        let error = place.try_desk(None).err().unwrap();
        assert!(matches!(error, SourceError::Unavailable { .. }), "{error}");
        assert!(!place.root().join("executed").exists());
    }
}

#[test]
fn a_list_that_stops_being_one_is_not_an_empty_list() {
    let place = Place::with(
        "prd.json",
        r#"{"userStories": [{"id": "a", "title": "t", "passes": false}]}"#,
    );
    let mut desk = place.desk();
    place.write("prd.json", "{\"userStories\": [");
    assert!(desk.look(&at(0)).is_err());
    assert!(desk.claim("a", &somebody("x"), &at(0)).is_err());
    assert_eq!(place.read("prd.json"), "{\"userStories\": [", "untouched");
}

#[test]
fn a_torn_line_of_our_own_is_cut_and_a_wrong_one_is_told() {
    let place = Place::with("fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n");
    place.desk().claim("T-1", &somebody("a"), &at(0)).unwrap();
    let file = place.own().join("claims.jsonl");
    let sound = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{sound}{{\"source\":\"fix")).unwrap();
    place.desk().claim("T-2", &somebody("b"), &at(1)).unwrap();
    assert!(
        place.desk().claim("T-1", &somebody("c"), &at(2)).is_err(),
        "still taken"
    );
    std::fs::write(&file, format!("{sound}nonsense\n")).unwrap();
    let error = place.desk().look(&at(3)).unwrap_err().to_string();
    assert!(error.contains("claims.jsonl"), "{error}");
}

/// Wherever the power went: between two lines, inside one, inside a character.
#[test]
fn a_journal_that_ends_anywhere_is_read_up_to_there_and_goes_on() {
    let place = Place::with("fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n");
    place.desk().claim("T-1", &somebody("Zoë"), &at(0)).unwrap();
    let file = place.own().join("claims.jsonl");
    let first = std::fs::read(&file).unwrap().len();
    let noted = || -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(place.witness()).unwrap()).unwrap()
    };
    let mut under_way = noted();
    place
        .desk()
        .claim("T-2", &somebody("名前"), &at(1))
        .unwrap();
    let whole = std::fs::read(&file).unwrap();
    // What vouches for it has been told what is coming, and not yet that it came.
    under_way["next"] = noted()["settled"].take();
    std::fs::write(place.witness(), under_way.to_string()).unwrap();
    let cut = (first..=whole.len()).map(|kept| whole[..kept].to_vec());
    // The length may reach the disk before what stands there.
    let hole = |until: usize| [&whole[..first], &vec![0; until - first], &whole[until..]].concat();
    for left in cut.chain([hole(whole.len()), hole(whole.len() - 1), hole(first + 9)]) {
        let kept = left.len();
        std::fs::write(&file, left).unwrap();
        let items = place.desk().look(&at(2)).map_err(|error| error.to_string());
        assert!(items.is_ok(), "{kept} of {}: {items:?}", whole.len());
        let taken = place.desk().claim("T-1", &somebody("c"), &at(2));
        assert!(taken.is_err(), "what was acknowledged stays, {kept}");
    }
}

/// Whoever takes the record away would have a task taken twice, both times as the first.
#[test]
fn a_journal_that_was_deleted_emptied_put_back_or_edited_is_noticed() {
    let place = Place::with("fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n");
    place.desk().claim("T-1", &somebody("a"), &at(0)).unwrap();
    let file = place.own().join("claims.jsonl");
    let earlier = std::fs::read_to_string(&file).unwrap();
    place.desk().claim("T-2", &somebody("b"), &at(1)).unwrap();
    let whole = std::fs::read_to_string(&file).unwrap();
    let edited = whole.replace("\"a\"", "\"c\"");
    let longer = format!("{whole}{earlier}");
    let vouching = std::fs::read(place.witness()).unwrap();
    for changed in [None, Some(""), Some(&earlier), Some(&edited), Some(&longer)] {
        match changed {
            Some(text) => std::fs::write(&file, text).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        // Also for whoever has it open, and however often it is asked.
        let mut desk = place.desk();
        for _ in 0..2 {
            let refused = desk.claim("T-1", &somebody("c"), &at(2));
            assert!(
                matches!(refused, Err(TaskError::Changed { .. })),
                "{changed:?}: {refused:?}"
            );
        }
    }
    std::fs::write(&file, &whole).unwrap();
    std::fs::remove_file(place.witness()).unwrap();
    let refused = place.desk().look(&at(2));
    assert!(matches!(refused, Err(TaskError::Changed { .. })));
    // A person has looked: numbers go on where they were.
    for witness in [None, Some(&vouching)] {
        if let Some(vouching) = witness {
            std::fs::write(place.witness(), vouching).unwrap();
            std::fs::remove_file(&file).unwrap();
        }
        let mut journal = Journal::open(&place.own(), &place.witness()).unwrap();
        journal.start_afresh(7).unwrap();
        let claimed = place.desk().claim("T-1", &somebody("c"), &at(3)).unwrap();
        assert_eq!(claimed.fence, 3);
    }
    let aside = place.own().join("claims.jsonl.changed-7");
    assert_eq!(std::fs::read_to_string(aside).unwrap(), whole);
}
