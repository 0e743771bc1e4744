//! How fast session files are read and judged, beside a bare parse of the same
//! bytes into the same fields, and how much memory that takes.
//!
//! Prints the bytes of the file, nanoseconds of the bare parse, of replaying it,
//! of replaying a file four times as long, of deciding about one call once its
//! events are made, and the peak of memory in kilobytes after a session of 512 MB,
//! or of 2 GB with `--full`.

#![expect(clippy::print_stdout, reason = "figures for whoever asked")]

use std::borrow::Cow;
use std::fmt::Write;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use fusebox_core::calls::{CallPolicy, CallState, step};
use fusebox_replay::{Judging, Recording, Told, read_from};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Rounds of one call and its answer in the shorter file.
const ROUNDS: usize = 4_000;
/// How often everything is measured; the fastest counts.
const TIMES: usize = 5;

/// The fields that replaying reads, and nothing else.
#[derive(Deserialize)]
struct Bare<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    uuid: Cow<'a, str>,
    #[serde(borrow, rename = "sessionId")]
    session: Cow<'a, str>,
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    #[serde(borrow)]
    message: BareMessage<'a>,
}

#[derive(Deserialize)]
struct BareMessage<'a> {
    #[serde(borrow, default)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    content: Vec<BareBlock<'a>>,
}

#[derive(Deserialize)]
struct BareBlock<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    tool_use_id: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Cow<'a, str>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--full");
    let short = session(ROUNDS, true);
    let long = session(4 * ROUNDS, true);
    let recorded = record(&short);
    let mut times = [Duration::MAX; 4];
    for _ in 0..TIMES {
        let measured = [
            timed(|| parse(&short)),
            timed(|| replay(&*short)),
            timed(|| replay(&*long)),
            timed(|| decide(&recorded)),
        ];
        for (best, time) in times.iter_mut().zip(measured) {
            *best = time.min(*best);
        }
    }
    let [parsed, replayed, replayed_long, decided] = times.map(|time| time.as_nanos());
    let decided = decided / u128::from(recorded.tally.calls.max(1));
    // Without names, so that no line is taken for a copy of another.
    let piece = session(200, false);
    let bytes = if full { 2 << 30 } else { 512 << 20 };
    replay(Endless {
        piece: &piece,
        at: 0,
        left: bytes,
    });
    println!(
        "{} {parsed} {replayed} {replayed_long} {decided} {}",
        short.len(),
        peak_memory()
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn parse(session: &[u8]) {
    for line in session
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let Ok(line) = serde_json::from_slice::<Bare<'_>>(line) else {
            continue;
        };
        let Bare {
            kind,
            uuid,
            session,
            timestamp,
            message,
        } = &line;
        std::hint::black_box((kind, uuid, session, timestamp, &message.model));
        for block in &message.content {
            let BareBlock {
                kind,
                text,
                name,
                tool_use_id,
                content,
                input,
            } = block;
            std::hint::black_box((kind, text, name, tool_use_id, content, input));
        }
    }
}

fn replay(session: impl Read) {
    let begin = || Judging::by(CallPolicy::native());
    let report = read_from("session", session, &begin, &mut |told| {
        std::hint::black_box(told);
    });
    std::hint::black_box(report);
}

/// The events of a session.
fn record(session: &[u8]) -> Told<Recording> {
    let mut recorded = None;
    read_from("session", session, &Recording::default, &mut |told| {
        recorded = Some(told);
    });
    recorded.expect("there is a session")
}

fn decide(session: &Told<Recording>) {
    let policy = CallPolicy::native();
    let mut state = CallState::default();
    for event in &session.outcome.0 {
        std::hint::black_box(step(&mut state, &policy, event));
    }
}

/// A session of Claude Code in which something is read, changed and tried.
fn session(rounds: usize, named: bool) -> Vec<u8> {
    let mut text = String::new();
    for round in 0..rounds {
        let (call, answer) = (2 * round, 2 * round + 1);
        let name = |line: usize| match named {
            true => format!(
                "\"uuid\":\"0d1f6c5e-{line:08}\",\"parentUuid\":\"0d1f6c5e-{:08}\",",
                line.wrapping_sub(1)
            ),
            false => String::new(),
        };
        let (tool, input) = match round % 3 {
            0 => (
                "Read",
                format!(
                    "{{\"file_path\":\"/project/src/part_{round}.rs\",\"offset\":1,\"limit\":200}}"
                ),
            ),
            1 => (
                "Edit",
                format!(
                    "{{\"file_path\":\"/project/src/part_{round}.rs\",\"old_string\":\"let a = {round};\",\"new_string\":\"let b = {round};\"}}"
                ),
            ),
            _ => (
                "Bash",
                format!("{{\"command\":\"cargo test part_{round} 2>&1 | tail -40\"}}"),
            ),
        };
        let _ = writeln!(
            text,
            "{{{}\"isSidechain\":false,\"sessionId\":\"5f0c\",\"version\":\"2.1.0\",\"type\":\"assistant\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{{\"id\":\"msg_{round}\",\"model\":\"claude\",\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"Now part {round}, which the next test needs.\"}},{{\"type\":\"tool_use\",\"id\":\"toolu_{round}\",\"name\":\"{tool}\",\"input\":{input}}}],\"usage\":{{\"input_tokens\":4,\"cache_read_input_tokens\":90000,\"output_tokens\":120}}}}}}",
            name(call)
        );
        let lines = (1..60).map(|line| {
            format!("{line:>6}→    let value_{line} = compute(&input[{line}], round_{round})?;\\n")
        });
        let _ = writeln!(
            text,
            "{{{}\"isSidechain\":false,\"sessionId\":\"5f0c\",\"version\":\"2.1.0\",\"type\":\"user\",\"timestamp\":\"2026-01-01T00:00:01.000Z\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_{round}\",\"content\":\"{}\"}}]}}}}",
            name(answer),
            lines.collect::<String>()
        );
    }
    text.into_bytes()
}

/// The same lines over and over, without a file or memory for them.
struct Endless<'a> {
    piece: &'a [u8],
    at: usize,
    left: usize,
}

impl Read for Endless<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            self.at = 0;
        }
        let rest = &self.piece[self.at..];
        let got = rest.len().min(into.len()).min(self.left);
        into[..got].copy_from_slice(&rest[..got]);
        self.at += got;
        self.left -= got;
        Ok(got)
    }
}

/// The most memory that this process ever had, in kilobytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = peak.and_then(|peak| peak.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
