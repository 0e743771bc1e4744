//! The secret that a receiver knows requests by, and what is made with it.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;

const PREFIX: &str = "whsec_";

/// The lengths that Standard Webhooks allows, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// A key for signing, as in `whsec_` and base64.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// Why a text is no secret. The text is not repeated.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SecretError {
    /// It is not `whsec_` and base64.
    #[error("a webhook's secret must be `whsec_` followed by base64")]
    Malformed,
    /// It is too easy to guess, or no key at all.
    #[error("a webhook's secret must have 24 to 64 bytes; this one has {0}")]
    Length(usize),
}

impl FromStr for Secret {
    type Err = SecretError;

    fn from_str(text: &str) -> Result<Self, SecretError> {
        let base64 = text
            .trim()
            .strip_prefix(PREFIX)
            .ok_or(SecretError::Malformed)?;
        let key = STANDARD
            .decode(base64)
            .map_err(|_| SecretError::Malformed)?;
        if !LENGTHS.contains(&key.len()) {
            return Err(SecretError::Length(key.len()));
        }
        Ok(Self(key))
    }
}

impl Secret {
    /// The header `webhook-signature` of Standard Webhooks.
    pub(super) fn signature(&self, id: &str, unix_seconds: u64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .expect("a key of any length is a key of this construction");
        mac.update(format!("{id}.{unix_seconds}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_the_published_example_does() {
        let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
        let signature = secret.signature(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn what_is_no_secret_is_refused_and_none_is_shown() {
        for (text, error) in [
            ("", SecretError::Malformed),
            ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", SecretError::Malformed),
            ("whsec_***", SecretError::Malformed),
            ("whsec_c2hvcnQ=", SecretError::Length(5)),
        ] {
            assert_eq!(text.parse::<Secret>().unwrap_err(), error, "{text}");
        }
        let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}
