//! Finding status blocks in a text, and their fields.

use crate::markdown::{Fences, Line};

/// Longer than any block that an agent writes on purpose.
const MOST_LINES: usize = 200;
/// More blocks than anybody reads: only the last ones are looked at.
const MOST_BLOCKS: usize = 16;
const NAMES: [&str; 2] = ["RALPH_STATUS", "PRP_PHASE_STATUS"];

/// A block that was opened and closed.
pub(super) struct Block<'a> {
    /// Names in capital letters with their values, in order.
    pub(super) fields: Vec<(String, String)>,
    quoted: bool,
    name: &'a str,
}

/// The closed blocks of a text, in order.
///
/// A block between code fences is a quotation, most often of the template. Agents do fence
/// the real one as well, though: it counts if it is all that there is, with nothing said
/// after it.
pub(super) fn find(text: &str) -> Vec<Block<'_>> {
    let mut fences = Fences::default();
    let mut open: Option<(Block<'_>, Vec<&str>)> = None;
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
            let block = Block {
                fields: Vec::new(),
                quoted,
                name,
            };
            open = Some((block, Vec::new()));
        } else if let Some(name) = delimiter(bare, "END_") {
            if let Some((mut block, lines)) = open.take().filter(|(block, _)| block.name == name) {
                block.fields = fields(&lines);
                closed.push(block);
            }
        } else if let Some((_, lines)) = &mut open {
            lines.push(line);
            if lines.len() > MOST_LINES {
                open = None;
            }
        } else if !bare.is_empty() {
            closed.retain(|block| !block.quoted);
        }
        if closed.len() > MOST_BLOCKS {
            closed.remove(0);
        }
    }
    if closed.iter().any(|block| !block.quoted) {
        closed.retain(|block| !block.quoted);
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
