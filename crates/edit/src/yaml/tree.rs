//! A YAML text taken apart, each part with its place.

use std::borrow::Cow;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

use super::Broken;

/// The deepest nesting that is followed.
const DEEPEST: usize = 64;
/// The most parts that a text may have: what is read has to fit into memory
/// several times over.
const MOST_NODES: usize = 1_000_000;

/// A part of a text.
#[derive(Clone, Debug)]
pub struct Node<'t> {
    /// What it is.
    pub kind: Kind<'t>,
    /// The line it begins on, counted from 1.
    pub line: usize,
    pub(super) start: usize,
    /// Where the last of it ends; what follows on that line is not part of it.
    pub(super) end: usize,
    /// Whether it is a collection within braces or brackets.
    pub(super) flows: bool,
}

/// What a part of a text is.
#[derive(Clone, Debug)]
pub enum Kind<'t> {
    /// A single value.
    Scalar {
        /// What it says.
        text: Cow<'t, str>,
        /// Whether it stands there without quotes.
        plain: bool,
    },
    /// Names with values.
    Map(Vec<Entry<'t>>),
    /// One value after another.
    List(Vec<Node<'t>>),
    /// A reference to another part. Nothing is looked up through it.
    Alias,
}

/// A name with its value.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    /// The name.
    pub key: Cow<'t, str>,
    /// The line it stands on, counted from 1.
    pub line: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The value.
    pub value: Node<'t>,
}

impl<'t> Node<'t> {
    /// The value of a name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value of a name, or the item of that number.
    pub(super) fn at(&self, key: &str) -> Option<&Self> {
        match self.items() {
            Some(items) => items.get(key.parse::<usize>().ok()?),
            None => self.get(key),
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry<'t>> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    /// Its names and values, if it has such.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry<'t>]> {
        match &self.kind {
            Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Its values, if it is a list.
    #[must_use]
    pub fn items(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    /// What it says, if it says anything.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// Whether it stands for nothing.
    #[must_use]
    pub fn is_null(&self) -> bool {
        let nothing = |text: &str| matches!(text, "" | "~" | "null" | "Null" | "NULL");
        matches!(&self.kind, Kind::Scalar { text, plain: true } if nothing(text))
    }
}

/// A collection that is still being read.
struct Frame<'t> {
    start: usize,
    line: usize,
    kind: FrameKind<'t>,
}

enum FrameKind<'t> {
    Map {
        entries: Vec<Entry<'t>>,
        /// The name that waits for its value: text, line, start and end.
        key: Option<(Cow<'t, str>, usize, usize, usize)>,
    },
    List(Vec<Node<'t>>),
}

/// Takes `text` apart. It must hold one document, and no name twice.
pub(super) fn parse(text: &str) -> Result<Node<'_>, Broken> {
    refuse_lone_returns(text)?;
    let mut places = Places::new(text);
    let mut stack: Vec<Frame<'_>> = Vec::new();
    let mut root = None;
    let mut nodes = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Broken {
            line: error.marker().line(),
            what: error.info().to_owned(),
        })?;
        let line = span.start.line();
        nodes += 1;
        if nodes > MOST_NODES || stack.len() > DEEPEST {
            let what = if nodes > MOST_NODES {
                "there is more than is read"
            } else {
                "it is nested too deeply"
            };
            return Err(Broken::new(line, what));
        }
        let done = match event {
            Event::MappingStart(..) => {
                let kind = FrameKind::Map {
                    entries: Vec::new(),
                    key: None,
                };
                stack.push(Frame {
                    start: places.byte(span.start),
                    line,
                    kind,
                });
                None
            }
            Event::SequenceStart(..) => {
                let kind = FrameKind::List(Vec::new());
                stack.push(Frame {
                    start: places.byte(span.start),
                    line,
                    kind,
                });
                None
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let frame = stack.pop();
                // Only a bracket takes up room. Where the collection begins there may be
                // an anchor or a tag instead of one.
                let bracket = (span.start.index() < span.end.index()).then_some(span.end);
                let bracket = bracket.map(|end| places.byte(end));
                frame.map(|frame| frame.close(bracket)).transpose()?
            }
            Event::Scalar(value, style, ..) => Some(scalar(text, &mut places, value, style, span)),
            Event::Alias(_) => {
                let (start, end) = (places.byte(span.start), places.byte(span.end));
                Some(Node {
                    kind: Kind::Alias,
                    line,
                    start,
                    end,
                    flows: false,
                })
            }
            Event::DocumentStart(_) if root.is_some() => {
                return Err(Broken::new(line, "there is a second document"));
            }
            _ => None,
        };
        if let Some(node) = done {
            match stack.last_mut() {
                Some(frame) => frame.take(node)?,
                None => root = Some(node),
            }
        }
    }
    Ok(root.unwrap_or(Node {
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

fn scalar<'t>(
    text: &str,
    places: &mut Places<'_>,
    value: Cow<'t, str>,
    style: ScalarStyle,
    span: Span,
) -> Node<'t> {
    let start = places.byte(span.start);
    let end = places.byte(span.end).max(start);
    // A block of text reaches to the beginning of whatever follows it.
    let blank = [' ', '\t', '\r', '\n'];
    let end = start + text[start..end].trim_end_matches(blank).len();
    let plain = style == ScalarStyle::Plain;
    Node {
        kind: Kind::Scalar { text: value, plain },
        line: span.start.line(),
        start,
        end,
        flows: false,
    }
}

impl<'t> Frame<'t> {
    fn take(&mut self, node: Node<'t>) -> Result<(), Broken> {
        match &mut self.kind {
            FrameKind::List(items) => items.push(node),
            FrameKind::Map { entries, key } => match key.take() {
                Some((name, line, start, end)) => {
                    entries.push(Entry {
                        key: name,
                        line,
                        start,
                        end,
                        value: node,
                    });
                }
                None => match node.kind {
                    Kind::Scalar { text, .. } => {
                        *key = Some((text, node.line, node.start, node.end));
                    }
                    _ => return Err(Broken::new(node.line, "a name is not a single word")),
                },
            },
        }
        Ok(())
    }

    /// `bracket`: the end of the one that closes it, if one does.
    fn close(self, bracket: Option<usize>) -> Result<Node<'t>, Broken> {
        let (kind, last) = match self.kind {
            FrameKind::Map { entries, .. } => {
                refuse_doubles(&entries)?;
                let last = entries.last().map(|entry| entry.value.end.max(entry.end));
                (Kind::Map(entries), last)
            }
            FrameKind::List(items) => {
                let last = items.last().map(|item| item.end);
                (Kind::List(items), last)
            }
        };
        Ok(Node {
            kind,
            line: self.line,
            start: self.start,
            end: bracket.or(last).unwrap_or(self.start),
            flows: bracket.is_some(),
        })
    }
}

fn refuse_doubles(entries: &[Entry<'_>]) -> Result<(), Broken> {
    let mut names: Vec<(&str, usize)> = entries.iter().map(|e| (&*e.key, e.line)).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let what = format!(
                "`{}` is there twice, first on line {}",
                pair[1].0, pair[0].1
            );
            Err(Broken {
                line: pair[1].1,
                what,
            })
        }
        None => Ok(()),
    }
}

/// The bytes that places counted in characters are at. They come nearly in order.
struct Places<'t> {
    text: &'t str,
    ascii: bool,
    chars: usize,
    bytes: usize,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            ascii: text.is_ascii(),
            chars: 0,
            bytes: 0,
        }
    }

    fn byte(&mut self, marker: Marker) -> usize {
        let wanted = marker.index();
        if self.ascii {
            return wanted.min(self.text.len());
        }
        while self.chars < wanted {
            let Some(next) = self.text[self.bytes..].chars().next() else {
                break;
            };
            self.bytes += next.len_utf8();
            self.chars += 1;
        }
        while self.chars > wanted {
            let Some(last) = self.text[..self.bytes].chars().next_back() else {
                break;
            };
            self.bytes -= last.len_utf8();
            self.chars -= 1;
        }
        self.bytes
    }
}
