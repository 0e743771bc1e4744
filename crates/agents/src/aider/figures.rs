//! `Tokens: 3.1k sent, 2.1k cache hit, 50 received. Cost: $0.01 message, …`
//!
//! What was read from a cache or written to one was sent as well, and is told once more.

use crate::usage::{Usage, micro_usd};

/// What a line of figures says, with the precision it has.
pub(super) fn usage(line: &str) -> Option<Usage> {
    let (tokens, cost) = line.split_once("Cost: ").unwrap_or((line, ""));
    let mut usage = Usage::default();
    for figure in tokens.trim().trim_end_matches('.').split(", ") {
        let (count, kind) = figure.trim().split_once(' ')?;
        let count = Some(count_of(count)?);
        match kind {
            "sent" => usage.input_tokens = count,
            "cache hit" => usage.cache_read_tokens = count,
            "cache write" => usage.cache_write_tokens = count,
            "received" => usage.output_tokens = count,
            _ => return None,
        }
    }
    let cached = [usage.cache_read_tokens, usage.cache_write_tokens];
    let cached = cached.into_iter().flatten().fold(0, u64::saturating_add);
    usage.input_tokens = usage.input_tokens.map(|sent| sent.saturating_sub(cached));
    let message = cost.strip_prefix('$').and_then(|cost| cost.split_once(' '));
    usage.micro_usd = message.and_then(|(dollars, _)| micro_usd(dollars.parse().ok()?));
    Some(usage)
}

/// `646`, `1.0k`, `2.5M`.
fn count_of(text: &str) -> Option<u64> {
    let (digits, factor) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1_000_000),
            None => (text, 1),
        },
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let tenths: u64 = fraction.get(..1)?.parse().ok()?;
    let whole: u64 = whole.replace(',', "").parse().ok()?;
    whole.checked_mul(factor)?.checked_add(tenths * factor / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_with_the_precision_they_have() {
        let table = [
            ("1.0k sent, 50 received.", Some(1050), None),
            ("646 sent, 0 received.", Some(646), None),
            (
                "3.1k sent, 1.0k cache write, 2.0k cache hit, 50 received.",
                Some(3_150),
                None,
            ),
            (
                "2.5M sent, 1.2k cache hit, 3 received. Cost: $0.012 message, $1 session.",
                Some(2_500_003),
                Some(12_000),
            ),
            ("many sent, few received.", None, None),
            ("1 borrowed.", None, None),
            ("99999999999999999999 sent", None, None),
            ("99999999999999M sent", None, None),
        ];
        for (line, tokens, money) in table {
            let found = usage(line);
            assert_eq!(found.and_then(|usage| usage.tokens()), tokens, "{line}");
            assert_eq!(found.and_then(|usage| usage.micro_usd), money, "{line}");
        }
    }
}
