//! How much is tried, and by how many at once.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Workers that try points side by side; more would only wait for each other
/// on a small machine.
const WORKERS: usize = 2;

/// The calls that store something.
pub(crate) const STORING: [&str; 14] = [
    "write",
    "writev",
    "pwrite64",
    "fdatasync",
    "fsync",
    "ftruncate",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "link",
];

/// Says how much was tried of what, for whoever adds it up (`cargo xtask prove`).
pub(crate) fn proof(figure: &str, tried: usize, told: &str) {
    println!("proof: {figure} {tried} {told}");
}

/// Whether the long versions were asked for.
pub(crate) fn deep() -> bool {
    is_set("FUSEBOX_DEEP")
}

/// Whether the short ones were.
fn quick() -> bool {
    is_set("FUSEBOX_QUICK") && !deep()
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value != "0")
}

/// How many the shorter versions choose from to try one.
const ONE_OF: usize = 4;

/// All of `items`, or one of every four for whoever is in a hurry: another of them each time, so
/// that where there are four ways to refuse each call, each call is refused and in each way.
pub(crate) fn thinned<T: Clone>(items: Vec<T>) -> Vec<T> {
    if !quick() {
        return items;
    }
    let groups = items.chunks(ONE_OF).enumerate();
    let picked = groups.map(|(turn, group)| group[turn % group.len()].clone());
    picked.collect()
}

/// All of `items` when deep, otherwise about `most` of them at even distances,
/// the first and the last always among them.
pub(crate) fn sample<T: Clone>(items: &[T], most: usize) -> Vec<T> {
    let most = if quick() {
        most.div_ceil(ONE_OF).max(2)
    } else {
        most
    };
    if deep() || items.len() <= most {
        return items.to_vec();
    }
    let last = items.len() - 1;
    (0..most)
        .map(|pick| items[pick * last / (most - 1)].clone())
        .collect()
}

/// Tries every item, a few at a time. A panic in one of them is the test's.
pub(crate) fn for_each<T: Sync>(items: &[T], attempt: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    attempt(item);
                }
            });
        }
    });
}
