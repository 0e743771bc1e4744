//! How a name is given a value, in the languages that say so differently.

/// Words before a name that is given a value.
pub(super) const DECLARING: [&str; 10] = [
    "const", "let", "var", "my", "our", "local", "val", "final", "static", "mut",
];

/// Names that take what went wrong, or nothing: `a, err := f()`.
const BESIDE: [&str; 3] = ["err", "_", "ok"];

/// A longer kind of a variable is none.
const LONGEST_KIND: usize = 48;

/// Whether a name is given what comes next: `a = b`, `a := b`, `a, err := b`.
pub(super) fn is_given(after: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let beside = after.strip_prefix(',').map(str::trim_start);
    let beside = beside.and_then(|rest| {
        let name = &rest[..rest.find(|c| !is_word(c))?];
        let behind = rest[name.len()..].trim_start();
        (BESIDE.contains(&name) && behind.starts_with(":=")).then_some(behind)
    });
    let after = beside.unwrap_or(after);
    let sign = after.strip_prefix(':').unwrap_or(after);
    sign.starts_with('=') && !sign.starts_with("==") && !sign.starts_with("=>")
}

/// Whether a statement begins with a name, but for words that declare it.
pub(super) fn is_first(before: &str) -> bool {
    let before = before.rsplit('{').next().unwrap_or_default();
    before
        .split_whitespace()
        .all(|word| DECLARING.contains(&word))
}

/// Whether a name is given what comes behind its kind: `a: String = b`, `a string = b`.
pub(super) fn is_given_a_kind(after: &str) -> bool {
    let Some((kind, rest)) = after.split_once('=') else {
        return false;
    };
    let is_kind = |c: char| c.is_alphanumeric() || "_ <>&'?[].:".contains(c);
    let is_even = kind.matches('[').count() == kind.matches(']').count();
    let is_sign = !rest.starts_with(['=', '>', '~']);
    kind.len() <= LONGEST_KIND
        && is_sign
        && is_even
        && kind.chars().all(is_kind)
        && kind.starts_with(|c: char| c == ':' || c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_a_value_by_a_sign() {
        for after in ["= 'b'", ":= b", ", err := b", ", _ := b", ",ok:=b"] {
            assert!(is_given(after), "{after}");
        }
        for after in [
            "== b",
            "=> b",
            ", c := b",
            ", err",
            ", err = b",
            ": b",
            "",
            ":== b",
        ] {
            assert!(!is_given(after), "{after}");
        }
    }

    #[test]
    fn a_kind_may_stand_before_the_sign() {
        for after in [
            ": String = b",
            "string = b",
            ": &'static str = b",
            ": [String] = [",
            ": List<A?> = b",
        ] {
            assert!(is_given_a_kind(after), "{after}");
        }
        for after in [
            ": b", ":x] = b", "(a) = b", ": a == b", ": a => b", ", a = b", "= b",
        ] {
            assert!(!is_given_a_kind(after), "{after}");
        }
        assert!(is_given_a_kind(&format!(
            ":{} = b",
            "a".repeat(LONGEST_KIND - 2)
        )));
        assert!(!is_given_a_kind(&format!(
            ":{} = b",
            "a".repeat(LONGEST_KIND - 1)
        )));
    }

    #[test]
    fn a_statement_begins_behind_its_brace() {
        assert!(is_first("") && is_first(" let mut ") && is_first("func main() { var "));
        assert!(!is_first("if ") && !is_first("f(") && !is_first("{ if "));
    }
}
