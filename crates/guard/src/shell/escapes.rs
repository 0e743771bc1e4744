//! Backslashes in `$'…'` and in `echo -e` and `printf`.

/// The text of `$'…'`.
pub(crate) fn ansi_c(text: &str) -> String {
    unescaped(text, true)
}

/// The text of the format of `printf`, where numbers are written as in `$'…'`.
pub(crate) fn printf_escapes(text: &str) -> String {
    unescaped(text, true)
}

/// The text that `echo -e` prints, and `printf` for `%b`.
pub(crate) fn echo_escapes(text: &str) -> String {
    unescaped(text, false)
}

fn unescaped(text: &str, plain_octal: bool) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(code) = rest.chars().next() else {
            result.push('\\');
            break;
        };
        let after = &rest[code.len_utf8()..];
        let (decoded, used) = match code {
            'a' => (Some('\u{7}'), 0),
            'b' => (Some('\u{8}'), 0),
            'e' | 'E' => (Some('\u{1b}'), 0),
            'f' => (Some('\u{c}'), 0),
            'n' => (Some('\n'), 0),
            'r' => (Some('\r'), 0),
            't' => (Some('\t'), 0),
            'v' => (Some('\u{b}'), 0),
            'x' => number(after, 16, 2),
            'u' => number(after, 16, 4),
            'U' => number(after, 16, 8),
            '0'..='7' if plain_octal || code != '0' => {
                let (decoded, used) = number(rest, 8, 3);
                (decoded, used.saturating_sub(1))
            }
            '0' => {
                let (decoded, used) = number(after, 8, 3);
                (decoded.or(Some('\0')), used)
            }
            '\\' | '\'' | '"' | '?' => (Some(code), 0),
            _ => (None, 0),
        };
        match decoded {
            Some(decoded) => result.push(decoded),
            None => {
                result.push('\\');
                result.push(code);
            }
        }
        rest = &after[used..];
    }
    result.push_str(rest);
    result
}

/// A character by its number, and how many digits it took.
fn number(digits: &str, radix: u32, longest: usize) -> (Option<char>, usize) {
    let length = digits
        .bytes()
        .take(longest)
        .take_while(|digit| char::from(*digit).is_digit(radix))
        .count();
    let code = u32::from_str_radix(&digits[..length], radix).ok();
    (code.and_then(char::from_u32), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_bash_reads_them() {
        assert_eq!(ansi_c(r"\x72\x6d"), "rm");
        assert_eq!(ansi_c(r"\162\155 \u0041\n\q"), "rm A\n\\q");
        assert_eq!(echo_escapes(r"\0162\x6d\\"), "rm\\");
        assert_eq!(ansi_c("tail\\"), "tail\\");
        assert_eq!(ansi_c(r"\xzz"), "\\xzz");
        let controls = "\u{7}\u{8}\u{1b}\u{1b}\u{c}\n\r\t\u{b}";
        assert_eq!(ansi_c(r"\a\b\e\E\f\n\r\t\v"), controls);
        assert_eq!(ansi_c(r#"\\\'\"\?"#), "\\'\"?");
        assert_eq!(ansi_c(r"\x4142 \u00414 \U000000414"), "A42 A4 A4");
        assert_eq!(ansi_c(r"\1019 \0101"), "A9 \u{8}1");
        assert_eq!(printf_escapes(r"\0101"), "\u{8}1");
        assert_eq!(echo_escapes(r"\01019 \0"), "A9 \0");
        assert_eq!(echo_escapes(r"\101"), "A");
    }
}
