//! Finding status blocks in a text, and their fields.

use crate::markdown::{Fences, Line};

/// Longer than any block that an agent writes on purpose.
const MOST_LINES: usize = 200;
/// More blocks than anybody reads: only the last ones are looked at.
const MOST_BLOCKS: usize = 16;
/// A word of goodbye, a remark of a script, the bill: anything longer is more work, or a log.
const MOST_BELOW: usize = 20;
const NAMES: [&str; 2] = ["RALPH_STATUS", "PRP_PHASE_STATUS"];

/// A block that was opened and closed.
pub(super) struct Block<'a> {
    /// Names in capital letters with their values, in order.
    pub(super) fields: Vec<(String, String)>,
    quoted: bool,
    name: &'a str,
    /// What stands in it.
    lines: Vec<&'a str>,
    /// The line above it that is not empty and in no block.
    above: Option<&'a str>,
    /// How many such lines there are below it.
    below: usize,
}

impl Block<'_> {
    /// Whether this is `prompt`'s block where it stands in the prompt, printed again. An agent
    /// that was told what to say says the same, but below words of its own.
    fn repeats(&self, prompt: &Block<'_>) -> bool {
        self.lines == prompt.lines
            && self.above == prompt.above
            && (self.above.is_some() || self.below > 0)
    }
}

/// The closed blocks of a text, in order.
///
/// A block between code fences is a quotation, most often of the template. Agents do fence
/// the real one as well, though: it counts if it is all that there is, with nothing said
/// after it.
pub(super) fn find(text: &str) -> Vec<Block<'_>> {
    said(all(text))
}

/// The same for what a program printed, which is its messages and anything else: nothing that it
/// repeats of its `prompt`, and nothing that is far from the end.
pub(super) fn find_printed<'a>(text: &'a str, prompt: &str) -> Vec<Block<'a>> {
    let given = all(prompt);
    let mut blocks = said(all(text));
    blocks.retain(|block| {
        block.below <= MOST_BELOW && !given.iter().any(|prompt| block.repeats(prompt))
    });
    blocks
}

/// Without quotations: they are said only where they are all that there is, at the end.
fn said(mut closed: Vec<Block<'_>>) -> Vec<Block<'_>> {
    let spoken = |block: &Block<'_>| !block.quoted;
    if closed.iter().any(spoken) {
        closed.retain(spoken);
    } else {
        closed.retain(|block| block.below == 0);
    }
    closed
}

/// All that are closed, in order.
fn all(text: &str) -> Vec<Block<'_>> {
    let mut fences = Fences::default();
    let mut above = None;
    let mut open: Option<Block<'_>> = None;
    let mut closed: Vec<Block<'_>> = Vec::new();
    for line in text.lines() {
        let quoted = match fences.take(line) {
            Line::Fence => {
                open = None;
                continue;
            }
            kind => kind == Line::Quoted,
        };
        let bare = line.trim().trim_matches('*');
        if let Some(name) = delimiter(bare, "") {
            open = Some(Block {
                fields: Vec::new(),
                quoted,
                name,
                lines: Vec::new(),
                above,
                below: 0,
            });
        } else if let Some(name) = delimiter(bare, "END_") {
            if let Some(mut block) = open.take().filter(|block| block.name == name) {
                block.fields = fields(&block.lines);
                closed.push(block);
            }
        } else if let Some(block) = &mut open {
            block.lines.push(line.trim_end());
            if block.lines.len() > MOST_LINES {
                open = None;
            }
        } else if !bare.is_empty() {
            above = Some(bare);
            for block in &mut closed {
                block.below += 1;
            }
        }
        if closed.len() > MOST_BLOCKS {
            closed.remove(0);
        }
    }
    closed
}

/// The name in `---NAME---`.
fn delimiter(line: &str, prefix: &str) -> Option<&'static str> {
    let inner = line.strip_prefix("---")?.strip_suffix("---")?;
    let name = inner.strip_prefix(prefix)?;
    NAMES.into_iter().find(|known| *known == name)
}

/// Reads `NAME: value`, sections of indented fields, and lists of `- item`.
fn fields(lines: &[&str]) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut fields = Vec::new();
    for line in lines {
        // Emphasis is decoration.
        let plain = line.replace(['*', '`'], "");
        let is_indented = plain.starts_with([' ', '\t']);
        let text = plain.trim();
        if let Some(item) = text.strip_prefix("- ").filter(|_| !section.is_empty()) {
            fields.push((section.clone(), item.trim().to_owned()));
            continue;
        }
        let Some((name, value)) = text.split_once(':').filter(|(name, _)| is_name(name)) else {
            continue;
        };
        let (name, value) = (name.to_uppercase(), value.trim());
        if !is_indented {
            section.clear();
        }
        match (value.is_empty(), section.is_empty()) {
            (true, _) => section = name,
            (false, true) => fields.push((name, value.to_owned())),
            (false, false) => fields.push((format!("{section}.{name}"), value.to_owned())),
        }
    }
    fields
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
