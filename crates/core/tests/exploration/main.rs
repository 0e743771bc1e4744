//! Every sequence of a small alphabet, up to a stated depth, and long random
//! ones beyond it: what must hold of a breaker holds after each step.
//!
//! The alphabet is in [`moves`]: questions, reports of every standing, requests,
//! releases and what a clock can do. The laws are in [`laws`], one function each:
//!
//! 1. What is written, read back and folded is the state; a step that writes
//!    nothing changes nothing.
//! 2. Changes of state are told in order, without a gap.
//! 3. An open breaker is left by a release that its policy knows, and by nothing
//!    else; what is only announced also by progress.
//! 4. Where it is open, on probation or complete, nothing is granted but the one
//!    probe that is due.
//! 5. A probe closes by success, in its policy's terms, and in time.
//! 6. A wait never gets shorter while it lasts, except by a person's retry, and
//!    each failed probe doubles it.
//! 7. No state occurs that the policy has no word for.
//! 8. A threshold that is reached opens.
//! 9. An opening comes with its reason, its rule and its evidence, and is counted.
//! 10. A report that came too late moves neither state nor counters.
//! 11. Whoever asks for a trip gets one, from anywhere.
//! 12. Outside trouble never counts as a lack of progress, nor as progress.
//! 13. No true window of time holds more calls than the limit.
//! 14. Looking does not touch: a peek answers as a check would.
//! 15. A report in the supervisor's place opens.
//! 16. A resolved pattern never counts again, and no analysis moves an opening.
//!
//! And the state stays small, however long it goes on.

#![expect(
    clippy::unwrap_used,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod laws;
mod moves;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fusebox_core::Policy;
use fusebox_core::policy::{Enforcement, Preset};
use proptest::prelude::*;

use moves::{World, alphabet};

/// How deep the exhaustive search goes.
const DEPTH: usize = 4;

/// All policies that are explored: each preset, each preset with thresholds and
/// a limit that short sequences reach, and two that do not halt.
fn policies() -> Vec<(String, Policy)> {
    let mut all = Vec::new();
    for preset in Preset::ALL {
        all.push((preset.to_string(), Policy::of(preset)));
        let mut tight = Policy::of(preset).with_stagnation_threshold(2).unwrap();
        tight.calls.limit = 3;
        all.push((format!("{preset}, tight"), tight));
    }
    for enforcement in [Enforcement::Announce, Enforcement::Observe] {
        let lenient = Policy::of(Preset::Cub).with_stagnation_threshold(2);
        let lenient = Policy {
            enforcement,
            ..lenient.unwrap()
        };
        all.push((format!("cub, {enforcement:?}"), lenient));
    }
    all
}

#[test]
fn req_004_094_and_127_and_x_007_every_short_sequence_keeps_the_laws_in_every_preset() {
    let deep = std::env::var_os("FUSEBOX_DEEP").is_some();
    let depth = if deep { DEPTH + 1 } else { DEPTH };
    let (mut steps, mut states) = (0_u64, 0);
    let policies = policies();
    for (name, policy) in &policies {
        let moves = alphabet(policy);
        let mut frontier = vec![World::new()];
        let mut seen = HashSet::new();
        for left in (0..depth).rev() {
            let mut next = Vec::new();
            states += frontier.len();
            for world in &frontier {
                for chosen in &moves {
                    let mut world = world.clone();
                    world.advance(policy, *chosen);
                    steps += 1;
                    // Two ways to one state have one future: it is explored once.
                    if left > 0 && seen.insert(fingerprint(&world)) {
                        next.push(world);
                    }
                }
            }
            frontier = next;
        }
        assert!(steps > 10_000, "{name}");
    }
    let (laws, policies) = (laws::LAWS.len(), policies.len());
    println!(
        "proof: states {states} left by {steps} steps, {policies} policies, depth {depth}, {laws} laws"
    );
}

fn fingerprint(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    let key = serde_json::to_vec(&(&world.circuit, &world.now)).unwrap();
    key.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn long_random_sequences_keep_the_laws(moves in prop::collection::vec(any::<prop::sample::Index>(), 1..120)) {
        for (_, policy) in policies() {
            let mut world = World::new();
            for chosen in &moves {
                world.advance(&policy, *chosen.get(&alphabet(&policy)));
            }
            prop_assert!(serde_json::to_vec(&world.circuit).unwrap().len() < 64 * 1024);
        }
    }
}
