//! How alike two texts are.

/// From how many percent on two texts are similar.
pub const SIMILAR_PERCENT: usize = 70;
/// How much of a text is compared, in characters.
const COMPARED_CHARS: usize = 256;
/// The shortest text, in characters, that says something where it occurs within
/// another.
const TELLING_CHARS: usize = 4;

/// Whether two texts are alike: 1 − distance ÷ length of the longer one is at
/// least 0.7, where the distance is the number of characters to insert, delete
/// or replace.
#[must_use]
pub fn similar(one: &str, other: &str) -> bool {
    let one: Vec<char> = one.chars().take(COMPARED_CHARS).collect();
    let other: Vec<char> = other.chars().take(COMPARED_CHARS).collect();
    let longer = one.len().max(other.len());
    let allowed = longer * (100 - SIMILAR_PERCENT) / 100;
    distance_within(&one, &other, allowed)
}

/// Whether a person should see one beside the other: they are similar, or one
/// says what the other says and more.
pub(super) fn resemble(one: &str, other: &str) -> bool {
    let within = |part: &str, whole: &str| {
        part.chars().nth(TELLING_CHARS - 1).is_some() && whole.contains(part)
    };
    similar(one, other) || within(one, other) || within(other, one)
}

/// Whether the distance between two texts is at most `allowed`. Gives up as
/// soon as it cannot be: most pairs have nothing in common.
fn distance_within(one: &[char], other: &[char], allowed: usize) -> bool {
    if one.len().abs_diff(other.len()) > allowed || strangers(one, other) > allowed {
        return false;
    }
    let (one, other) = without_common_ends(one, other);
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
        if row.iter().min().is_some_and(|least| *least > allowed) {
            return false;
        }
    }
    row[other.len()] <= allowed
}

/// What is left of two texts without what they begin and end with alike, which is free to
/// keep: most messages of one program share their words and differ in a name or a number.
fn without_common_ends<'a>(mut one: &'a [char], mut other: &'a [char]) -> (&'a [char], &'a [char]) {
    while let ([a, one_rest @ ..], [b, other_rest @ ..]) = (one, other)
        && a == b
    {
        (one, other) = (one_rest, other_rest);
    }
    while let ([one_rest @ .., a], [other_rest @ .., b]) = (one, other)
        && a == b
    {
        (one, other) = (one_rest, other_rest);
    }
    (one, other)
}

/// How many characters of the longer text the other cannot account for, in any
/// order: never more than the distance, and far cheaper to find.
fn strangers(one: &[char], other: &[char]) -> usize {
    let (longer, shorter) = if one.len() < other.len() {
        (other, one)
    } else {
        (one, other)
    };
    let mut seen = [0_i32; 64];
    let place = |c: &char| (u32::from(*c) % 64) as usize;
    shorter.iter().for_each(|c| seen[place(c)] += 1);
    longer.iter().for_each(|c| seen[place(c)] -= 1);
    seen.iter()
        .filter(|count| **count < 0)
        .map(|count| count.unsigned_abs() as usize)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn req_002_043_and_d_077_similar_means_seven_tenths_of_the_longer_text() {
        for (one, other, expected) in [
            ("", "", true),
            ("abc", "abc", true),
            ("abcdefghij", "abcdefgxyz", true),
            ("abcdefghij", "abcdefwxyz", false),
            ("abcdefg", "abcdefghij", true),
            ("abcdef", "abcdefghij", false),
            ("timeout", "connection timeout", false),
            ("größer", "grösser", true),
            ("日本語日本語日本語日", "日本語日本語日xyz", true),
            ("serialization failure", "serialisation failures", true),
        ] {
            assert_eq!(similar(one, other), expected, "{one} / {other}");
            assert_eq!(similar(other, one), expected, "{other} / {one}");
        }
    }

    #[test]
    fn a_text_within_another_resembles_it() {
        assert!(resemble("timeout", "connection timeout"));
        assert!(!resemble("out", "connection timeout"));
        assert!(!resemble("disk full", "connection timeout"));
    }

    proptest! {
        #[test]
        fn giving_up_early_changes_no_answer(one in "[ab]{0,12}", other in "[ab]{0,12}", allowed in 0_usize..12) {
            fn plain(one: &[char], other: &[char]) -> usize {
                match (one, other) {
                    ([], rest) | (rest, []) => rest.len(),
                    ([a, one @ ..], [b, other @ ..]) if a == b => plain(one, other),
                    ([_, one_rest @ ..], [_, other_rest @ ..]) => {
                        1 + plain(one_rest, other).min(plain(one, other_rest)).min(plain(one_rest, other_rest))
                    }
                }
            }
            let chars = |text: &str| text.chars().take(7).collect::<Vec<_>>();
            let (one, other) = (chars(&one), chars(&other));
            prop_assert_eq!(distance_within(&one, &other, allowed), plain(&one, &other) <= allowed);
        }
    }
}
