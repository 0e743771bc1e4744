//! The little of Markdown that matters here: what is quoted is not said.

/// Follows the code fences of a document, line by line.
#[derive(Default)]
pub(crate) struct Fences {
    /// The fence that is open: its character and its length.
    open: Option<(char, usize)>,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// Text of the document.
    Text,
    /// The beginning or the end of a quotation.
    Fence,
    /// A line between fences.
    Quoted,
}

impl Fences {
    pub(crate) fn take(&mut self, line: &str) -> Line {
        let line = line.trim();
        match (self.open, fence(line)) {
            (None, None) => Line::Text,
            (None, opening) => {
                self.open = opening;
                Line::Fence
            }
            // Only a bare fence of the same kind that is at least as long closes.
            (Some((character, length)), Some((closing, found)))
                if closing == character && found >= length && line.chars().count() == found =>
            {
                self.open = None;
                Line::Fence
            }
            _ => Line::Quoted,
        }
    }
}

fn fence(line: &str) -> Option<(char, usize)> {
    let character = line.chars().next().filter(|it| matches!(it, '`' | '~'))?;
    let length = line.chars().take_while(|it| *it == character).count();
    (length >= 3).then_some((character, length))
}
