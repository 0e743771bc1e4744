// Not a module of this program: it is appended to the root of the crate whose tests are
// examined, where every site asks it.
/// Which mutant is switched on.
#[allow(warnings, clippy::all)]
pub(crate) mod mutant {
    use std::fs::OpenOptions;
    use std::io::Write as _;
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

    /// Nobody has looked at the environment yet.
    const UNREAD: usize = usize::MAX;
    /// None is on; what is reached is written down.
    const RECORD: usize = usize::MAX - 1;

    static ACTIVE: AtomicUsize = AtomicUsize::new(UNREAD);
    static ONCE: Once = Once::new();
    static REACHED: [AtomicBool; SITES] = [const { AtomicBool::new(false) }; SITES];

    /// The number of the mutant that is on, asked where `site` would be.
    #[inline(always)]
    pub(crate) fn active(site: usize) -> usize {
        let active = ACTIVE.load(Relaxed);
        if active < RECORD { active } else { look(site) }
    }

    #[cold]
    #[inline(never)]
    fn look(site: usize) -> usize {
        ONCE.call_once(|| {
            let on = std::env::var("FUSEBOX_MUTANT").ok().and_then(|on| on.parse().ok());
            let recorded = std::env::var_os("FUSEBOX_MUTANT_REACHED").is_some();
            let panics = std::env::var_os("FUSEBOX_MUTANT_PANICS").is_some();
            if (on.is_some() || recorded) && !panics {
                // A test that failed has said all there is to say.
                std::panic::set_hook(Box::new(|_| std::process::exit(101)));
            }
            ACTIVE.store(if recorded { RECORD } else { on.unwrap_or(usize::MAX / 2) }, Relaxed);
        });
        let active = ACTIVE.load(Relaxed);
        if active != RECORD {
            return active;
        }
        if !REACHED[site].swap(true, Relaxed) {
            if let Some(path) = std::env::var_os("FUSEBOX_MUTANT_REACHED") {
                let list = OpenOptions::new().create(true).append(true).open(path);
                list.and_then(|mut list| list.write_all(format!("{site}\n").as_bytes()))
                    .expect("what is reached can be written down");
            }
        }
        usize::MAX / 2
    }
}
