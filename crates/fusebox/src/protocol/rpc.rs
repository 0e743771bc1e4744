//! JSON-RPC 2.0, a message a line.
//!
//! A line that is too long, is no JSON or no request is answered with an error and forgotten;
//! the next one is read as if nothing had happened. The pipe's end is the end.

use std::io::{self, BufRead, Write};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::refusal::{Code, Details, Refusal};
use crate::exit;
use crate::failure::Failure;

/// Some programs put this before their first character.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The longest message that is read. A report with the end of a log fits many times over.
const MOST_BYTES: usize = 1 << 20;

/// Answers the requests of one protocol.
pub(crate) trait Answers {
    /// Answers `method`, or says why not.
    fn answer(&mut self, method: &str, params: Params<'_>) -> Result<Box<RawValue>, Refusal>;
}

/// What came with a request, not yet understood.
#[derive(Clone, Copy)]
pub(crate) struct Params<'a>(Option<&'a RawValue>);

impl<'a> Params<'a> {
    /// Those that stand inside of others.
    pub(super) fn of(inner: Option<&'a RawValue>) -> Self {
        Self(inner)
    }

    /// What was meant; nothing at all is an empty object.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, Refusal> {
        let text = self.0.map_or("{}", RawValue::get);
        serde_json::from_str(text).map_err(|error| Refusal::new(Code::Params, error.to_string()))
    }
}

/// What names a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Id {
    Number(serde_json::Number),
    Text(String),
    Null(()),
}

#[derive(Deserialize)]
struct Incoming<'a> {
    jsonrpc: Option<String>,
    /// A message without one is a notification, which nobody waits for.
    #[serde(default, deserialize_with = "present")]
    id: Option<Id>,
    method: String,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Tells `null` from nothing.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Id>, D::Error> {
    Id::deserialize(deserializer).map(Some)
}

#[derive(Serialize)]
struct Outgoing<'a> {
    jsonrpc: &'static str,
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Problem<'a>>,
}

#[derive(Serialize)]
struct Problem<'a> {
    code: i32,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Details>,
}

/// Answers what comes on standard input, until it ends.
pub(crate) fn serve(answers: &mut impl Answers) -> Result<(), Failure> {
    let ended = converse(io::stdin().lock(), io::stdout().lock(), answers);
    match ended {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            exit::INTERNAL,
            format!("the other end can no longer be heard: {error}"),
        )),
        _ => Ok(()),
    }
}

pub(super) fn converse(
    mut input: impl BufRead,
    mut output: impl Write,
    answers: &mut impl Answers,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        let reply = match next_line(&mut input, &mut line)? {
            Heard::End => return Ok(()),
            Heard::TooLong => {
                let what = format!("a message may have {MOST_BYTES} bytes at most");
                refused(Id::Null(()), &Refusal::new(Code::Request, what))
            }
            Heard::Line => match reply(&line, answers) {
                Some(reply) => reply,
                None => continue,
            },
        };
        output.write_all(reply.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

enum Heard {
    Line,
    TooLong,
    End,
}

/// Reads a line, and never more of it than may be kept.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Heard> {
    line.clear();
    let (mut too_long, mut any) = (false, false);
    loop {
        let piece = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        if piece.is_empty() {
            return Ok(match (any, too_long) {
                (false, _) => Heard::End,
                (true, false) => Heard::Line,
                (true, true) => Heard::TooLong,
            });
        }
        any = true;
        let end = memchr::memchr(b'\n', piece);
        let taken = end.unwrap_or(piece.len());
        if line.len() + taken > MOST_BYTES {
            too_long = true;
        } else {
            line.extend_from_slice(&piece[..taken]);
        }
        input.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(if too_long {
                Heard::TooLong
            } else {
                Heard::Line
            });
        }
    }
}

/// The reply to a message, if one is due.
fn reply(line: &[u8], answers: &mut impl Answers) -> Option<String> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let message = match read(line) {
        Ok(message) => message,
        Err(refusal) => return Some(refused(Id::Null(()), &refusal)),
    };
    let id = match message.id {
        Some(Id::Null(())) => {
            let refusal = Refusal::new(Code::Request, "an `id` is a number or a text");
            return Some(refused(Id::Null(()), &refusal));
        }
        id => id,
    };
    let is_ours = message.jsonrpc.as_deref() == Some("2.0");
    let answer = match is_ours {
        true => answers.answer(&message.method, Params(message.params)),
        false => Err(Refusal::new(Code::Request, "`jsonrpc` must be \"2.0\"")),
    };
    // Who sends no `id` waits for nothing, whatever came of it.
    let id = id?;
    Some(match answer {
        Err(refusal) => refused(id, &refusal),
        Ok(result) => written(&Outgoing {
            jsonrpc: "2.0",
            id,
            result: Some(&result),
            error: None,
        }),
    })
}

/// The message that a line is.
fn read(line: &[u8]) -> Result<Incoming<'_>, Refusal> {
    let parse = |error: serde_json::Error| {
        let code = match error.classify() {
            serde_json::error::Category::Data => Code::Request,
            _ => Code::Parse,
        };
        Refusal::new(code, error.to_string())
    };
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    // A list would be taken for the fields of a message, in their order.
    if !line.trim_ascii_start().starts_with(b"{") {
        serde_json::from_slice::<IgnoredAny>(line).map_err(parse)?;
        return Err(Refusal::new(Code::Request, "a message is an object"));
    }
    serde_json::from_slice(line).map_err(parse)
}

fn refused(id: Id, refusal: &Refusal) -> String {
    written(&Outgoing {
        jsonrpc: "2.0",
        id,
        result: None,
        error: Some(Problem {
            code: refusal.code.number(),
            message: &refusal.message,
            data: refusal.data.as_ref(),
        }),
    })
}

/// An answer, ready to be sent.
pub(super) fn result(value: &impl Serialize) -> Result<Box<RawValue>, Refusal> {
    serde_json::value::to_raw_value(value)
        .map_err(|error| Refusal::new(Code::Internal, error.to_string()))
}

fn written(message: &Outgoing<'_>) -> String {
    let text = serde_json::to_string(message).unwrap_or_else(|_| {
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}"#.into()
    });
    fusebox_view::escape::json(&text).into_owned()
}

/// A door for the fuzzer: whatever is said, each reply is one message of the protocol.
#[cfg(feature = "fuzzing")]
pub(crate) fn converse_with(input: &[u8]) {
    struct Refuses;
    impl Answers for Refuses {
        fn answer(&mut self, method: &str, params: Params<'_>) -> Result<Box<RawValue>, Refusal> {
            let params: Vec<u32> = params.read()?;
            match params.is_empty() {
                true => Err(Refusal::unknown(method, "none")),
                false => result(&params),
            }
        }
    }
    let mut output = Vec::new();
    converse(input, &mut output, &mut Refuses).expect("memory does not fail");
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        let reply: serde_json::Value = serde_json::from_slice(line).expect("a reply is JSON");
        assert_eq!(reply["jsonrpc"], "2.0");
        assert!(reply.get("result").is_some() != reply.get("error").is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says what it was asked.
    struct Echo;

    impl Answers for Echo {
        fn answer(&mut self, method: &str, params: Params<'_>) -> Result<Box<RawValue>, Refusal> {
            let params: Vec<u32> = params.read()?;
            result(&(method, params))
        }
    }

    fn talk(input: &[u8]) -> Vec<String> {
        let mut output = Vec::new();
        converse(input, &mut output, &mut Echo).expect("memory does not fail");
        let text = String::from_utf8(output).expect("we write UTF-8");
        text.lines().map(str::to_owned).collect()
    }

    fn code(answer: &str) -> Option<i64> {
        let answer: serde_json::Value = serde_json::from_str(answer).ok()?;
        answer["error"]["code"].as_i64()
    }

    #[test]
    fn a_request_is_answered_under_its_name() {
        assert_eq!(
            talk(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":[1]}\n"),
            [r#"{"jsonrpc":"2.0","id":7,"result":["m",[1]]}"#]
        );
        // The last line needs no end, and empty ones are nothing.
        assert_eq!(
            talk(b"\n \n{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"m\",\"params\":[]}"),
            [r#"{"jsonrpc":"2.0","id":"a","result":["m",[]]}"#]
        );
    }

    #[test]
    fn nobody_is_told_what_came_of_a_notification() {
        for line in [
            &br#"{"jsonrpc":"2.0","method":"m","params":[]}"#[..],
            br#"{"jsonrpc":"2.0","method":"m","params":["wrong"]}"#,
        ] {
            assert!(talk(line).is_empty());
        }
    }

    #[test]
    fn what_makes_no_sense_is_answered_and_what_follows_is_heard() {
        let deep = "[".repeat(100_000);
        let long = "x".repeat(MOST_BYTES + 1);
        for (line, expected) in [
            ("nonsense", -32700),
            ("{\"jsonrpc\":", -32700),
            (deep.as_str(), -32700),
            (long.as_str(), -32600),
            ("[]", -32600),
            (r#"["2.0", 1, "m", []]"#, -32600),
            ("3", -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":3}"#, -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, -32600),
            (r#"{"id":1,"method":"m"}"#, -32600),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}"#,
                -32602,
            ),
        ] {
            let good = r#"{"jsonrpc":"2.0","id":2,"method":"m","params":[]}"#;
            let answers = talk(format!("{line}\n{good}\n").as_bytes());
            let shown: String = line.chars().take(60).collect();
            assert_eq!(answers.len(), 2, "{shown}: {answers:?}");
            assert_eq!(code(&answers[0]), Some(expected), "{shown}: {}", answers[0]);
            assert!(answers[1].contains("result"), "{shown}: {}", answers[1]);
        }
        let answers = talk(b"\xff\xfe\n");
        assert_eq!(code(&answers[0]), Some(-32700), "{answers:?}");
    }
}
