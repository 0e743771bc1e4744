//! Text that comes from outside: bounds on it, and what in it acts.

mod hostile;

pub use hostile::{hostile, is_hostile, quiet_json, quiet_line};

/// Cuts `text` to at most `max` bytes, on a character boundary.
///
/// What is kept is the beginning: compilers and test runners put the message
/// first and the noise last.
#[must_use]
pub fn clip(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn never_splits_a_character() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("aé", 2), "a");
        assert_eq!(clip("日本", 4), "日");
        assert_eq!(clip("日本", 0), "");
    }
}
