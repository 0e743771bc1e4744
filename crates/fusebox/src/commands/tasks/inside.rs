//! Tasks from inside a guarded tree: whoever asks has our commands at hand, and their
//! configuration, and would profit from a task that counts as done. So what the run has taken
//! is the run's: it alone gives it back, and it alone looks whether it is done.

use fusebox_supervise::{Ancestry, ancestry, ancestry_of};
use fusebox_tasks::{Desk, Item, Kept};
use fusebox_view::escape;

use super::Verb;
use crate::exit;
use crate::failure::Failure;

impl Verb<'_> {
    /// Refuses to give back what the run has taken that this process belongs to.
    pub(super) fn refuse_giving_back(&mut self, id: &str) -> Result<(), Failure> {
        let ancestry = ancestry();
        let now = self.now();
        if !ancestry.is_guarded() {
            return Ok(());
        }
        let item = self.open.desk.find(id, &now)?;
        if !is_of_a_run(&ancestry, &self.open.desk, &item) {
            return Ok(());
        }
        let shown = escape::line(id, 80);
        let what = format!("task {shown} is refused to be given back here: the run has taken it");
        Err(Failure::new(exit::REFUSED, what)
            .hint("`fusebox tasks block` gives it up; a person takes it up again"))
    }

    /// Takes down that the agent of a run says that its task is done, for the run to look;
    /// `None` outside of one that works through this list.
    pub(super) fn said_inside(
        &mut self,
        id: &str,
        word: Option<&str>,
    ) -> Result<Option<u8>, Failure> {
        let ancestry = ancestry();
        if !ancestry.is_guarded() {
            return Ok(None);
        }
        let now = self.now();
        let item = self.open.desk.find(id, &now)?;
        if is_of_a_run(&ancestry, &self.open.desk, &item) {
            let word = word.unwrap_or("the agent says so");
            let told = match self.open.desk.say_done(id, word, &now)? {
                Kept::Recorded => "is said to be done; the run looks whether anything shows it",
                Kept::NotExpressible => "is as it was; say that it is done, and the run looks",
            };
            return self.after(id, told).map(Some);
        }
        let items = self.open.desk.look(&now)?;
        let desk = &self.open.desk;
        let mut taken = items.iter();
        let Some(taken) = taken.find(|item| is_of_a_run(&ancestry, desk, item)) else {
            return Ok(None);
        };
        let (id, taken) = (escape::line(id, 80), escape::line(&taken.task.id, 80));
        let what = format!("task {id} cannot be closed here: this run works on {taken}");
        Err(Failure::new(exit::REFUSED, what).hint("its turn comes; or a person closes it"))
    }
}

/// Whether a run has taken the task that stands above whoever this is the line of: a worker
/// inside the same tree is the agent's own, one beyond its keeper is not.
fn is_of_a_run(ancestry: &Ancestry, desk: &Desk, item: &Item) -> bool {
    // A number alone may be another process by now, or one of another machine.
    let Some(worker) = desk.at_work(item) else {
        return false;
    };
    let line = &ancestry.line;
    match line.iter().position(|one| one.pid == worker.pid) {
        Some(place) => line[..place].iter().any(|one| one.is_keeper),
        None => !ancestry_of(worker.pid).is_guarded(),
    }
}
