//! Names that nobody else has.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A random name of 128 bits, for a worker or for one take.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// A new one.
    ///
    /// # Panics
    /// If the system has no randomness, without which nothing here is safe.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).expect("the system's randomness");
        Self(base16ct::lower::encode_string(&bytes))
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for Id {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let sound = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        sound.then(|| Self(text.to_owned())).ok_or(())
    }
}
