//! Settings out of the file that the oldest of the loops keeps.
//!
//! It is heeded only where somebody has imported it: a file that lies in many
//! repositories must not change what holds in them unasked.

use fusebox_core::signals::Signal;
use fusebox_seeds::Placed;
use fusebox_seeds::ralph::{self, Setting as Said};

use super::key::Key;
use super::kind::{Kind, Value};
use super::layer::{At, Document, Layer, Setting, Source};

/// The window that its limits are for.
const HOUR_MS: u64 = 60 * 60 * 1_000;

pub(super) fn parse(document: Document, source: Source) -> Layer {
    let found = ralph::read_settings(&document.text);
    let mut remarks = Vec::new();
    let mut settings = Vec::new();
    for Placed { what, span } in found.settings {
        let (key, amount) = translated(what);
        if key == Key::TokenLimit {
            settings.push(Setting {
                key: Key::TokenWindow,
                value: Value::Amount(HOUR_MS),
                at: At::Bytes(span.clone()),
            });
        }
        let value = match key.kind() {
            Kind::Time => (amount > 0).then_some(Value::Amount(amount)),
            kind => kind.read_number(amount),
        };
        match value {
            Some(value) => settings.push(Setting {
                key,
                value,
                at: At::Bytes(span),
            }),
            None => remarks.push(format!(
                "{}: it must be {}, so that is ignored",
                document.place(&span),
                key.kind().expected()
            )),
        }
    }
    // What is not used was said when it was imported.
    Layer {
        source,
        document: Some(document),
        settings,
        remarks,
    }
}

fn translated(said: Said) -> (Key, u64) {
    match said {
        Said::CallsPerHour(count) => (Key::CallLimit, count),
        Said::TokensPerHour(count) => (Key::TokenLimit, count),
        Said::TimeoutMs(ms) => (Key::Timeout, ms),
        Said::NoProgress(count) => (Key::SignalTrip(Signal::NoProgress), count),
        Said::SameError(count) => (Key::SignalTrip(Signal::RepeatedError), count),
        Said::OutputDecline(percent) => (Key::SignalTrip(Signal::OutputDecline), percent),
        Said::Denials(count) => (Key::SignalTrip(Signal::Denials), count),
        Said::CooldownMs(ms) => (Key::Cooldown, ms),
    }
}
