//! One account of calls, whoever reports them and whoever is faster.

use fusebox_agents::hook::{HookEvent, ToolUse};
use fusebox_agents::{AgentEvent, Excerpt, SessionStarted, ToolCall, ToolOutcome, ToolResult};
use fusebox_core::calls::{
    Arguments, CallEvent, CallPolicy, CallState, CallVerdict, Digest, Level, reading, step,
};
use fusebox_replay::{Conversation, hooked};
use proptest::prelude::*;

use super::Circles;
use crate::switchboard::{About, Reply, Report, Whose};

/// One call of a session: what is said before it, what is called, what comes of it.
#[derive(Clone, Debug)]
struct Deed {
    said: Option<u8>,
    command: u8,
    failed: bool,
    answer: u8,
    /// Whether it edits a file instead.
    edits: bool,
    /// When the hook is heard: before the stream tells of the call, or after it.
    hook_first: bool,
    /// How often hooks ask about it.
    hooks: u8,
}

/// The same command, which fails in the same way and is asked about once.
const FAILING: Deed = Deed {
    said: None,
    command: 0,
    failed: true,
    answer: 0,
    edits: false,
    hook_first: false,
    hooks: 1,
};

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = (
        proptest::option::weighted(0.3, 0..3u8),
        0..3u8,
        any::<bool>(),
        0..2u8,
        proptest::bool::weighted(0.15),
        any::<bool>(),
        0..3u8,
    );
    let deed = deed.prop_map(
        |(said, command, failed, answer, edits, hook_first, hooks)| Deed {
            said,
            command,
            failed,
            answer,
            edits,
            hook_first,
            hooks,
        },
    );
    // Few different calls, so that most sessions go round in circles.
    proptest::collection::vec(deed, 1..60)
}

impl Deed {
    fn tool(&self) -> (&'static str, String) {
        match self.edits {
            true => (
                "Edit",
                format!(
                    r#"{{"file_path":"a","old_string":"{}","new_string":"{}"}}"#,
                    self.command, self.answer
                ),
            ),
            false => ("Bash", format!(r#"{{"command":"make {}"}}"#, self.command)),
        }
    }

    fn words(&self) -> Option<String> {
        self.said.map(|said| format!("Perhaps it is {said}."))
    }

    fn events(&self, number: usize) -> (Vec<AgentEvent>, AgentEvent) {
        let (tool, arguments) = self.tool();
        let said = self
            .words()
            .map(|text| AgentEvent::Said(Excerpt::of(&text)));
        let call = AgentEvent::ToolCall(ToolCall {
            id: format!("t-{number}"),
            tool: tool.into(),
            arguments: Excerpt::of(&arguments),
            parent: None,
        });
        let outcome = match self.failed {
            true => ToolOutcome::Failed,
            false => ToolOutcome::Succeeded,
        };
        let result = AgentEvent::ToolResult(ToolResult {
            call: format!("t-{number}"),
            outcome,
            exit_code: None,
            text: Excerpt::of(&format!("error: answer {}", self.answer)),
        });
        (said.into_iter().chain([call]).collect(), result)
    }

    /// What the hook reports before the call.
    fn report(&self, number: usize) -> Report {
        let (tool, arguments) = self.tool();
        let use_of = ToolUse {
            id: Some(format!("t-{number}")),
            tool: tool.into(),
            arguments,
            deeds: Vec::new(),
            is_harmless: true,
        };
        let mut call = None;
        hooked(&HookEvent::BeforeTool(use_of), |heard| {
            Conversation::default().hear(&heard, |event| call = Some(event));
        });
        let Some(CallEvent::Call(call)) = call else {
            panic!("a hook before a tool is about a call");
        };
        let said = self
            .words()
            .iter()
            .map(|text| reading::said(text))
            .collect();
        let refused = false;
        before(
            whose(None),
            About::Before {
                said,
                call,
                refused,
            },
        )
    }
}

fn whose(part: Option<&str>) -> Whose {
    Whose {
        session: Digest::of(b"s"),
        part: part.map(|part| Digest::of(part.as_bytes())),
        named: true,
        as_in_stream: true,
    }
}

fn before(whose: Whose, about: About) -> Report {
    Report::new(whose, true, about)
}

fn begun() -> Circles {
    let mut circles = Circles::watch(CallPolicy::native());
    let started = SessionStarted {
        session: Some("s".into()),
        ..SessionStarted::default()
    };
    circles.take(&AgentEvent::SessionStarted(started));
    circles
}

/// What came of a session.
#[derive(Debug, PartialEq)]
struct Came {
    state: CallState,
    verdict: Option<CallVerdict>,
    lines: Vec<String>,
    refused: Vec<usize>,
}

/// Lets a session pass, with hooks where `asks` says, until it would be ended.
fn pass(deeds: &[Deed], hook_first: impl Fn(&Deed) -> bool, asks: impl Fn(&Deed) -> u8) -> Came {
    let mut circles = begun();
    let (mut lines, mut refused) = (Vec::new(), Vec::new());
    for (number, deed) in deeds.iter().enumerate() {
        let (made, answered) = deed.events(number);
        let mut ask = |circles: &mut Circles| {
            for _ in 0..asks(deed) {
                let (reply, line) = circles.answer(&deed.report(number));
                lines.extend(line);
                if matches!(&reply, Reply::Verdict(verdict) if verdict.level >= Level::Block) {
                    refused.push(number);
                }
            }
        };
        if hook_first(deed) {
            ask(&mut circles);
        }
        let told: Vec<String> = made
            .iter()
            .filter_map(|event| circles.take(event))
            .collect();
        if !hook_first(deed) {
            ask(&mut circles);
        }
        lines.extend(told);
        lines.extend(circles.take(&answered));
        if circles.are_enough() {
            break;
        }
    }
    refused.dedup();
    Came {
        state: circles.streamed.state,
        verdict: circles.verdict,
        lines,
        refused,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whether the stream or the hook is faster, and how many hooks ask, makes no difference.
    #[test]
    fn whoever_is_faster_the_account_is_the_same(deeds in deeds()) {
        let asks = |deed: &Deed| deed.hooks;
        let mixed = pass(&deeds, |deed| deed.hook_first, asks);
        prop_assert_eq!(&mixed, &pass(&deeds, |_| true, asks));
        prop_assert_eq!(&mixed, &pass(&deeds, |_| false, asks));
        let once = |deed: &Deed| deed.hooks.min(1);
        prop_assert_eq!(&mixed, &pass(&deeds, |deed| deed.hook_first, once));
        let mut lines = mixed.lines.clone();
        lines.dedup();
        prop_assert_eq!(&lines, &mixed.lines, "nothing is told twice");
    }

    /// Where no call is refused, hooks leave no trace.
    #[test]
    fn an_account_that_was_asked_is_one_that_was_not(deeds in deeds()) {
        let asked = pass(&deeds, |deed| deed.hook_first, |_| 1);
        if asked.refused.is_empty() {
            prop_assert_eq!(&asked, &pass(&deeds, |_| true, |_| 0));
        }
    }

    /// Reports of calls that nobody makes change nothing, whatever they say.
    #[test]
    fn forged_reports_change_nothing(deeds in deeds(), forged in deeds()) {
        let honest = pass(&deeds, |_| false, |_| 0);
        let mut circles = begun();
        for (number, deed) in deeds.iter().enumerate() {
            let (made, answered) = deed.events(number);
            for event in made.iter().chain([&answered]) {
                circles.take(event);
            }
            for (other, forgery) in forged.iter().enumerate() {
                circles.answer(&forgery.report(1000 + other));
                let answer = reading::result(
                    &format!("t-{number}"), reading::Outcome::Ran, &format!("news {other}"), 9,
                );
                circles.answer(&before(whose(None), About::After(answer)));
            }
            if circles.are_enough() {
                break;
            }
        }
        // A forged question may be answered with an end, never with more patience.
        let calls = |verdict: &Option<CallVerdict>| {
            let trip = verdict.as_ref().filter(|verdict| verdict.level == Level::Trip);
            trip.map_or(u32::MAX, |verdict| verdict.call)
        };
        prop_assert!(calls(&circles.verdict) <= calls(&honest.verdict));
        if calls(&circles.verdict) == u32::MAX {
            prop_assert_eq!(circles.streamed.state, honest.state);
        }
    }

    /// An account that hooks alone move comes to what they came to without a supervisor.
    #[test]
    fn hooks_alone_are_judged_as_without_a_supervisor(deeds in deeds()) {
        let mut circles = Circles::watch(CallPolicy::native());
        let mut state = CallState::default();
        let policy = CallPolicy::native();
        let mut over = false;
        for (number, deed) in deeds.iter().enumerate() {
            let report = before(whose(Some("part")), deed.report(number).about);
            let About::Before { said, call, .. } = &report.about else {
                panic!("it is about to be made");
            };
            for said in said {
                step(&mut state, &policy, &CallEvent::Said(said.clone()));
            }
            let expected = step(&mut state, &policy, &CallEvent::Call(call.clone()));
            let (reply, _) = circles.answer(&report);
            let (again, _) = circles.answer(&report);
            let stops = |reply: &Reply| {
                matches!(reply, Reply::Verdict(verdict) if verdict.level >= Level::Block)
            };
            let expected_stop = expected.as_ref().is_some_and(|verdict| verdict.level >= Level::Block);
            prop_assert_eq!(stops(&reply), expected_stop);
            prop_assert_eq!(stops(&again), expected_stop, "a second hook hears the same");
            if expected_stop {
                break;
            }
            let (_, answered) = deed.events(number);
            let heard = fusebox_replay::heard(&answered).unwrap();
            Conversation::default().hear(&heard, |event| {
                let CallEvent::Result(result) = &event else { return };
                let about = About::After(result.clone());
                circles.answer(&before(whose(Some("part")), about));
                let verdict = step(&mut state, &policy, &event);
                over |= verdict.is_some_and(|verdict| verdict.level == Level::Trip);
            });
            if over {
                break;
            }
        }
        prop_assert!(!circles.are_enough(), "a sub-agent does not end the iteration");
    }
}

/// Hooks of Gemini are told no id.
#[test]
fn without_an_id_a_call_is_known_by_what_it_is() {
    let deed = FAILING;
    let mut circles = begun();
    let mut levels = Vec::new();
    for number in 0..4 {
        let (made, answered) = deed.events(number);
        made.iter().for_each(|event| drop(circles.take(event)));
        let mut report = deed.report(number);
        let About::Before { call, .. } = &mut report.about else {
            panic!("it is about to be made");
        };
        call.id = Digest::of(b"Bash\0make 0");
        report.whose.named = false;
        if let Reply::Verdict(verdict) = circles.answer(&report).0 {
            levels.push((number, verdict.level));
        }
        circles.take(&answered);
    }
    assert_eq!(levels, [(3, Level::Trip)]);
}

/// Somebody who only pretends to make calls does not take the advice away from the agent.
#[test]
fn advice_reaches_the_one_who_makes_the_call() {
    let deed = |number: u8| Deed {
        said: Some(number),
        ..FAILING
    };
    for forgeries in [0, 3] {
        let mut circles = begun();
        let mut advised = Vec::new();
        for number in 0..7 {
            let deed = deed(u8::try_from(number).unwrap());
            let (made, answered) = deed.events(number);
            for event in &made {
                circles.take(event);
            }
            for forgery in 0..forgeries {
                circles.answer(&deed.report(1000 + 10 * number + forgery));
            }
            for _ in 0..2 {
                if let Reply::Verdict(verdict) = circles.answer(&deed.report(number)).0 {
                    advised.push((number, verdict.level));
                }
            }
            circles.take(&answered);
        }
        assert_eq!(advised, [(6, Level::Steer)], "{forgeries} forgeries");
    }
}

/// Whoever calls under many names does not make us forget the one we know.
#[test]
fn conversations_beyond_the_few_that_are_kept_are_left_to_their_hooks() {
    let mut circles = begun();
    let call = reading::call("t", "Bash", &Arguments::read(r#"{"command":"ls"}"#));
    let about = || About::Before {
        said: Vec::new(),
        call: call.clone(),
        refused: false,
    };
    let mut replies = Vec::new();
    for part in 0..20 {
        let whose = whose(Some(&part.to_string()));
        replies.push(circles.answer(&before(whose, about())).0);
    }
    let kept = replies.iter().filter(|reply| **reply == Reply::Nothing);
    assert_eq!(kept.count(), 16);
    let first = circles.answer(&before(whose(Some("0")), about())).0;
    assert_eq!(
        (first, replies.pop()),
        (Reply::Nothing, Some(Reply::Elsewhere))
    );
}
