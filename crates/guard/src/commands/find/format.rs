//! What `find` prints for an entry.

use super::Entry;
use crate::text::{Data, Text};

/// How an entry is printed.
#[derive(Clone, Debug)]
pub(super) enum Format {
    /// Its path, and this behind it.
    Path(char),
    /// `-printf`.
    Given(Text),
    /// Its size, its owner and more.
    Details,
}

impl Format {
    pub(super) fn render(&self, entry: &Entry<'_>) -> Data {
        let rendered = match self {
            Self::Path(end) => Some(format!("{}{end}", entry.shown)),
            Self::Given(format) => format.known().and_then(|format| given(&format, entry)),
            Self::Details => None,
        };
        rendered.map_or(Data::Unknown, Data::Lines)
    }
}

/// The format with what it says about names; whatever else it asks for is not known.
fn given(format: &str, entry: &Entry<'_>) -> Option<String> {
    let mut printed = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => printed.push(match rest.next()? {
                'n' => '\n',
                't' => '\t',
                '0' => '\0',
                '\\' => '\\',
                _ => return None,
            }),
            '%' => match rest.next()? {
                '%' => printed.push('%'),
                'p' => printed.push_str(&entry.shown),
                'f' => printed.push_str(entry.name()),
                'P' => printed.push_str(&entry.below),
                'h' => printed.push_str(entry.above()),
                _ => return None,
            },
            c => printed.push(c),
        }
    }
    Some(printed)
}
