//! A YAML text read from its beginning to its end, of which only what is wanted is kept.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::Broken;
use super::frame::Frame;
use super::places::Places;
use super::tree::{Kind, Node};

/// The deepest nesting that is followed.
const DEEPEST: usize = 64;
/// The most parts that a text may have, kept or not: reading them takes time.
const MOST_PARTS: usize = 1_000_000;
/// The most parts that are kept at once: each takes a hundred bytes and more.
pub(super) const MOST_KEPT: usize = 200_000;
/// The most parts that are copied for references to them. A few lines that refer to one another
/// could stand for more than there is room for.
const MOST_COPIED: usize = MOST_KEPT;

/// What is wanted of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of it, in the document.
    Whole,
    /// Its items, one after the other as they are read. None is kept. What is no list is
    /// treated as [`Wanted::Whole`].
    Items,
    /// Nothing but that it is sound.
    Nothing,
}

/// What takes the items of sections whose items are wanted.
pub(super) type Taker<'p> = &'p mut dyn FnMut(Node<'_>) -> Result<(), Broken>;

struct Reading<'t, 'p> {
    text: &'t str,
    places: Places<'t>,
    stack: Vec<Frame<'t>>,
    root: Option<Node<'t>>,
    wanted: &'p dyn Fn(&str) -> Wanted,
    item: Taker<'p>,
    /// What is wanted of the section at hand.
    section: Wanted,
    /// How many parts are kept, and how many were when the section began.
    kept: usize,
    kept_before: usize,
    /// The anchors of the collections that are being read; 0 is none.
    anchors: Vec<usize>,
    /// What the anchors of items stand for, which other items may refer to.
    anchored: HashMap<usize, Node<'t>>,
    copied: usize,
}

/// Takes `text` apart. It must hold one document, and no name twice.
pub(super) fn read<'t>(
    text: &'t str,
    wanted: &dyn Fn(&str) -> Wanted,
    item: Taker<'_>,
) -> Result<Node<'t>, Broken> {
    refuse_lone_returns(text)?;
    let mut reading = Reading {
        text,
        places: Places::new(text),
        stack: Vec::new(),
        root: None,
        wanted,
        item,
        section: Wanted::Whole,
        kept: 0,
        kept_before: 0,
        anchors: Vec::new(),
        anchored: HashMap::new(),
        copied: 0,
    };
    for (parts, event) in Parser::new_from_str(text).enumerate() {
        let (event, span) = event.map_err(|error| Broken {
            line: error.marker().line(),
            what: error.info().to_owned(),
        })?;
        reading.refuse_excess(parts, span.start.line())?;
        reading.take(event, span)?;
    }
    Ok(reading.root.unwrap_or(Node {
        kind: Kind::Scalar {
            text: Cow::Borrowed(""),
            plain: true,
        },
        line: 1,
        start: text.len(),
        end: text.len(),
        flows: false,
    }))
}

impl<'t> Reading<'t, '_> {
    fn refuse_excess(&self, parts: usize, line: usize) -> Result<(), Broken> {
        let what = if parts >= MOST_PARTS {
            format!("it has more than {MOST_PARTS} parts, which are not read")
        } else if self.kept > MOST_KEPT {
            format!("more than {MOST_KEPT} parts would have to be kept")
        } else if self.stack.len() > DEEPEST {
            "it is nested too deeply".to_owned()
        } else {
            return Ok(());
        };
        Err(Broken { line, what })
    }

    fn take(&mut self, event: Event<'t>, span: Span) -> Result<(), Broken> {
        let line = span.start.line();
        // Of the document itself it is not known yet what is in it.
        let passes = self.section == Wanted::Nothing && !self.stack.is_empty();
        let done = match event {
            Event::MappingStart(anchor, _) | Event::SequenceStart(anchor, _) => {
                self.anchors.push(anchor);
                let start = self.places.byte(span.start);
                let is_map = matches!(event, Event::MappingStart(..));
                self.stack.push(Frame::new(start, line, is_map, passes));
                None
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let frame = self.stack.pop();
                // Only a bracket takes up room. Where the collection begins there may be
                // an anchor or a tag instead of one.
                let bracket = (span.start.index() < span.end.index()).then_some(span.end);
                let bracket = bracket.map(|end| self.places.byte(end));
                let node = frame.map(|frame| frame.close(bracket)).transpose()?;
                let anchor = self.anchors.pop().unwrap_or_default();
                if let Some(node) = &node {
                    self.remember(anchor, node)?;
                }
                node
            }
            Event::Scalar(value, style, anchor, _) => {
                let node = self.scalar(value, style, span);
                self.remember(anchor, &node)?;
                Some(node)
            }
            Event::Alias(anchor) => Some(Node {
                kind: self.referred(anchor, line)?,
                line,
                start: self.places.byte(span.start),
                end: self.places.byte(span.end),
                flows: false,
            }),
            Event::DocumentStart(_) if self.root.is_some() => {
                return Err(Broken::new(line, "there is a second document"));
            }
            _ => None,
        };
        done.map_or(Ok(()), |node| self.place(node, passes))
    }

    /// Puts what was read to where it belongs.
    fn place(&mut self, node: Node<'t>, passes: bool) -> Result<(), Broken> {
        let depth = self.stack.len();
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        if depth == 2 && self.section == Wanted::Items && frame.is_list() {
            frame.let_pass(&node);
            self.kept = self.kept_before;
            return (self.item)(node);
        }
        if !passes || depth == 1 {
            self.kept += 1;
        }
        if depth == 1 && frame.expects_a_name() {
            self.section = match &node.kind {
                Kind::Scalar { text, .. } => (self.wanted)(text),
                _ => Wanted::Whole,
            };
            self.kept_before = self.kept;
        }
        frame.take(node, passes)
    }

    /// Keeps what an anchor stands for. References are followed among items alone: what is to be
    /// changed must be seen as it is written.
    fn remember(&mut self, anchor: usize, node: &Node<'t>) -> Result<(), Broken> {
        if anchor != 0 && self.section == Wanted::Items {
            self.count_copy(node.parts(), node.line)?;
            self.anchored.insert(anchor, node.clone());
        }
        Ok(())
    }

    /// What a reference stands for, as far as that is followed.
    fn referred(&mut self, anchor: usize, line: usize) -> Result<Kind<'t>, Broken> {
        let followed = self.section == Wanted::Items;
        let Some(node) = self.anchored.get(&anchor).filter(|_| followed) else {
            return Ok(Kind::Alias);
        };
        let kind = node.kind.clone();
        self.count_copy(node.parts(), line)?;
        Ok(kind)
    }

    fn count_copy(&mut self, parts: usize, line: usize) -> Result<(), Broken> {
        self.copied += parts;
        if self.copied > MOST_COPIED {
            let what = format!("references stand for more than {MOST_COPIED} parts");
            return Err(Broken { line, what });
        }
        Ok(())
    }

    fn scalar(&mut self, value: Cow<'t, str>, style: ScalarStyle, span: Span) -> Node<'t> {
        let start = self.places.byte(span.start);
        let end = self.places.byte(span.end).max(start);
        // A block of text reaches to the beginning of whatever follows it.
        let blank = [' ', '\t', '\r', '\n'];
        let end = start + self.text[start..end].trim_end_matches(blank).len();
        let plain = style == ScalarStyle::Plain;
        Node {
            kind: Kind::Scalar { text: value, plain },
            line: span.start.line(),
            start,
            end,
            flows: false,
        }
    }
}

/// A carriage return alone ends a line in YAML and nowhere else, here neither.
fn refuse_lone_returns(text: &str) -> Result<(), Broken> {
    let mut returns = text.match_indices('\r');
    match returns.find(|(at, _)| text.as_bytes().get(at + 1) != Some(&b'\n')) {
        Some((at, _)) => {
            let line = text[..at].matches('\n').count() + 1;
            Err(Broken::new(line, "a carriage return stands alone"))
        }
        None => Ok(()),
    }
}
