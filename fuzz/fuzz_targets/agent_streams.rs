//! Any lines as what an agent prints: every reader comes to an end of the run.

#![no_main]

use fusebox_agents::{AGENTS, Exit, LineSplitter, Reading, Stream};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for agent in AGENTS {
        let mut reader = agent.reader(Reading::default());
        let mut events = Vec::new();
        let mut lines = LineSplitter::default();
        lines.push(bytes, |line| {
            reader.line(Stream::Stdout, line, 0, &mut events)
        });
        lines.finish(|line| reader.line(Stream::Stdout, line, 0, &mut events));
        reader.end(Exit::Code(0), 0);
    }
});
