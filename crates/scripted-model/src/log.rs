//! What was asked, for assertions afterwards.

use serde::Serialize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An agent caught in a loop may ask for ever; the first requests tell why.
const REQUESTS_KEPT: usize = 4096;

/// Prompts repeat the whole conversation; an assertion needs its end only.
const TEXT_KEPT: usize = 4096;

/// One request that a client made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The HTTP method.
    pub method: String,
    /// The path without its query, which may carry a key.
    pub path: String,
    /// The model that was asked for, if one was named.
    pub model: Option<String>,
    /// Whether tools were declared, that is: whether this took a step of the
    /// script rather than being a call for a title or a summary.
    pub declares_tools: bool,
    /// The last thing that the user's side said, shortened to its end.
    pub last_user_text: Option<String>,
    /// The newest messages of the conversation as they were sent, results of
    /// tools among them, shortened to their end.
    pub newest: String,
    /// How many messages the conversation had: more than at the beginning of
    /// a session, if one goes on.
    pub messages: usize,
}

/// The first requests, and how many there were in all.
#[derive(Debug, Default)]
pub(crate) struct Log {
    kept: Mutex<Kept>,
    grown: Condvar,
}

#[derive(Debug, Default)]
struct Kept {
    requests: Vec<Request>,
    steps_taken: usize,
}

impl Log {
    pub(crate) fn add(&self, mut request: Request) {
        request.last_user_text = request.last_user_text.as_deref().map(end_of);
        request.newest = end_of(&request.newest);
        let mut kept = self.lock();
        kept.steps_taken += usize::from(request.declares_tools);
        if kept.requests.len() < REQUESTS_KEPT {
            kept.requests.push(request);
        }
        self.grown.notify_all();
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    pub(crate) fn steps_taken(&self) -> usize {
        self.lock().steps_taken
    }

    /// Waits until so many steps were taken, and says whether they were.
    pub(crate) fn wait_for_steps(&self, count: usize, patience: Duration) -> bool {
        let too_few = |kept: &mut Kept| kept.steps_taken < count;
        let (kept, _) = self
            .grown
            .wait_timeout_while(self.lock(), patience, too_few)
            .unwrap_or_else(PoisonError::into_inner);
        kept.steps_taken >= count
    }

    /// A panic while the lock is held leaves at worst one request less in the
    /// list, which is no reason for a second panic.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end_of(text: &str) -> String {
    let surplus = text.len().saturating_sub(TEXT_KEPT);
    let cut = (surplus..).find(|&index| text.is_char_boundary(index));
    text[cut.unwrap_or(text.len())..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Request {
        Request {
            method: "POST".to_owned(),
            path: "/v1/messages".to_owned(),
            model: None,
            declares_tools: true,
            last_user_text: Some(text.to_owned()),
            newest: String::new(),
            messages: 1,
        }
    }

    #[test]
    fn a_client_that_asks_for_ever_does_not_fill_the_memory() {
        let log = Log::default();
        for _ in 0..REQUESTS_KEPT + 5 {
            log.add(asked("again"));
        }
        assert_eq!(log.requests().len(), REQUESTS_KEPT);
        assert_eq!(log.steps_taken(), REQUESTS_KEPT + 5);
    }

    #[test]
    fn a_long_prompt_keeps_its_end() {
        let log = Log::default();
        log.add(asked(&format!("{}the question", "ä".repeat(TEXT_KEPT))));
        let requests = log.requests();
        let text = requests[0].last_user_text.as_deref().unwrap();
        assert!(text.len() <= TEXT_KEPT, "{} bytes", text.len());
        assert!(text.ends_with("the question"), "{text}");
    }

    #[test]
    fn waiting_ends_when_the_steps_were_taken_or_patience_ends() {
        let log = Log::default();
        assert!(!log.wait_for_steps(1, Duration::from_millis(10)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| log.wait_for_steps(2, Duration::from_secs(20)));
            log.add(asked("one"));
            log.add(asked("two"));
            assert!(waiting.join().unwrap());
        });
    }
}
