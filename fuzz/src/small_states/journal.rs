//! The record of who works on which task, and what vouches for it.

use std::fs;
use std::path::Path;

use fusebox_tasks::{Claimant, Desk, Here, Journal, Now, Places, Rules, TaskError, Worker, find};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::tasks::root;

/// Any lines as the journal, with what vouches for it made right: whoever lives keeps what they
/// have, numbers only rise, and what is cut or changed afterwards is not believed.
pub(super) fn journal(bytes: &[u8]) {
    let root = root().join("journal");
    fs::create_dir_all(root.join("own")).expect("a directory");
    let (journal, witness) = (root.join("own/claims.jsonl"), root.join("witness"));
    let list = r#"{"id":"t1","title":"one","status":"open"}
{"id":"t2","title":"two","status":"in_progress"}
"#;
    fs::write(root.join("own/list.jsonl"), list).expect("a list");
    fs::write(&journal, bytes).expect("a journal");
    fs::write(&witness, vouching_for(bytes)).expect("a witness");
    if let Ok(fence) = story(&root) {
        let text = fs::read(&journal).expect("the journal");
        let believed = |text: &[u8]| {
            fs::write(&journal, text).expect("changed");
            open(&root).verify()
        };
        believed(&text).expect("as it was");
        let mut changed = text.clone();
        changed[text.len() / 2] ^= 1;
        for damaged in [&text[..0], &text[..text.len() - 1], &changed] {
            let found = believed(damaged);
            assert!(matches!(found, Err(TaskError::Changed { .. })), "{found:?}");
        }
        // A person looks at it, and numbers go on where they were. Who has the task is forgotten,
        // but for what its list says.
        open(&root).start_afresh(0).expect("begun anew");
        let later = Now {
            wall_ms: i64::MAX,
            boot_ms: u64::MAX,
            ..now()
        };
        let claimed = desk(&root).claim("t1", &claimant("third"), &later);
        assert!(claimed.expect("it has been too long").fence > fence);
    }
    fs::remove_dir_all(&root).expect("it was there");
}

/// Somebody claims a task and lives; what others may do meanwhile. Answers with the number of
/// the claim, if there was one.
fn story(root: &Path) -> Result<u64, TaskError> {
    let now = now();
    let mut desk = desk(root);
    desk.recover("somebody", &now)?;
    let _ = desk.reopen("t2", "looked at", "somebody", &now);
    let first = desk.claim("t1", &claimant("first"), &now)?;
    let second = desk.claim("t1", &claimant("second"), &now);
    assert!(matches!(second, Err(TaskError::Taken { .. })), "{second:?}");
    let stolen = desk.heartbeat("t1", Some(first.fence.wrapping_add(1)), &now);
    assert!(matches!(stolen, Err(TaskError::NotYours { .. })));
    desk.heartbeat("t1", Some(first.fence), &now)?;
    desk.release("t1", Some(first.fence), "done for today", &now)?;
    let second = desk.claim("t1", &claimant("second"), &now)?;
    assert!(second.fence > first.fence);
    Ok(second.fence)
}

fn open(root: &Path) -> Journal {
    Journal::open(&root.join("own"), &root.join("witness")).expect("a journal")
}

fn desk(root: &Path) -> Desk {
    let own = root.join("own");
    let places = Places {
        root,
        own: &own,
        path: None,
        actor: "somebody",
    };
    let found = find(&places, Some("built-in")).expect("a list");
    let rules = Rules {
        stale_ms: Some(1_000),
        reopens: 3,
    };
    let source = found.expect("a list").source;
    Desk::new(source, open(root), here(), rules)
}

fn here() -> Here {
    Here::read("boot")
}

/// This process, which lives for as long as anybody could ask.
fn claimant(actor: &str) -> Claimant {
    let pid = i32::try_from(std::process::id()).expect("a process");
    Claimant {
        actor: actor.to_owned(),
        worker: Worker::of(pid, &here()),
    }
}

fn now() -> Now {
    Now {
        wall_ms: 1_000_000,
        boot_ms: 1_000_000,
        boot: "boot".to_owned(),
    }
}

/// As whoever can write both files writes it.
fn vouching_for(journal: &[u8]) -> Vec<u8> {
    let end = journal.iter().rposition(|byte| *byte == b'\n');
    let whole = &journal[..end.map_or(0, |end| end + 1)];
    let digest = Sha256::digest(whole);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let settled = json!({"bytes": whole.len(), "sha256": hex});
    let noted = json!({"settled": settled, "next": null, "fence": 0});
    serde_json::to_vec(&noted).expect("a witness can be written")
}
