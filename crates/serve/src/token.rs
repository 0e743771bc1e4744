//! The word that lets somebody in.

use std::fmt;

/// The shortest that somebody may choose.
const SHORTEST: usize = 16;

/// 256 bits from the system's randomness, as text.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn random() -> Result<Self, String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        Ok(Self(base16ct::lower::encode_string(&bytes)))
    }

    /// One that somebody chose; `None` if it is short enough to be guessed, or could
    /// not stand in a header or an address.
    #[must_use]
    pub fn chosen(text: &str) -> Option<Self> {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        (plain && text.len() >= SHORTEST).then(|| Self(text.to_owned()))
    }

    /// The token as text, for whoever is to have it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `offered` is the same, in a time that does not depend on how much
    /// of it is.
    #[must_use]
    pub fn is(&self, offered: &str) -> bool {
        let pairs = self.0.bytes().zip(offered.bytes());
        let differences = pairs.fold(0, |seen, (a, b)| seen | (a ^ b));
        self.0.len() == offered.len() && differences == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(…)")
    }
}
