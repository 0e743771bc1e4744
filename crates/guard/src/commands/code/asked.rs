//! What must be so of a name for something to be done: `if f.endswith('.o'):` and all that stands
//! under it, or behind `if not f.endswith('.o'): continue`.

use super::missing::{end_of_block, end_of_statement};
use super::outline::{Outline, Span};

/// What is asked of the end of a name.
const ENDING: [&str; 3] = ["endswith(", "endsWith(", "end_with?("];

/// How the last part of a path is asked for.
const PARTS: [&str; 3] = [".name", ".path", ""];

/// More patterns than these are not told apart.
const MOST_PATTERNS: usize = 8;

/// From here to there, a variable is only what looks like one of these.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) name: String,
    pub(super) patterns: Vec<String>,
    pub(super) within: Span,
}

/// What the statement asks that begins with a condition.
pub(super) fn asked(outline: &Outline<'_>, (start, end): Span) -> Vec<Asked> {
    conditions(outline, (start, end)).unwrap_or_default()
}

fn conditions(outline: &Outline<'_>, (start, end): Span) -> Option<Vec<Asked>> {
    let bare = &outline.bare;
    let text = bare.get(start..end)?;
    let begins = start + text.len() - text.trim_start().len();
    let rest = bare[begins..end].strip_prefix("if")?;
    let (question, behind, has_brackets) = match rest.trim_start().starts_with('(') {
        true => {
            let open = begins + bare[begins..end].find('(')?;
            let close = outline.partner(open)?;
            // Of python it may be only a part of the condition.
            let colon = outline.up_to((close + 1, end), b":");
            let is_whole = !bare[colon..end.max(colon)].starts_with(':');
            is_whole.then_some(((open + 1, close), close + 1, true))?
        }
        false => {
            let from = begins + "if".len();
            rest.starts_with(' ').then_some(())?;
            let colon = outline.up_to((from, end), b":");
            bare[colon..].starts_with(':').then_some(())?;
            ((from, colon), colon + 1, false)
        }
    };
    let until = match has_brackets {
        true => end_of_statement(outline, behind),
        false => end_of_block(bare, begins, behind),
    };
    let code = outline.code.get(question.0..question.1)?.trim();
    let negated = match has_brackets {
        true => code.strip_prefix('!'),
        false => code.strip_prefix("not "),
    };
    if let Some(code) = negated {
        let body = bare.get(behind..until)?;
        let body = body
            .trim()
            .trim_start_matches('{')
            .trim()
            .trim_end_matches(';');
        let (name, patterns) = question_of(code.trim())?;
        let rest = (until, end_of_surroundings(outline, begins, has_brackets));
        return matches!(body, "continue" | "return").then(|| {
            vec![Asked {
                name,
                patterns,
                within: rest,
            }]
        });
    }
    let sign = if has_brackets { "&&" } else { " and " };
    let says_more = [" or ", "||", " not ", "?", " if ", " else "];
    if says_more
        .iter()
        .any(|sign| bare[question.0..question.1].contains(sign))
    {
        return None;
    }
    let all = code.split(sign).filter_map(|part| question_of(part.trim()));
    Some(
        all.map(|(name, patterns)| Asked {
            name,
            patterns,
            within: (behind, until),
        })
        .collect(),
    )
}

/// Where the block ends that a condition stands in.
fn end_of_surroundings(outline: &Outline<'_>, begins: usize, has_brackets: bool) -> usize {
    let bare = &outline.bare;
    if has_brackets {
        let around = bare[..begins].match_indices('{');
        let ends = around.filter_map(|(open, _)| outline.partner(open));
        return ends
            .filter(|close| *close > begins)
            .min()
            .unwrap_or(bare.len());
    }
    let line = bare[..begins].rfind('\n').map_or(0, |at| at + 1);
    let depth = begins - line;
    let mut at = begins;
    while let Some(next) = bare[at..].find('\n').map(|length| at + length) {
        let following = bare[next + 1..].lines().next().unwrap_or_default();
        let own = following.len() - following.trim_start().len();
        if !following.trim().is_empty() && own < depth {
            return next;
        }
        at = next + 1;
    }
    bare.len()
}

/// The variable that one question is about, and what it must look like.
fn question_of(code: &str) -> Option<(String, Vec<String>)> {
    ends(code)
        .or_else(|| compared(code))
        .or_else(|| matched(code))
}

/// `f.endswith('.o')`, of one or of several endings.
fn ends(code: &str) -> Option<(String, Vec<String>)> {
    let (subject, rest) = ENDING.iter().find_map(|call| code.split_once(call))?;
    let told = rest.strip_suffix(')')?;
    let name = subject_of(subject.strip_suffix('.')?)?;
    let endings = strings(told)?;
    Some((name, endings.iter().map(|end| format!("*{end}")).collect()))
}

/// `f == 'a'`, `p.suffix in {'.o', '.a'}`.
fn compared(code: &str) -> Option<(String, Vec<String>)> {
    let signs = [" === ", " == ", " in "];
    let (sign, (subject, told)) = signs
        .iter()
        .find_map(|sign| Some((*sign, code.split_once(sign)?)))?;
    // In a string is any part of it.
    let is_list = told.trim().starts_with(['(', '[', '{']);
    let told = (is_list == (sign == " in ")).then(|| strings(told))??;
    let subject = subject.trim();
    let suffix = subject
        .strip_suffix(".suffix")
        .or_else(|| {
            subject
                .strip_prefix("os.path.splitext(")?
                .strip_suffix(")[1]")
        })
        .or_else(|| subject.strip_prefix("path.extname(")?.strip_suffix(')'));
    if let Some(subject) = suffix {
        let patterns = told.iter().map(|end| format!("*{end}"));
        let are_endings = told.iter().all(|end| end.starts_with('.'));
        return are_endings.then(|| Some((subject_of(subject)?, patterns.collect())))?;
    }
    Some((subject_of(subject)?, told))
}

/// `fnmatch.fnmatch(f, '*.o')`, `/\.o$/.test(f)`.
fn matched(code: &str) -> Option<(String, Vec<String>)> {
    if let Some(told) = ["fnmatch.fnmatch(", "fnmatch("]
        .iter()
        .find_map(|call| code.strip_prefix(call))
    {
        let (subject, pattern) = told.strip_suffix(')')?.split_once(',')?;
        let pattern = quoted(pattern.trim())?;
        let is_plain = |c: char| c.is_alphanumeric() || "*?._-".contains(c);
        let is_understood = pattern.contains('*') && pattern.chars().all(is_plain);
        return is_understood.then(|| Some((subject_of(subject)?, vec![pattern.to_owned()])))?;
    }
    let (expression, told) = code.split_once("/.test(")?;
    let ending = expression.strip_prefix("/\\.")?.strip_suffix('$')?;
    let is_plain = !ending.is_empty() && ending.chars().all(char::is_alphanumeric);
    is_plain.then(|| {
        Some((
            subject_of(told.strip_suffix(')')?)?,
            vec![format!("*.{ending}")],
        ))
    })?
}

/// The variable that is asked about: `f`, `f.name`, `str(f)`.
fn subject_of(code: &str) -> Option<String> {
    let code = code.trim();
    let inner = code
        .strip_prefix("str(")
        .and_then(|rest| rest.strip_suffix(')'));
    let code = inner.unwrap_or(code);
    let name = PARTS.iter().find_map(|part| {
        let name = code.strip_suffix(part)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_word)).then_some(name)
    });
    name.map(str::to_owned)
}

/// The strings in a list, or the only one, if none of them means more than one name.
fn strings(code: &str) -> Option<Vec<String>> {
    let code = code.trim();
    let inner = [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .find_map(|(open, close)| code.strip_prefix(*open)?.strip_suffix(*close));
    let all = inner.unwrap_or(code).trim_end().trim_end_matches(',');
    let all: Option<Vec<String>> = all
        .split(',')
        .map(|one| {
            let text = quoted(one.trim())?;
            let is_plain = |c: char| c.is_alphanumeric() || "._- ".contains(c);
            let is_name = !matches!(text, "" | "." | "..") && text.chars().all(is_plain);
            is_name.then(|| text.to_owned())
        })
        .collect();
    all.filter(|all| all.len() <= MOST_PATTERNS)
}

fn quoted(code: &str) -> Option<&str> {
    let quotes = ['"', '\''];
    quotes
        .iter()
        .find_map(|quote| code.strip_prefix(*quote)?.strip_suffix(*quote))
        .filter(|text| !text.contains(['"', '\'', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: &str) -> Vec<(String, Vec<String>, String)> {
        let outline = Outline::new(code);
        let first = outline.statements()[0];
        let asked = asked(&outline, first).into_iter();
        asked
            .map(|one| {
                let (from, to) = one.within;
                (one.name, one.patterns, code[from..to].trim().to_owned())
            })
            .collect()
    }

    #[test]
    fn a_condition_says_what_a_name_looks_like_up_to_the_end_of_its_block() {
        let one = |name: &str, patterns: &[&str], within: &str| {
            let patterns = patterns.iter().map(|one| (*one).to_owned()).collect();
            vec![(name.to_owned(), patterns, within.to_owned())]
        };
        for (code, expected) in [
            (
                "if f.endswith('.o'):\n  x\n  y\nz",
                one("f", &["*.o"], "x\n  y"),
            ),
            ("if f.endswith('.o'): x\nz", one("f", &["*.o"], "x")),
            (
                "if f.endswith(('.o', \".a\")):\n  x",
                one("f", &["*.o", "*.a"], "x"),
            ),
            (
                "if p.is_file() and p.suffix == '.o':\n  x",
                one("p", &["*.o"], "x"),
            ),
            (
                "if p.suffix in {'.o', '.a'}: x",
                one("p", &["*.o", "*.a"], "x"),
            ),
            ("if e.name == 'a': x", one("e", &["a"], "x")),
            ("if d in ('a', 'b'): x", one("d", &["a", "b"], "x")),
            ("if fnmatch.fnmatch(f, '*.o'): x", one("f", &["*.o"], "x")),
            (
                "  if not f.endswith('.o'):\n    continue\n  x\n  y\nz",
                one("f", &["*.o"], "x\n  y"),
            ),
            (
                "if (f.endsWith('.o')) { x; y }; z",
                one("f", &["*.o"], "{ x; y"),
            ),
            ("if (/\\.o$/.test(f)) x; y", one("f", &["*.o"], "x")),
            (
                "if (path.extname(f) === '.o') x; y",
                one("f", &["*.o"], "x"),
            ),
        ] {
            assert_eq!(told(code), expected, "{code}");
        }
    }

    #[test]
    fn what_may_mean_something_else_says_nothing() {
        for code in [
            "if f.endswith('.o') or x: y",
            "if not f.endswith('.o'): x",
            "if f.endswith(x): y",
            "if f.endswith(''): y",
            "if f.endswith('/a'): y",
            "if f == 'a/b': y",
            "if f == '.': y",
            "if f in 'abc': y",
            "if f.startswith('a'): y",
            "if g(f).endswith('.o'): y",
            "if fnmatch(f, '[a]*'): y",
            "if (f.endsWith('.o') || x) y",
            "if (f.endswith('.o')) or x: y",
            "if (/o/.test(f)) x",
            "while f.endswith('.o'): y",
        ] {
            assert_eq!(told(code), Vec::new(), "{code}");
        }
    }
}
