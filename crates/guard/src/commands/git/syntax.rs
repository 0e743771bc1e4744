//! The syntax of git's configuration files.

use std::iter::Peekable;
use std::str::Chars;

/// More settings than these are not looked at.
const MOST_SETTINGS: usize = 4_000;

/// A setting: `section.key` or `section.subsection.key`, without a subsection in lower case, and
/// its value.
pub(super) type Setting = (String, String);

/// The settings of a file, in their order. A line that makes no sense is passed over, where git
/// would give up.
pub(super) fn settings_in(text: &str) -> Vec<Setting> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n");
    let mut letters = text.chars().peekable();
    let mut section = String::new();
    let mut settings = Vec::new();
    while let Some(letter) = letters.next() {
        match letter {
            '#' | ';' => skip_line(&mut letters),
            '[' => section = head(&mut letters),
            _ if letter.is_alphabetic() => {
                let key = key(letter, &mut letters);
                let value = value(&mut letters);
                if settings.len() < MOST_SETTINGS {
                    settings.push((format!("{section}.{key}"), value));
                }
            }
            _ => {}
        }
    }
    settings
}

fn skip_line(letters: &mut Peekable<Chars<'_>>) {
    letters.find(|letter| *letter == '\n');
}

/// What stands between the brackets: a name, and perhaps one in quotes behind it, in which upper
/// case counts. A setting may follow on the same line.
fn head(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut name = String::new();
    let mut is_quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => break,
            '"' if !is_quoted => {
                is_quoted = true;
                name = format!("{}.", name.trim_end());
            }
            '"' => is_quoted = false,
            '\\' if is_quoted => name.extend(letters.next()),
            ']' if !is_quoted => break,
            _ if is_quoted => name.push(letter),
            _ => name.extend(letter.to_lowercase()),
        }
    }
    name.trim_end().to_owned()
}

/// A name up to what follows it, which is left where it is.
fn key(first: char, letters: &mut Peekable<Chars<'_>>) -> String {
    let mut name = first.to_string();
    while let Some(letter) = letters.next_if(|next| next.is_alphanumeric() || *next == '-') {
        name.push(letter);
    }
    name.to_lowercase()
}

/// What follows the equals sign, to the end of the line or of those that continue it: without
/// comments, without the quotes, and without blanks around it that are not quoted.
fn value(letters: &mut Peekable<Chars<'_>>) -> String {
    while letters.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
    let has_value = letters.next_if_eq(&'=').is_some();
    let mut value = String::new();
    let mut is_quoted = false;
    // How much of it stays, whatever follows.
    let mut certain = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => break,
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => {
                skip_line(letters);
                break;
            }
            '\\' => match letters.next() {
                Some('\n') | None => continue,
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('b') => value.push('\u{8}'),
                Some(other) => value.push(other),
            },
            ' ' | '\t' if !is_quoted => {
                if !value.is_empty() {
                    value.push(letter);
                }
                continue;
            }
            _ => value.push(letter),
        }
        certain = value.len();
    }
    value.truncate(certain);
    if has_value { value } else { "true".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::settings_in;

    /// What `git config --list` says of each.
    #[test]
    fn settings_are_those_that_git_finds() {
        for (text, expected) in [
            ("[alias]\n\twipe = !rm -rf a\n", "alias.wipe=!rm -rf a"),
            ("[alias] wipe = !rm -rf a\n", "alias.wipe=!rm -rf a"),
            ("[ALIAS]\nWipe=!rm -rf a", "alias.wipe=!rm -rf a"),
            ("[alias]\nw = !rm \\\n -rf a\n", "alias.w=!rm  -rf a"),
            ("[alias]\nw = \"!rm -rf a\" ; b\n", "alias.w=!rm -rf a"),
            ("[alias]\nw = !rm -rf a # b\n", "alias.w=!rm -rf a"),
            ("[alias]\nw = !rm \"-rf  a \" \n", "alias.w=!rm -rf  a "),
            (
                "[alias]\nw = !echo \\\"a\\\" \\\\b\n",
                "alias.w=!echo \"a\" \\b",
            ),
            ("[alias]\r\nw = a\r\n[core]\r\nx = b", "alias.w=a core.x=b"),
            ("[core]\nbare\n", "core.bare=true"),
            ("# [alias]\n; w = a\n[a]\nb = c", "a.b=c"),
            (
                "[includeIf \"gitdir:~/A]\\\"b/\"] path = c",
                "includeif.gitdir:~/A]\"b/.path=c",
            ),
            ("[remote.Origin]\nurl = a", "remote.origin.url=a"),
            ("[alias", ""),
            ("", ""),
        ] {
            let found = settings_in(text).into_iter();
            let found = found.map(|(name, value)| format!("{name}={value}"));
            assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{text:?}");
        }
    }
}
