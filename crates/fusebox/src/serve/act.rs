//! What a page asks of a loop: exactly what a person could type, with a reason, and
//! written down.
//!
//! Nothing here acts. A wish becomes the command line of [`crate::asked`], and the
//! command itself refuses whoever may not. Three things come before that: the token
//! (settled in `fusebox-serve`), a reason, and a look at who is at the other end,
//! because a token can be read by an agent of the same user. A release needs the
//! operator's key besides, handed over with each request and kept nowhere: a page is
//! no terminal on which a person could be asked.

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use fusebox_serve::{Request, Response, Status};
use fusebox_top::Action;
use fusebox_view::{escape, phrase};
use serde::{Deserialize, Serialize};

use super::{json, peer};
use crate::cli::Global;
use crate::look::machine::{LoopId, Place};
use crate::{asked, authority};

/// The longest request that is read.
pub(crate) const BODY_BYTES: usize = 4 * 1024;
/// The longest reason, and the longest key.
const MOST_CHARS: usize = 500;
/// The most that is passed on of what a command said.
const SAID_LINES: usize = 12;
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

/// A line of the record.
#[derive(Serialize)]
struct Line<'a> {
    time: String,
    #[serde(rename = "loop")]
    id: &'a LoopId,
    action: &'a str,
    reason: &'a str,
    done: bool,
    said: &'a str,
}

/// What is wrong with a wish.
enum Fault {
    /// It is not one.
    Request(Status),
    /// It is not to be had, and why.
    Refused(String),
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
        let wish = match read(request) {
            Ok(wish) => wish,
            Err(status) => return Response::refused(status),
        };
        let came = self.attempt(global, place, word, &wish, request.peer);
        let (done, said) = match came {
            Ok(said) => (true, said),
            Err(Fault::Request(status)) => return Response::refused(status),
            Err(Fault::Refused(why)) => (false, why),
        };
        let line = Line {
            time: phrase::time(now_ms),
            id: &place.id,
            action: word,
            reason: &wish.reason,
            done,
            said: &said,
        };
        if self.write_down(&line).is_err() {
            return Response::refused(Status::Failed);
        }
        if done {
            return json(&Told { done, said: &said });
        }
        let refused = serde_json::to_vec(&Refused { error: &said });
        refused.map_or_else(|_| Response::refused(Status::Failed), Response::conflict)
    }

    fn attempt(
        &self,
        global: &Global,
        place: &Place,
        word: &str,
        wish: &Wish,
        peer: Option<SocketAddr>,
    ) -> Result<String, Fault> {
        let reason = wish.reason.clone();
        let action = match word {
            "trip" => Action::Trip { reason },
            "reset" => Action::Reset { reason },
            "pause" => Action::Pause,
            "resume" => Action::Resume,
            "stop" => Action::Stop,
            "skip" => Action::Skip,
            _ => return Err(Fault::Request(Status::NotFound)),
        };
        refuse_agents(peer)?;
        let mut command = asked::command(&self.program, global, place, &action);
        command.env_remove("FUSEBOX_OPERATOR_KEY");
        if let Action::Reset { .. } = action {
            let Some(key) = wish.key.as_deref().filter(|key| !key.is_empty()) else {
                let why =
                    "a release needs the operator's key here, or `fusebox reset` in a terminal";
                return Err(Fault::Refused(why.into()));
            };
            command.env("FUSEBOX_OPERATOR_KEY", key);
        }
        let ended = command.stdin(Stdio::null()).output();
        let ended = ended.map_err(|error| Fault::Refused(format!("it cannot be done: {error}")))?;
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = escape::block(said.trim(), SAID_LINES, 300);
        if ended.status.success() {
            Ok(said)
        } else {
            Err(Fault::Refused(said))
        }
    }

    /// Anyone of this user may look at what was asked for, nobody else.
    fn write_down(&self, line: &Line<'_>) -> std::io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        let mut file = File::options()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&self.record)?;
        file.write_all(text.as_bytes())
    }
}

fn read(request: &Request) -> Result<Wish, Status> {
    if !request.is_json() {
        return Err(Status::WrongMedia);
    }
    let wish: Wish = serde_json::from_slice(&request.body).map_err(|_| Status::BadRequest)?;
    let reason = wish.reason.trim().to_owned();
    let sound = |text: &str| text.chars().count() <= MOST_CHARS && !text.contains('\0');
    if !reason.is_empty() && sound(&reason) && wish.key.as_deref().is_none_or(sound) {
        Ok(Wish { reason, ..wish })
    } else {
        Err(Status::BadRequest)
    }
}

/// Whoever cannot be seen may be an agent.
fn refuse_agents(peer: Option<SocketAddr>) -> Result<(), Fault> {
    let holders = peer.map(peer::holders).unwrap_or_default();
    if holders.is_empty() {
        let why = "who asks cannot be seen, and so may be an agent";
        return Err(Fault::Refused(why.into()));
    }
    let refused = authority::refuse_agents_among(&holders, "acting through a page");
    refused.map_err(|failure| Fault::Refused(failure.what))
}
