//! From a request to what is sent back: the decisions, without a socket.

use crate::http::Incoming;
use crate::log::{Log, Request};
use crate::playback::Playback;
use crate::protocol::{self, Call, Event, Protocol, Question, Refusal, Turn};
use crate::{Reply, Step, Usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// What is said to calls for titles and summaries.
const ASIDE: &str = "A scripted session";

/// What goes back over the connection.
#[derive(Debug)]
pub(crate) enum Answer {
    Document {
        delay: Duration,
        status: u16,
        headers: BTreeMap<String, String>,
        body: Value,
    },
    Stream {
        delay: Duration,
        headers: BTreeMap<String, String>,
        events: Vec<Event>,
    },
    Hang,
    Drop,
}

/// A script, and how far it has been played.
#[derive(Debug)]
pub(crate) struct Model {
    playback: Playback,
    pub(crate) log: Log,
    turns: AtomicU64,
}

impl Model {
    pub(crate) fn following(playback: Playback) -> Self {
        Self {
            playback,
            log: Log::default(),
            turns: AtomicU64::new(0),
        }
    }

    pub(crate) fn answer(&self, incoming: &Incoming) -> Answer {
        let path = incoming.path.as_str();
        let question = Question::read(path, &incoming.json());
        let protocol = protocol::at(path).filter(|_| incoming.method == "POST");
        let declares_tools = question.declares_tools && protocol.is_some();
        self.log.add(Request {
            method: incoming.method.clone(),
            path: path.to_owned(),
            model: question.model.clone(),
            declares_tools,
            last_user_text: question.last_user_text.clone(),
            newest: question.newest.clone(),
            messages: question.messages,
        });
        let Some(protocol) = protocol else {
            return beside_the_model(&incoming.method, path);
        };
        let step = if declares_tools {
            self.playback.next()
        } else {
            Step::text(ASIDE)
        };
        self.play(step, protocol, &question)
    }

    fn play(&self, step: Step, protocol: &dyn Protocol, question: &Question) -> Answer {
        match step {
            Step::Reply(reply) => self.reply(reply, protocol, question),
            Step::Fail { failure } => refuse(protocol.refusal(failure, now())),
            Step::Status {
                code,
                headers,
                body,
            } => refuse(Refusal {
                status: code,
                headers,
                body,
            }),
            Step::BreakOff { text, failure } if question.wants_stream => {
                let turn = self.turn(question, text, Vec::new(), Usage::default());
                Answer::Stream {
                    delay: Duration::ZERO,
                    headers: BTreeMap::new(),
                    events: protocol.broken_off(&turn, failure),
                }
            }
            // A client that wants no stream learns of both halves at once.
            Step::BreakOff { failure, .. } => refuse(protocol.refusal(failure, now())),
            Step::Hang => Answer::Hang,
            Step::Drop => Answer::Drop,
        }
    }

    fn reply(&self, reply: Reply, protocol: &dyn Protocol, question: &Question) -> Answer {
        let calls = reply.calls.iter().map(|call| question.address(call));
        let calls = match calls.collect::<Result<_, String>>() {
            Ok(calls) => calls,
            Err(why) => return cannot(&why),
        };
        let turn = self.turn(question, reply.text, calls, reply.usage);
        let delay = Duration::from_millis(reply.delay_ms);
        let headers = reply.headers;
        if question.wants_stream {
            let events = protocol.stream(&turn);
            return Answer::Stream {
                delay,
                headers,
                events,
            };
        }
        Answer::Document {
            delay,
            status: 200,
            headers,
            body: protocol.whole(&turn),
        }
    }

    fn turn(&self, question: &Question, text: String, calls: Vec<Call>, usage: Usage) -> Turn {
        Turn {
            serial: self.turns.fetch_add(1, Ordering::Relaxed),
            model: question.model.clone().unwrap_or_default(),
            text,
            calls,
            usage,
        }
    }
}

/// Clients probe that the server is there, list models and count tokens.
fn beside_the_model(method: &str, path: &str) -> Answer {
    let Usage { input, .. } = Usage::default();
    if path.ends_with("/count_tokens") {
        return document(200, json!({"input_tokens": input}));
    }
    if path.ends_with(":countTokens") {
        return document(200, json!({"totalTokens": input}));
    }
    if method == "GET" && path.ends_with("/models") {
        return document(200, json!({"object": "list", "data": [], "models": []}));
    }
    if method == "HEAD" {
        return document(200, Value::Null);
    }
    let message = format!("there is no {path} here");
    document(
        404,
        json!({"error": {"type": "not_found_error", "message": message}}),
    )
}

/// The script asks for what the client cannot do: a mistake of its author,
/// and one that no client retries.
fn cannot(why: &str) -> Answer {
    document(
        400,
        json!({"error": {"type": "script_error", "message": why}}),
    )
}

fn document(status: u16, body: Value) -> Answer {
    refuse(Refusal {
        status,
        headers: BTreeMap::new(),
        body,
    })
}

fn refuse(refusal: Refusal) -> Answer {
    Answer::Document {
        delay: Duration::ZERO,
        status: refusal.status,
        headers: refusal.headers,
        body: refusal.body,
    }
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
