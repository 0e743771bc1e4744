//! A lease, watched from two threads: one renews it, the other works under it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fusebox_fleet::{BootInstant, Held};

/// How long a lease lasts.
pub(crate) const LEASE: Duration = Duration::from_secs(60);
/// How often it is renewed.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(15);

/// The lease that is worked under, if one is.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeaseWatch(Arc<Mutex<Option<Lease>>>);

#[derive(Clone, Debug)]
struct Lease {
    held: Held,
    good_until: BootInstant,
    lost: bool,
}

impl LeaseWatch {
    /// Begins to work under it.
    pub(crate) fn begin(&self, held: Held, good_until: BootInstant) {
        *self.lock() = Some(Lease {
            held,
            good_until,
            lost: false,
        });
    }

    /// Is through with it.
    pub(crate) fn end(&self) -> Option<Held> {
        self.lock().take().map(|lease| lease.held)
    }

    /// The lease, as long as there is one.
    pub(crate) fn held(&self) -> Option<Held> {
        self.lock().as_ref().map(|lease| lease.held.clone())
    }

    /// Notes what a sign of life that was sent at `asked` came to.
    pub(crate) fn renewed(&self, still: &[String], asked: BootInstant) {
        if let Some(lease) = self.lock().as_mut() {
            if still.contains(&lease.held.task) {
                lease.good_until = asked.after(LEASE.saturating_sub(Duration::from_millis(500)));
            } else {
                lease.lost = true;
            }
        }
    }

    /// Whether somebody else has it, or may have: then nothing more is to be done
    /// under it.
    pub(crate) fn is_lost(&self) -> bool {
        self.lock()
            .as_ref()
            .is_some_and(|lease| lease.lost || lease.good_until.is_over())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Lease>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> Held {
        Held {
            task: "T".into(),
            fence: 1,
        }
    }

    #[test]
    fn a_lease_is_lost_when_it_is_over_or_somebody_elses() {
        let watch = LeaseWatch::default();
        assert!(!watch.is_lost(), "there is none to lose");
        watch.begin(held(), BootInstant::now().after(LEASE));
        assert!(!watch.is_lost());
        watch.renewed(&[], BootInstant::now());
        assert!(watch.is_lost());
        watch.begin(held(), BootInstant::now());
        assert!(watch.is_lost(), "it was never renewed");
        watch.renewed(&["T".into()], BootInstant::now());
        assert!(!watch.is_lost());
        assert_eq!(watch.end(), Some(held()));
        assert!(!watch.is_lost());
    }
}
