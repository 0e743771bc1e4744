//! What loops on one machine share, in a directory that others can write into.

use std::fs;
use std::path::Path;
use std::time::Duration;

use fusebox_fleet::{
    Address, Amounts, Coordinator, Directory, FleetError, Id, Local, Scope, Take, Taken, Unit,
    Used, Worker,
};
use serde_json::Value;

use crate::tasks::root;

const HOUR: Duration = Duration::from_secs(3_600);

/// Any bytes as the state of a fleet: a halt in it is one, a budget of ours holds, and what is
/// cut or put back afterwards is not believed.
pub(super) fn fleet(bytes: &[u8]) {
    address(bytes);
    let bytes = &of_this_boot(bytes);
    let root = root().join("fleet");
    fs::create_dir_all(root.join("shared")).expect("a directory");
    let state = root.join("shared/state.json");
    fs::write(&state, bytes).expect("a state");
    let began: Value = serde_json::from_slice(bytes).unwrap_or_default();
    if story(&root, began["halts"]["fleet"].is_object()).is_ok() {
        let text = fs::read(&state).expect("the state");
        // As far as it had come is remembered elsewhere, unless it began at the end of all numbers.
        let can_rise = began["changes"]
            .as_u64()
            .is_none_or(|changes| changes < 1 << 60);
        let earlier = can_rise.then_some(&bytes[..]);
        let cut = [&text[..text.len() / 2], &text[..0], b"{}", b"null"];
        for damaged in cut.into_iter().chain(earlier) {
            fs::write(&state, damaged).expect("changed");
            let found = open(&root).and_then(|fleet| fleet.look());
            found.expect_err("not what it was");
        }
        fs::remove_file(&state).expect("it was there");
        let found = open(&root);
        assert!(matches!(found, Err(FleetError::Forgotten { .. })));
    }
    fs::remove_dir_all(&root).expect("it was there");
}

/// Seeds cannot know the name of this boot, without which all of their times are long ago.
fn of_this_boot(bytes: &[u8]) -> Vec<u8> {
    let Ok(text) = str::from_utf8(bytes) else {
        return bytes.to_owned();
    };
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.replace("@boot", boot.trim()).into_bytes()
}

fn open(root: &Path) -> Result<Local, FleetError> {
    Local::open(&Directory {
        path: root.join("shared"),
        witnesses: Some(root.join("witnesses")),
    })
}

fn story(root: &Path, is_halted: bool) -> Result<(), FleetError> {
    let mut fleet = open(root)?;
    fleet.look()?;
    let worker = Worker {
        id: Id::random(),
        host: "h".into(),
        version: "0".into(),
        repository: "r".into(),
        agent: None,
    };
    fleet.enrol(&worker)?;
    let take = || Take {
        name: Id::random(),
        worker: worker.id.clone(),
        scopes: vec![Scope::Fleet],
        amounts: Amounts {
            calls: 1,
            tokens: 1,
            micro_usd: 0,
        },
        lease: None,
    };
    let first = take();
    let taken = fleet.take(&first)?;
    assert!(!is_halted || matches!(taken, Taken::Halted { .. }));
    fleet.settle(
        &first.name,
        &Used {
            tokens: Some(u64::MAX),
            micro_usd: None,
        },
    )?;
    fleet.claim(&worker, Some("t"), HOUR)?;
    fleet.reopen("r", "t")?;
    fleet.deliver(&worker, 1, &[])?;
    // What an operator sets holds, whatever else is in there.
    fleet.set_budget(&Scope::Fleet, Unit::Calls, Some(2), HOUR)?;
    let granted = (0..4).map(|_| fleet.take(&take()));
    let granted: Vec<Taken> = granted.collect::<Result<_, _>>()?;
    let granted = granted
        .iter()
        .filter(|taken| matches!(taken, Taken::Granted(_)));
    assert!(granted.count() <= 2);
    fleet.halt(&Scope::Fleet, "why", "me")?;
    let taken = fleet.take(&take())?;
    assert!(matches!(taken, Taken::Halted { .. }), "{taken:?}");
    fleet.tend()?;
    fleet.patterns()?;
    fleet.overview()?;
    fleet.workers()?;
    fleet.leases()?;
    let taken = open(root)?.take(&take())?;
    assert!(matches!(taken, Taken::Halted { .. }), "{taken:?}");
    Ok(())
}

/// Where a fleet is: taken or refused, and never shown with its password.
fn address(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    const SECRET: &str = "hunter2hunter2";
    let plain = text.split('?').next().unwrap_or_default();
    for text in [
        text.to_owned(),
        format!("postgres://u:{SECRET}@{text}"),
        format!("postgres://{plain}?password={SECRET}"),
    ] {
        let shown = match text.parse::<Address>() {
            Ok(Address::Directory(place)) => {
                assert!(place.path.is_absolute());
                continue;
            }
            Ok(server @ Address::Server(_)) => server.to_string(),
            Err(error) => error.to_string(),
        };
        assert!(!shown.contains(SECRET), "{shown}");
    }
}
