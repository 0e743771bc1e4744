//! `fusebox demo`: the real loop, on a built-in agent, in a throw-away place.
//!
//! Everything below is what a user's own command would meet: the same
//! supervisor, the same measurements, the same memory. Only the agent is
//! scripted, and the memory belongs to nobody.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine;
use fusebox_supervise::Signals;

use super::Context;
use crate::cli::{Demo, Global, OnStagnation};
use crate::evidence::EvidencePlan;
use crate::exit;
use crate::failure::Failure;
use crate::run::{Bounds, Ending, Loop, NotifyPlan, Plan, Prompt, Ready, Screen, Stage, Work};
use crate::session::Session;

/// The iterations in which the scripted agent gets something done.
const PRODUCTIVE: [u64; 3] = [1, 2, 6];

/// How often somebody who wants it to end is looked for.
const PULSE: Duration = Duration::from_millis(50);

pub(super) fn run(context: &Context<'_>, args: &Demo) -> Result<u8, Failure> {
    // It is made to be watched: there is no data in it.
    let context = &Context {
        speech: context.speech.for_people(),
        ..*context
    };
    // Caught from the first act to the last: the loops catch them for as long as they run.
    let signals = Signals::catch()
        .map_err(|error| Failure::new(exit::INTERNAL, format!("cannot catch signals: {error}")))?;
    let place = Place::new()?;
    let session = place.session(context)?;
    let pace = if args.fast {
        Duration::ZERO
    } else {
        Duration::from_millis(1_200)
    };
    context.speech.data(&format!(
        "A small repository in {}, and an agent in a loop:\n  fusebox run -- agent\n",
        place.work.display()
    ));
    let mut show = Show {
        context,
        session: &session,
        pace,
        signals,
    };
    match show.acts() {
        Ok(true) => Ok(exit::GO),
        Ok(false) => Ok(exit::INTERNAL),
        Err(Over::Interrupted(signal)) => Ok(Ending::Signal(signal).code()),
        Err(Over::Failed(failure)) => Err(failure),
    }
}

/// Why the demonstration is over before its end.
enum Over {
    Failed(Failure),
    /// Somebody has seen enough.
    Interrupted(i32),
}

impl From<Failure> for Over {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The demonstration, act by act.
struct Show<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    pace: Duration,
    signals: Signals,
}

impl Show<'_> {
    /// Whether it went as it is meant to.
    fn acts(&mut self) -> Result<bool, Over> {
        let (session, speech) = (self.session, self.context.speech);

        self.act("the agent works, then stalls")?;
        let first = self.lap(None)?;

        self.act("fusebox explain")?;
        let look = session.look(machine::status)?;
        speech.data(&look.telling().explanation(&look.decision));

        self.act("a person looks at it: fusebox reset --reason 'gave the agent a hint'")?;
        let by = Actor {
            user: "you".into(),
            proof: AuthorityProof::Demonstration,
        };
        let reason = "gave the agent a hint".to_owned();
        session.try_apply(|circuit, policy, now| {
            machine::reset(circuit, policy, reason, by, now).map_err(Failure::from)
        })?;

        self.act("the agent continues")?;
        let second = self.lap(Some(1))?;
        speech.data(
            "\nThat was the real breaker on a scripted agent. Now your own command:\n  fusebox run -- YOUR COMMAND\n",
        );
        Ok(matches!(
            (first, second),
            (Ending::Opened(_), Ending::IterationsUsedUp(_))
        ))
    }

    /// Announces an act, and leaves time to read that.
    fn act(&mut self, title: &str) -> Result<(), Over> {
        self.context.speech.data(&format!("\n── {title} ──\n"));
        let began = Instant::now();
        loop {
            if let Some(signal) = self.signals.take() {
                return Err(Over::Interrupted(signal));
            }
            let left = self.pace.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(PULSE));
        }
    }

    fn lap(&self, iterations: Option<u64>) -> Result<Ending, Over> {
        let plan = plan(self.pace, iterations)?;
        let mut screen = Screen::new(self.context.speech, Stage::default());
        let mut ready = Ready::prepare(self.session, &plan, &mut screen)?;
        let ending = Loop::new(&plan, &mut ready, &mut screen).run()?;
        screen.ended(&ending, None);
        match ending {
            Ending::Signal(signal) => Err(Over::Interrupted(signal)),
            ending => Ok(ending),
        }
    }
}

fn plan(pace: Duration, iterations: Option<u64>) -> Result<Plan, Failure> {
    let exe = std::env::current_exe()
        .map_err(|error| Failure::new(exit::INTERNAL, format!("cannot find myself: {error}")))?;
    let words = vec![
        exe.into(),
        "__demo-agent".into(),
        pace.as_millis().to_string().into(),
    ];
    Ok(Plan {
        takes_tasks: false,
        work: Work::typed(words),
        prompt: Prompt::None,
        task: None,
        evidence: EvidencePlan::default(),
        bounds: Bounds {
            iterations,
            time: None,
            timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
            longest_wait: Duration::ZERO,
        },
        on_stagnation: OnStagnation::Abort,
        once: false,
        wait: false,
        answers: Vec::new(),
        guidance: None,
        skip_preflight: true,
        sandbox: None,
        notify: NotifyPlan::default(),
        party: None,
        remarks: Vec::new(),
    })
}

/// A work tree and a memory that vanish with the demonstration.
struct Place {
    top: PathBuf,
    work: PathBuf,
}

impl Place {
    fn new() -> Result<Self, Failure> {
        let top = std::env::temp_dir().join(format!("fusebox-demo-{}", std::process::id()));
        let failed = |error: std::io::Error| {
            Failure::new(
                exit::MISSING,
                format!("cannot create {}: {error}", top.display()),
            )
        };
        // Somebody else's directory of that name is not to be used.
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&top)
            .map_err(failed)?;
        let work = top.join("work");
        let place = Self {
            top: top.clone(),
            work,
        };
        fs::create_dir(&place.work).map_err(failed)?;
        fs::write(
            place.work.join("PLAN.md"),
            "- [ ] parser\n- [ ] tests\n- [ ] error messages\n",
        )
        .map_err(failed)?;
        Ok(place)
    }

    fn session(&self, context: &Context<'_>) -> Result<Session, Failure> {
        let global = &context.cli.global;
        let global = Global {
            directory: Some(self.work.clone()),
            circuit: "default".into(),
            preset: None,
            state_dir: Some(self.top.join("state")),
            config: None,
            json: false,
            color: global.color,
            quiet: global.quiet,
            verbose: global.verbose,
            deaf: false,
        };
        Session::open_in(&global, context.clock, Some(&self.top.join("data")))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}

/// The scripted agent: it works, gets stuck on one error, and works again after
/// somebody helped.
pub(crate) fn agent(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let pace: u64 = args
        .next()
        .and_then(|word| word.to_str()?.parse().ok())
        .unwrap_or(0);
    let iteration: u64 = std::env::var("FUSEBOX_ITERATION")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1);
    std::thread::sleep(Duration::from_millis(pace));
    let mut out = std::io::stdout().lock();
    let said = if PRODUCTIVE.contains(&iteration) {
        let name = format!("part_{iteration}.rs");
        match fs::write(
            Path::new(&name),
            format!("pub fn part_{iteration}() -> u64 {{\n    {iteration}\n}}\n"),
        ) {
            Ok(()) => writeln!(out, "agent: I wrote {name}, the tests pass."),
            Err(error) => writeln!(out, "agent: I could not write {name}: {error}"),
        }
    } else {
        writeln!(
            out,
            "agent: Almost done! Trying the same fix again.\nerror[E0308]: mismatched types"
        )
    };
    ExitCode::from(u8::from(said.is_err()))
}
