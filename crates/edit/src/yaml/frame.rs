//! A collection that is still being read.

use std::borrow::Cow;

use super::Broken;
use super::tree::{Entry, Kind, Node};

pub(super) struct Frame<'t> {
    start: usize,
    line: usize,
    /// Where the last of what is in it ends.
    last: Option<usize>,
    kind: FrameKind<'t>,
}

enum FrameKind<'t> {
    Map {
        entries: Vec<Entry<'t>>,
        /// The name that waits for its value: text, line, start and end.
        key: Option<(Cow<'t, str>, usize, usize, usize)>,
    },
    List(Vec<Node<'t>>),
    /// Names and values that nobody wants. None may be there twice all the same.
    PassedMap {
        names: Vec<(Cow<'t, str>, usize)>,
        is_value_next: bool,
    },
    PassedList,
}

impl<'t> Frame<'t> {
    pub(super) fn new(start: usize, line: usize, is_map: bool, passes: bool) -> Self {
        let kind = match (is_map, passes) {
            (true, false) => FrameKind::Map {
                entries: Vec::new(),
                key: None,
            },
            (false, false) => FrameKind::List(Vec::new()),
            (true, true) => FrameKind::PassedMap {
                names: Vec::new(),
                is_value_next: false,
            },
            (false, true) => FrameKind::PassedList,
        };
        Self {
            start,
            line,
            last: None,
            kind,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, FrameKind::List(_))
    }

    /// Whether what comes next is a name and not its value.
    pub(super) fn expects_a_name(&self) -> bool {
        matches!(self.kind, FrameKind::Map { key: None, .. })
    }

    /// Notes only where something ends.
    pub(super) fn let_pass(&mut self, node: &Node<'_>) {
        self.last = Some(node.end.max(self.last.unwrap_or(0)));
    }

    /// Takes what was read; `passes` says that nobody wants to know what it is.
    pub(super) fn take(&mut self, mut node: Node<'t>, passes: bool) -> Result<(), Broken> {
        self.let_pass(&node);
        match &mut self.kind {
            FrameKind::List(items) => items.push(node),
            FrameKind::Map { entries, key } => match key.take() {
                Some((name, line, start, end)) => {
                    if passes {
                        node.kind = Kind::Passed;
                    }
                    entries.push(Entry {
                        key: name,
                        line,
                        start,
                        end,
                        value: node,
                    });
                }
                None => {
                    let (line, start, end) = (node.line, node.start, node.end);
                    *key = Some((name(node)?, line, start, end));
                }
            },
            FrameKind::PassedList => {}
            FrameKind::PassedMap {
                names,
                is_value_next,
            } => {
                if !*is_value_next {
                    let line = node.line;
                    names.push((name(node)?, line));
                }
                *is_value_next = !*is_value_next;
            }
        }
        Ok(())
    }

    /// `bracket`: the end of the one that closes it, if one does.
    pub(super) fn close(self, bracket: Option<usize>) -> Result<Node<'t>, Broken> {
        let kind = match self.kind {
            FrameKind::Map { mut entries, .. } => {
                refuse_doubles(entries.iter().map(|entry| (&*entry.key, entry.line)))?;
                // Most collections are small, and room for more is most of what they take.
                entries.shrink_to_fit();
                Kind::Map(entries)
            }
            FrameKind::List(mut items) => {
                items.shrink_to_fit();
                Kind::List(items)
            }
            FrameKind::PassedMap { names, .. } => {
                refuse_doubles(names.iter().map(|(name, line)| (&**name, *line)))?;
                Kind::Passed
            }
            FrameKind::PassedList => Kind::Passed,
        };
        Ok(Node {
            kind,
            line: self.line,
            start: self.start,
            end: bracket.or(self.last).unwrap_or(self.start),
            flows: bracket.is_some(),
        })
    }
}

fn name(node: Node<'_>) -> Result<Cow<'_, str>, Broken> {
    match node.kind {
        Kind::Scalar { text, .. } => Ok(text),
        _ => Err(Broken::new(node.line, "a name is not a single word")),
    }
}

fn refuse_doubles<'n>(names: impl Iterator<Item = (&'n str, usize)>) -> Result<(), Broken> {
    let mut names: Vec<(&str, usize)> = names.collect();
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
