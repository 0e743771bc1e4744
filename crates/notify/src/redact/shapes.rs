//! Secrets that are known by their own shape.

use super::{REACH, Span, is_word, run_end};

/// How the tokens of known services begin, and how long what follows is at
/// least. No beginning is the beginning of another one.
const TOKENS: &[(&str, usize)] = &[
    ("sk-", 20),      // OpenAI, Anthropic and those who copied them
    ("sk_live_", 16), // Stripe
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("ghp_", 30), // GitHub
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 30),
    ("glpat-", 16), // GitLab
    ("gldt-", 16),
    ("glrt-", 16),
    ("xoxa-", 10), // Slack
    ("xoxb-", 10),
    ("xoxc-", 10),
    ("xoxd-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AKIA", 16), // AWS
    ("ASIA", 16),
    ("AIza", 30), // Google
    ("ya29.", 20),
    ("GOCSPX-", 20),
    ("hf_", 20), // Hugging Face
    ("npm_", 30),
    ("pypi-", 30),
    ("dop_v1_", 30), // DigitalOcean
    ("SG.", 30),     // SendGrid
    ("shpat_", 20),  // Shopify
    ("glsa_", 20),   // Grafana
    ("lin_api_", 20),
    ("gsk_", 20), // Groq
    ("xai-", 20),
    ("pplx-", 20),
    ("r8_", 20),    // Replicate
    ("tskey-", 16), // Tailscale
    ("whsec_", 16), // Standard Webhooks
    ("eyJ", 40),    // a JSON web token
];

/// No token is shorter; most words are.
const SHORTEST: usize = 12;

/// The armour around a private key, of whatever kind.
const KEY_BEGIN: &[u8] = b"-----BEGIN ";
const KEY_KIND: &[u8] = b"PRIVATE KEY";
const KEY_END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// A token of a known service whose first word is `bytes[at..word_end]`.
pub(super) fn known_token(bytes: &[u8], at: usize, word_end: usize) -> Option<Span> {
    let goes_on = matches!(bytes.get(word_end), Some(b'.' | b'+' | b'/' | b'=' | b'%'));
    if word_end < at + SHORTEST && !goes_on {
        return None;
    }
    let rest = &bytes[at..];
    let (prefix, least) = TOKENS
        .iter()
        .find(|(prefix, _)| rest.starts_with(prefix.as_bytes()))?;
    let body = at + prefix.len();
    let end = trim_dots(bytes, run_end(bytes, body, in_token));
    (end >= body + least).then_some(at..end)
}

/// The password of a URL whose `://` begins at `at`: what stands between the
/// user's name and the last `@` before the path. Without a name before it, the
/// user's part as a whole is a token.
pub(super) fn password_in_url(bytes: &[u8], at: usize) -> Option<Span> {
    let rest = bytes[at..].strip_prefix(b"://")?;
    let user = at + 3;
    let authority = rest
        .iter()
        .take(REACH)
        .take_while(|&&byte| !byte.is_ascii_whitespace() && !b"/?#\"'`<>".contains(&byte))
        .count();
    let authority = &bytes[user..user + authority];
    let end = authority.iter().rposition(|&byte| byte == b'@')?;
    match authority[..end].iter().position(|&byte| byte == b':') {
        Some(colon) => Some(user + colon + 1..user + end),
        None => (end >= 16).then_some(user..user + end),
    }
}

/// The secret part of a chat's webhook address: whoever has it may post.
pub(super) fn webhook_path(bytes: &[u8], at: usize, end: usize) -> Option<Span> {
    let path: &[u8] = match &bytes[at..end] {
        b"services" | b"workflows" | b"triggers" => b"hooks.slack.com/",
        b"webhooks" => b"/api/",
        _ => return None,
    };
    bytes[..at].ends_with(path).then_some(())?;
    (bytes.get(end) == Some(&b'/')).then_some(())?;
    Some(end + 1..run_end(bytes, end + 1, |byte| is_word(byte) || byte == b'/'))
        .filter(|span| span.len() >= 16)
}

/// A private key in armour, to its end or to that of the text. The armour's
/// dashes are the last of those that a word begins with, up to `bare`.
pub(super) fn private_key(bytes: &[u8], word: usize, bare: usize) -> Option<Span> {
    let at = bare.checked_sub(DASHES.len()).filter(|&at| at >= word)?;
    let rest = bytes[at..].strip_prefix(KEY_BEGIN)?;
    let kind = &rest[..rest.len().min(64)];
    let name = kind.windows(KEY_KIND.len()).position(|w| w == KEY_KIND)?;
    let first_line = kind.iter().position(|&byte| byte == b'\n');
    if first_line.is_some_and(|line| line < name) {
        return None;
    }
    let body = at + KEY_BEGIN.len() + name + KEY_KIND.len();
    let end = find(bytes, body, KEY_END).map_or(bytes.len(), |end| {
        let label = end + KEY_END.len();
        find(bytes, label, DASHES).map_or(bytes.len(), |dashes| dashes + DASHES.len())
    });
    Some(at..end)
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    let found = bytes[from..]
        .windows(needle.len())
        .position(|window| window == needle)?;
    Some(from + found)
}

fn in_token(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'+' | b'/' | b'=' | b'%')
}

/// A full stop after a token ends the sentence and not the token.
fn trim_dots(bytes: &[u8], mut end: usize) -> usize {
    while end > 0 && bytes[end - 1] == b'.' {
        end -= 1;
    }
    end
}
