//! The strings in code: quoted in one way or another, joined, or listed.

/// A string in code, with where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Literal {
    /// Whether it is one that lists files by standing there: `<*.md>`.
    pub(super) fn is_wildcard(&self, code: &str) -> bool {
        code[self.start..].starts_with('<')
    }
}

/// A longer wildcard is none.
const LONGEST_WILDCARD: usize = 256;

/// A longer string in brackets is none.
const LONGEST_IN_BRACKETS: usize = 4_096;

/// How two strings that follow each other are one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `'a' + 'b'`.
    Text,
    /// `Path('a') / 'b'` and `path.join('a', 'b')`.
    Path,
}

/// Every string in code; those joined by `+` or `.` or by standing side by side are one, and
/// so are the parts of a path.
pub(super) fn literals(code: &str) -> Vec<Literal> {
    let bytes = code.as_bytes();
    let mut found: Vec<Literal> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if let Some((words, end)) = word_list(code, at) {
            found.extend(words);
            at = end;
            continue;
        }
        if let Some(literal) = in_brackets(code, at).or_else(|| wildcard(code, at)) {
            at = literal.end;
            found.push(literal);
            continue;
        }
        let quote = bytes[at];
        if !matches!(quote, b'"' | b'\'' | b'`') {
            at += 1;
            continue;
        }
        let Some((text, end)) = quoted(code, at, quote) else {
            at += 1;
            continue;
        };
        let joint = found.last().and_then(|last| joint(code, last, at));
        match (found.last_mut(), joint) {
            (Some(last), Some(joint)) => {
                if joint == Joint::Path {
                    last.text.push('/');
                }
                last.text.push_str(&text);
                last.end = end;
            }
            _ => found.push(Literal {
                text,
                start: at,
                end,
            }),
        }
        at = end;
    }
    found
}

fn joint(code: &str, last: &Literal, at: usize) -> Option<Joint> {
    let between = &code[last.end..at];
    let called = code[..last.start].trim_end();
    let joins_paths = [
        "join(",
        "joinpath(",
        "Path(",
        "resolve(",
        "catfile(",
        "Join(",
        "Path.of(",
        "Paths.get(",
        "Combine(",
    ];
    let paths = ["Path::new(", "PathBuf::from(", "Path.of(", "Paths.get("];
    match between.trim() {
        ").join(" | ").resolve(" if paths.iter().any(|call| called.ends_with(call)) => {
            Some(Joint::Path)
        }
        "" | "+" | "." | ".." if !between.contains('\n') => Some(Joint::Text),
        "/" | ") /" | ")/" => Some(Joint::Path),
        "," if joins_paths.iter().any(|call| called.ends_with(call)) => Some(Joint::Path),
        _ => None,
    }
}

/// The words of a list such as `%w[a b]` or `qw(a b)`, each a string of its own.
fn word_list(code: &str, at: usize) -> Option<(Vec<Literal>, usize)> {
    let (start, end) = bracketed(code, at, &["%w", "%W", "%i", "qw"])?;
    let mut words = Vec::new();
    let mut from = start;
    for text in code[start..end].split_whitespace() {
        let start = from + code[from..end].find(text)?;
        from = start + text.len();
        words.push(Literal {
            text: text.to_owned(),
            start,
            end: from,
        });
    }
    Some((words, end + 1))
}

/// `q(a)`, `qx{a}`, `%x[a]`: the string begins with its bracket, so that what says how it is
/// quoted stays in the code.
fn in_brackets(code: &str, at: usize) -> Option<Literal> {
    let (start, end) = bracketed(code, at, &["qx", "qq", "q", "%x", "%q", "%Q"])?;
    let is_call = code[start..].trim_start().starts_with(['"', '\'', '`']);
    (!is_call).then(|| Literal {
        text: code[start..end].to_owned(),
        start: start - 1,
        end: end + 1,
    })
}

/// What stands in brackets behind one of these marks.
fn bracketed(code: &str, at: usize, marks: &[&str]) -> Option<(usize, usize)> {
    let rest = code.get(at..)?;
    let before = code[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || "_$@.>".contains(c)) {
        return None;
    }
    let mark = marks.iter().find(|mark| rest.starts_with(**mark))?;
    let close = match rest[mark.len()..].chars().next()? {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        _ => return None,
    };
    let start = at + mark.len() + 1;
    let mut chars = code[start..].char_indices().take(LONGEST_IN_BRACKETS);
    let (length, _) = chars.find(|(_, c)| *c == close)?;
    Some((start, start + length))
}

/// `<*.md>`, which lists files.
fn wildcard(code: &str, at: usize) -> Option<Literal> {
    let inner = code.get(at..)?.strip_prefix('<')?;
    let is_name = |c: char| c.is_alphanumeric() || "/._-*?[]~".contains(c);
    let mut chars = inner.char_indices().take(LONGEST_WILDCARD);
    let (end, last) = chars.find(|(_, c)| !is_name(*c))?;
    let inner = &inner[..end];
    (last == '>' && inner.contains('*')).then(|| Literal {
        text: inner.to_owned(),
        start: at,
        end: at + inner.len() + 2,
    })
}

fn quoted(code: &str, start: usize, quote: u8) -> Option<(String, usize)> {
    let triple = [quote; 3];
    let bytes = code.as_bytes();
    let is_triple = bytes[start..].starts_with(&triple) && quote != b'`';
    let close: &[u8] = if is_triple { &triple } else { &triple[..1] };
    let open = close.len();
    let mut end = start + open;
    while !bytes.get(end..)?.starts_with(close) {
        // An apostrophe in a sentence is no string.
        if end >= bytes.len() || (bytes[end] == b'\n' && open == 1 && quote != b'`') {
            return None;
        }
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    let inner = code.get(start + open..end)?;
    Some((crate::shell::ansi_c(inner), end + open))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str) -> Vec<String> {
        literals(code)
            .into_iter()
            .map(|literal| literal.text)
            .collect()
    }

    #[test]
    fn strings_are_found_however_they_are_quoted() {
        assert_eq!(texts(r#"a('b', "c\x64") + '''e'f'''"#), ["b", "cd", "e'f"]);
        assert_eq!(
            texts("system(qw(rm -rf), q{x y}); qx(z)"),
            ["rm", "-rf", "x y", "z"]
        );
        assert_eq!(texts("unlink <*.md>; if (a<b && c>d) {}"), ["*.md"]);
        assert_eq!(texts("seq('x'); q('y')"), ["x", "y"]);
        assert_eq!(texts("# don't\nf('x')\n'"), ["x"]);
    }

    #[test]
    fn each_string_stands_where_it_is_said_to() {
        let code = "a qw(bc d); q{e}; <*.f>; 'g'";
        let places = literals(code).into_iter();
        let places: Vec<&str> = places.map(|one| &code[one.start..one.end]).collect();
        assert_eq!(places, ["bc", "d", "{e}", "<*.f>", "'g'"]);
        assert!(texts("$q(x); my_q(y); seq(z)").is_empty());
        assert_eq!(texts("qw(a 'b'); f('c')"), ["a", "'b'", "c"]);
    }

    #[test]
    fn parts_of_one_path_are_one_string() {
        assert_eq!(texts("f('a' 'b')\n'c'\n'd'"), ["ab", "c", "d"]);
        assert_eq!(texts("Path('a') / 'b' / 'c'"), ["a/b/c"]);
        assert_eq!(texts("os.path.join('a', 'b', c)"), ["a/b"]);
        assert_eq!(texts("'a' + 'b', 'c'"), ["ab", "c"]);
        assert_eq!(texts("','.join(['a', 'b'])"), [",", "a", "b"]);
        assert_eq!(texts("Path::new('a').join('b')"), ["a/b"]);
        assert_eq!(texts("Path.of('a').resolve('b')"), ["a/b"]);
        assert_eq!(texts("x.split('a').join('b')"), ["a", "b"]);
    }
}
