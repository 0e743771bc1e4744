//! How fast a long stream of Claude Code is read, beside the least that any
//! reader would have to do: splitting it into lines and parsing each of them
//! into a plain struct. Measured in processor time, on one core.
//!
//! ```text
//! cargo run --release -p fusebox-agents --example parse_speed
//! ```

#![expect(
    clippy::print_stdout,
    reason = "a program that prints what it measured"
)]

use std::hint::black_box;
use std::time::Duration;

use fusebox_agents::{AgentEvent, Exit, LineSplitter, Reading, Stream, by_name};
use serde::Deserialize;
use serde_json::value::RawValue;

const STREAM_BYTES: usize = 200 * 1_000_000;
const CHUNK_BYTES: usize = 64 * 1024;
const ROUNDS: usize = 3;

/// A few turns with tool answers of ordinary and of large size.
fn conversation() -> Vec<u8> {
    let mut text = String::new();
    for turn in 0..200 {
        let code = "    let limit = retry.after().min(MAX);\\n\\treturn \\\"x\\\"; // ok\\n";
        let answer = code.repeat(if turn % 20 == 0 { 4000 } else { 30 });
        text.push_str(&format!(
            r#"{{"type":"assistant","message":{{"id":"msg_{turn}","role":"assistant","model":"m","content":[{{"type":"text","text":"Next I look at file {turn} and at who calls it."}}],"usage":{{"input_tokens":900,"output_tokens":1}}}},"parent_tool_use_id":null,"session_id":"s"}}
{{"type":"assistant","message":{{"id":"msg_{turn}","role":"assistant","model":"m","content":[{{"type":"tool_use","id":"call_{turn}","name":"Read","input":{{"file_path":"/src/file_{turn}.rs","limit":200}}}}],"usage":{{"input_tokens":900,"output_tokens":1}}}},"parent_tool_use_id":null,"session_id":"s"}}
{{"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"call_{turn}","type":"tool_result","content":"{answer}","is_error":false}}]}},"parent_tool_use_id":null,"session_id":"s","tool_use_result":{{"stdout":"{answer}","stderr":"","interrupted":false}},"tool_result_meta":[{{"id":"call_{turn}","permission_decision":{{"decision":"accept"}}}}]}}
"#
        ));
    }
    text.into_bytes()
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed, not used")]
struct PlainLine {
    #[serde(rename = "type")]
    kind: String,
    session_id: String,
    message: PlainMessage,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed, not used")]
struct PlainMessage {
    id: Option<String>,
    content: Vec<PlainBlock>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed, not used")]
struct PlainBlock {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Box<RawValue>>,
    tool_use_id: Option<String>,
    content: Option<String>,
}

/// Time this thread has spent on a processor, so that a busy machine does not
/// make the figures worse than they are.
fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat");
    let statistics = statistics.expect("Linux with scheduler statistics");
    let nanos = statistics
        .split(' ')
        .next()
        .and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.expect("a number"))
}

fn fed(block: &[u8], mut take: impl FnMut(&[u8])) -> (usize, Duration) {
    let begun = processor_time();
    let mut bytes = 0;
    while bytes < STREAM_BYTES {
        block.chunks(CHUNK_BYTES).for_each(&mut take);
        bytes += block.len();
    }
    (bytes, processor_time() - begun)
}

fn read_as_events(block: &[u8]) -> (usize, Duration, usize) {
    let mut reader = by_name("claude")
        .expect("one of ours")
        .reader(Reading::default());
    let mut lines = LineSplitter::default();
    let mut events: Vec<AgentEvent> = Vec::new();
    let mut count = 0;
    let (bytes, took) = fed(block, |chunk| {
        lines.push(chunk, |line| {
            reader.line(Stream::Stdout, line, 0, &mut events);
        });
        count += events.len();
        black_box(&events);
        events.clear();
    });
    black_box(reader.end(Exit::Code(0), 0));
    (bytes, took, count)
}

fn parse_plainly(block: &[u8]) -> (usize, Duration) {
    let mut lines = LineSplitter::default();
    fed(block, |chunk| {
        lines.push(chunk, |line| {
            let parsed: PlainLine = serde_json::from_slice(line.bytes).expect("a line");
            black_box(parsed);
        });
    })
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn megabytes_a_second(bytes: usize, took: Duration) -> f64 {
    bytes as f64 / 1e6 / took.as_secs_f64()
}

fn main() {
    let block = conversation();
    println!("round  events MB/s  plain serde MB/s  ratio  events");
    for round in 1..=ROUNDS {
        let (bytes, took, events) = read_as_events(&block);
        let events_speed = megabytes_a_second(bytes, took);
        let (bytes, took) = parse_plainly(&block);
        let plain_speed = megabytes_a_second(bytes, took);
        println!(
            "{round:>5}  {events_speed:>11.0}  {plain_speed:>16.0}  {:>5.2}  {events}",
            events_speed / plain_speed,
        );
    }
}
