//! The agent's own output on its way to a terminal.
//!
//! People want to watch their agent, colours included, so this stream cannot
//! be escaped like a title. What survives is what cannot do harm: text, line
//! ends, tabs and colours. Everything else that a terminal would obey (cursor
//! movement, window titles, links, clipboard writes, mode switches) is shown
//! instead of done.
//!
//! Output arrives in pieces that end anywhere, in the middle of a character
//! or of a colour sequence. The unfinished tail, never more than
//! [`SGR_LIMIT`] bytes, waits for the next piece, so that the result does not
//! depend on how the stream was cut.

use super::hostile::Shown;
use fusebox_core::is_hostile;
use std::io::{self, Write};

/// Longest colour sequence let through, in bytes. A foreground and a
/// background in true colour with every attribute stay well under it.
const SGR_LIMIT: usize = 64;

const ESC: char = '\x1b';
const SGR_RESET: &[u8] = b"\x1b[0m";

/// How many bytes are tested at once. The test has no early exit, so the
/// compiler turns it into vector instructions.
const STRIDE: usize = 32;

/// Neutralises a stream of untrusted output, piece by piece.
///
/// Line ends come out as `\n`, whether they went in as `\n`, `\r\n` or a bare
/// `\r`: a carriage return that moves the cursor back lets later text replace
/// what was already read. What is not UTF-8 becomes U+FFFD.
#[derive(Debug, Default)]
pub struct Passthrough {
    unfinished: Vec<u8>,
    coloured: bool,
}

/// Whether the text at hand may still be continued by what arrives next.
#[derive(Clone, Copy)]
enum Tail {
    Open,
    Closed,
}

/// What an escape character turned out to begin.
enum Escape {
    /// A complete colour sequence.
    Colour(ColourSequence),
    /// The beginning of what may become one.
    Unfinished,
    Hostile,
}

struct ColourSequence {
    length: usize,
    is_reset: bool,
}

impl Passthrough {
    /// Writes what is safe of `chunk`, and of what earlier chunks left
    /// unfinished, to `out`.
    ///
    /// # Errors
    ///
    /// Whatever `out` reports; part of the chunk may have been written then.
    pub fn write(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if self.unfinished.is_empty() {
            return self.write_bytes(chunk, out);
        }
        let mut joined = std::mem::take(&mut self.unfinished);
        joined.extend_from_slice(chunk);
        self.write_bytes(&joined, out)
    }

    /// Returns the terminal to its own colours, so that words of ours which
    /// follow can be neither coloured nor concealed by the stream.
    ///
    /// # Errors
    ///
    /// Whatever `out` reports.
    pub fn reset_colours(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::take(&mut self.coloured) {
            out.write_all(SGR_RESET)?;
        }
        Ok(())
    }

    /// Ends the stream: shows what was left unfinished and resets colours.
    ///
    /// # Errors
    ///
    /// Whatever `out` reports.
    pub fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        let unfinished = std::mem::take(&mut self.unfinished);
        match std::str::from_utf8(&unfinished) {
            Ok(text) => self.write_text(text, Tail::Closed, out)?,
            Err(_) => write!(out, "{}", char::REPLACEMENT_CHARACTER)?,
        }
        self.reset_colours(out)
    }

    fn write_bytes(&mut self, mut bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.write_text(text, Tail::Open, out),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            let text = std::str::from_utf8(valid).expect("validated up to here just now");
            self.write_text(text, Tail::Closed, out)?;
            let Some(invalid) = error.error_len() else {
                self.unfinished.extend_from_slice(rest);
                return Ok(());
            };
            write!(out, "{}", char::REPLACEMENT_CHARACTER)?;
            bytes = &rest[invalid..];
        }
    }

    fn write_text(&mut self, mut text: &str, tail: Tail, out: &mut dyn Write) -> io::Result<()> {
        loop {
            let (harmless, rest) = text.split_at(harmless_prefix(text));
            if !harmless.is_empty() {
                out.write_all(harmless.as_bytes())?;
            }
            let Some(hostile) = rest.chars().next() else {
                return Ok(());
            };
            let handled = match hostile {
                ESC => self.write_escape(rest, tail, out)?,
                '\r' => write_line_end(rest, tail, out)?,
                c => {
                    write!(out, "{}", Shown(c))?;
                    c.len_utf8()
                }
            };
            if handled == 0 {
                self.unfinished.extend_from_slice(rest.as_bytes());
                return Ok(());
            }
            text = &rest[handled..];
        }
    }

    /// Handles the escape character that `text` begins with and returns how
    /// many bytes that took; none when it has to wait for more.
    fn write_escape(&mut self, text: &str, tail: Tail, out: &mut dyn Write) -> io::Result<usize> {
        match (escape_at(text.as_bytes()), tail) {
            (Escape::Colour(sequence), _) => {
                out.write_all(&text.as_bytes()[..sequence.length])?;
                self.coloured = !sequence.is_reset;
                Ok(sequence.length)
            }
            (Escape::Unfinished, Tail::Open) => Ok(0),
            (Escape::Unfinished, Tail::Closed) | (Escape::Hostile, _) => {
                write!(out, "{}", Shown(ESC))?;
                Ok(ESC.len_utf8())
            }
        }
    }
}

/// Handles the carriage return that `text` begins with, as
/// [`Passthrough::write_escape`] does its escape.
fn write_line_end(text: &str, tail: Tail, out: &mut dyn Write) -> io::Result<usize> {
    match (text.as_bytes().get(1), tail) {
        (None, Tail::Open) => Ok(0),
        // The line feed that follows ends the line by itself.
        (Some(b'\n'), _) => Ok(1),
        _ => {
            out.write_all(b"\n")?;
            Ok(1)
        }
    }
}

/// Reads `ESC [ parameters m`, where parameters are digits, `;` and `:`.
fn escape_at(bytes: &[u8]) -> Escape {
    let window = &bytes[..bytes.len().min(SGR_LIMIT)];
    let Some(parameters) = window.strip_prefix(b"\x1b[") else {
        return if window.len() == 1 {
            Escape::Unfinished
        } else {
            Escape::Hostile
        };
    };
    let end = parameters
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'));
    match end {
        Some(end) if parameters[end] == b'm' => Escape::Colour(ColourSequence {
            length: b"\x1b[".len() + end + b"m".len(),
            is_reset: parameters[..end].iter().all(|&byte| byte == b'0'),
        }),
        None if window.len() < SGR_LIMIT => Escape::Unfinished,
        _ => Escape::Hostile,
    }
}

/// Length of the longest prefix that may be written as it is.
fn harmless_prefix(text: &str) -> usize {
    let mut length = 0;
    loop {
        length += harmless_ascii_prefix(&text.as_bytes()[length..]);
        let mut beyond_ascii = 0;
        for c in text[length..].chars().take_while(|c| !c.is_ascii()) {
            if is_hostile(c) {
                return length + beyond_ascii;
            }
            beyond_ascii += c.len_utf8();
        }
        if beyond_ascii == 0 {
            return length;
        }
        length += beyond_ascii;
    }
}

fn harmless_ascii_prefix(bytes: &[u8]) -> usize {
    let mut length = 0;
    for stride in bytes.chunks(STRIDE) {
        let all = stride
            .iter()
            .fold(true, |all, &byte| all & is_harmless_ascii(byte));
        if !all {
            break;
        }
        length += stride.len();
    }
    let rest = &bytes[length..];
    let within = rest.iter().take_while(|&&byte| is_harmless_ascii(byte));
    length + within.count()
}

fn is_harmless_ascii(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(input: &[u8]) -> String {
        let mut out = Vec::new();
        let mut passthrough = Passthrough::default();
        passthrough.write(input, &mut out).unwrap();
        passthrough.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let longest = format!("\x1b[{}m", "1".repeat(SGR_LIMIT - 3));
        let too_long = format!("\x1b[{}m", "1".repeat(SGR_LIMIT - 2));
        for (input, output) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("héllo ✅ 漢字 ⚠\u{fe0f}", "héllo ✅ 漢字 ⚠\u{fe0f}"),
            ("one\r\ntwo\rthree\r", "one\ntwo\nthree\n"),
            ("\r\r\n", "\n\n"),
            ("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"),
            ("\x1b[38:2::1:2:3mx", "\x1b[38:2::1:2:3mx\x1b[0m"),
            ("\x1b[32mx\x1b[m", "\x1b[32mx\x1b[m"),
            (&longest, &format!("{longest}\x1b[0m")),
            (&too_long, &too_long.replace('\x1b', "\\x1b")),
            ("\x1b[2J\x1b[H", "\\x1b[2J\\x1b[H"),
            ("\x1b[?1049h", "\\x1b[?1049h"),
            ("\x1b[>4;2m", "\\x1b[>4;2m"),
            ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
            ("\x1b]52;c;cm0=\x1b\\", "\\x1b]52;c;cm0=\\x1b\\"),
            ("\x1b\x1b[31mx", "\\x1b\x1b[31mx\x1b[0m"),
            ("\x1b", "\\x1b"),
            ("\x1b[31", "\\x1b[31"),
            ("a\x08b\x00\x7f", "a\\x08b\\x00\\x7f"),
            ("\u{9b}31m", "\\u{9b}31m"),
            (
                "a\u{202e}b\u{200b}c\u{2028}",
                "a\\u{202e}b\\u{200b}c\\u{2028}",
            ),
        ] {
            assert_eq!(through(input.as_bytes()), output, "{input:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        for (input, output) in [
            (&b"a\xffb"[..], "a\u{fffd}b"),
            (b"\x9b31m", "\u{fffd}31m"),
            (b"\r\xff", "\n\u{fffd}"),
            (b"\x1b[3\xe6\xbc", "\\x1b[3\u{fffd}"),
            (b"\x1b[3\xff1m", "\\x1b[3\u{fffd}1m"),
        ] {
            assert_eq!(through(input), output, "{input:?}");
        }
    }

    #[test]
    fn a_harmless_chunk_is_written_whole() {
        struct CountsWrites(usize);
        impl Write for CountsWrites {
            fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
                self.0 += 1;
                Ok(buffer.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut out = CountsWrites(0);
        let chunk = "a line of output, 漢字 and ✅ included\n".repeat(1000);
        let mut passthrough = Passthrough::default();
        passthrough.write(chunk.as_bytes(), &mut out).unwrap();
        assert_eq!(out.0, 1);
    }

    #[test]
    fn colours_can_be_reset_in_the_middle_of_the_stream() {
        let mut out = Vec::new();
        let mut passthrough = Passthrough::default();
        passthrough.write(b"\x1b[8mhidden", &mut out).unwrap();
        passthrough.reset_colours(&mut out).unwrap();
        passthrough.reset_colours(&mut out).unwrap();
        passthrough.finish(&mut out).unwrap();
        assert_eq!(out, b"\x1b[8mhidden\x1b[0m");
    }
}
