//! What a page asks of a loop: exactly what a person could type, with a reason, and
//! written down.
//!
//! Nothing here acts. A wish becomes the command line of [`crate::asked`], and the
//! command itself refuses whoever may not. Three things come before that: the token
//! (settled in `fusebox-serve`), a reason, and a look at who is at the other end,
//! because a token can be read by an agent of the same user. A release needs the
//! operator's key besides, handed over with each request and kept nowhere: a page is
//! no terminal on which a person could be asked.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;

use fusebox_files::regular;
use fusebox_serve::{Request, Response, Status};
use fusebox_top::Action;
use fusebox_view::{escape, phrase};
use serde::{Deserialize, Serialize};

use super::{json, peer};
use crate::asked;
use crate::caller;
use crate::cli::Global;
use crate::look::machine::{LoopId, Place};

/// The longest request that is read.
pub(crate) const BODY_BYTES: usize = 4 * 1024;
/// The longest reason, and the longest key.
const MOST_CHARS: usize = 500;
/// The most that is passed on of what a command said.
const SAID_LINES: usize = 12;
/// The widest that a line of it becomes.
const SAID_WIDTH: usize = 300;
/// What stands for a request that says nothing.
const NO_REASON: &[u8] = br#"{"reason": "none was given"}"#;
/// What can be asked for.
pub(super) const WORDS: [&str; 6] = ["trip", "reset", "pause", "resume", "stop", "skip"];

/// How wishes are carried out.
pub(crate) struct Actions {
    /// This program.
    pub(crate) program: PathBuf,
    /// Where every wish is written down.
    pub(crate) record: PathBuf,
}

/// What comes with a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    reason: String,
    /// The operator's key, for a release.
    #[serde(default)]
    key: Option<String>,
}

/// What came of it.
#[derive(Serialize)]
struct Told<'a> {
    done: bool,
    /// What the command said.
    said: &'a str,
}

#[derive(Serialize)]
struct Refused<'a> {
    error: &'a str,
}

/// Why a request is not carried out, and where the status does not say it, in words.
struct Refusal(Status, Option<String>);

impl Refusal {
    fn senseless(why: impl Into<String>) -> Self {
        Self(Status::BadRequest, Some(why.into()))
    }

    fn response(&self) -> Response {
        let Self(status, why) = self;
        let body = why
            .as_ref()
            .map(|error| serde_json::to_vec(&Refused { error }));
        match body {
            Some(Ok(body)) => Response::told(*status, body),
            Some(Err(_)) => Response::refused(Status::Failed),
            None => Response::refused(*status),
        }
    }
}

/// A line of the record: that something was asked for, and in a second one what came of
/// it. A wish without the second was cut short, and may have been carried out.
#[derive(Clone, Copy, Serialize)]
struct Line<'a> {
    time: &'a str,
    #[serde(rename = "loop")]
    id: &'a LoopId,
    action: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<&'a str>,
}

impl Actions {
    /// Carries out `word` on a loop, or says why not.
    pub(super) fn perform(
        &self,
        global: &Global,
        place: &Place,
        word: &str,
        request: &Request,
        now_ms: i64,
    ) -> Response {
        let asked = read(word, request).and_then(|wish| Ok((action(word, &wish)?, wish)));
        let (action, wish) = match asked {
            Ok(asked) => asked,
            Err(refusal) => return refusal.response(),
        };
        let asked = Line {
            time: &phrase::time(now_ms),
            id: &place.id,
            action: word,
            reason: &wish.reason,
            done: None,
            said: None,
        };
        // What cannot be written down is not done.
        if self.write_down(&asked).is_err() {
            return Response::refused(Status::Failed);
        }
        let came = self.attempt(global, place, &action, &wish, request.peer.zip(request.own));
        let (done, mut said) = match came {
            Ok(said) => (true, said),
            Err(why) => (false, why),
        };
        let came = Line {
            done: Some(done),
            said: Some(&said),
            ..asked
        };
        if let Err(error) = self.write_down(&came) {
            // It has happened all the same, and whoever asked has to know.
            said += &format!("\nthis could not be written down: {error}");
        }
        if done {
            return json(&Told { done, said: &said });
        }
        Refusal(Status::Conflict, Some(said)).response()
    }

    /// Carries it out and tells what the command said, or why it is not to be had.
    fn attempt(
        &self,
        global: &Global,
        place: &Place,
        action: &Action,
        wish: &Wish,
        ends: Option<(SocketAddr, SocketAddr)>,
    ) -> Result<String, String> {
        refuse_agents(ends)?;
        let mut command = asked::command(&self.program, global, place, action);
        command.env_remove("FUSEBOX_OPERATOR_KEY");
        if let Action::Reset { .. } = action {
            let Some(key) = wish.key.as_deref().filter(|key| !key.is_empty()) else {
                let why =
                    "a release needs the operator's key here, or `fusebox reset` in a terminal";
                return Err(why.into());
            };
            command.env("FUSEBOX_OPERATOR_KEY", key);
        }
        let ended = command.stdin(Stdio::null()).output();
        let ended = ended.map_err(|error| format!("it cannot be done: {error}"))?;
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = escape::block(said.trim(), SAID_LINES, SAID_WIDTH);
        if ended.status.success() {
            Ok(said)
        } else {
            // That it is an error is said by where it stands.
            let bare = said.strip_prefix("error: ").map(str::to_owned);
            Err(bare.unwrap_or(said))
        }
    }

    /// Anyone of this user may look at what was asked for, nobody else.
    fn write_down(&self, line: &Line<'_>) -> std::io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        regular::append(&self.record)?.write_all(text.as_bytes())
    }
}

fn action(word: &str, wish: &Wish) -> Result<Action, Refusal> {
    let reason = wish.reason.clone();
    Ok(match word {
        "trip" => Action::Trip { reason },
        "reset" => Action::Reset { reason },
        "pause" => Action::Pause,
        "resume" => Action::Resume,
        "stop" => Action::Stop,
        "skip" => Action::Skip,
        _ => return Err(Refusal(Status::NotFound, None)),
    })
}

fn read(word: &str, request: &Request) -> Result<Wish, Refusal> {
    if !request.may_be_json() {
        return Err(Refusal(Status::WrongMedia, None));
    }
    // What takes no reason when it is typed can be asked for without one.
    let terse = request.body.is_empty() && !matches!(word, "trip" | "reset");
    let body = if terse { NO_REASON } else { &request.body };
    let wish: Wish = serde_json::from_slice(body).map_err(|error| {
        let why = format!("it takes a reason, as in {{\"reason\": \"why\"}}: {error}");
        Refusal::senseless(escape::line(&why, SAID_WIDTH))
    })?;
    let reason = wish.reason.trim().to_owned();
    if reason.is_empty() {
        return Err(Refusal::senseless(
            "the reason is empty: say why, for whoever reads the history",
        ));
    }
    let sound = |text: &str| text.chars().count() <= MOST_CHARS && !text.contains('\0');
    if sound(&reason) && wish.key.as_deref().is_none_or(sound) {
        Ok(Wish { reason, ..wish })
    } else {
        Err(Refusal::senseless(format!(
            "a reason and a key have at most {MOST_CHARS} characters, and no zero among them"
        )))
    }
}

/// Whoever cannot be seen may be an agent. The ends of a connection are the other and this one.
fn refuse_agents(ends: Option<(SocketAddr, SocketAddr)>) -> Result<(), String> {
    let holders = ends.map(|(peer, own)| peer::holders(peer, own));
    let holders = holders.unwrap_or_default();
    if holders.is_empty() {
        let why = "who asks cannot be seen, and so may be an agent";
        return Err(why.into());
    }
    let refused = caller::refuse_agents_among(&holders, "acting through a page");
    refused.map_err(|failure| failure.what)
}

/// A door for the fuzzer: whatever a request brings along, it becomes one of the commands that a
/// person could type, with a reason and nothing else in it; without an end that can be seen it is
/// refused, and both are written down without the key.
#[cfg(feature = "fuzzing")]
pub(crate) fn asked_with(homes: &fusebox_store::Homes, global: &Global, body: &[u8]) {
    let places = crate::look::machine::places_in(homes).expect("the loops");
    let record = homes.state.join("actions.jsonl");
    let _ = std::fs::remove_file(&record);
    let actions = Actions {
        program: "/nowhere/fusebox".into(),
        record: record.clone(),
    };
    let mut request = Request::default();
    body.clone_into(&mut request.body);
    let mut asked = 0;
    for word in WORDS.into_iter().chain(["unknown"]) {
        let wish = read(word, &request).and_then(|wish| Ok((action(word, &wish)?, wish)));
        actions.perform(global, &places[0], word, &request, 0);
        let Ok((action, wish)) = wish else {
            continue;
        };
        asked += 1;
        let command = asked::command(&actions.program, global, &places[0], &action);
        let args: Vec<&str> = command.get_args().filter_map(|arg| arg.to_str()).collect();
        let reason = format!("--reason={}", wish.reason);
        let said: &[&str] = match word {
            "trip" | "reset" => &[word, &reason],
            "stop" => &[word, "--after-iteration"],
            "skip" => &["stop", "--skip-task"],
            other => &[other],
        };
        assert!(!wish.reason.is_empty() && args.ends_with(said), "{args:?}");
        assert_eq!(args[..4][0], "-C");
        assert_eq!(args.len(), 6 + said.len());
    }
    let text = std::fs::read_to_string(&record).unwrap_or_default();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    assert_eq!(lines.len(), 2 * asked);
    for line in lines {
        assert!(line["done"] != true && line.get("key").is_none(), "{line}");
    }
}
