//! `.ralphrc`, a file of shell assignments that is read and never executed.
//!
//! What needs a shell to find out its value has none here: the file lies in the
//! repository, and whoever can write it could make us run anything.

use std::ops::Range;

use crate::existing::Understood;
use crate::json::Placed;

/// Where the settings are.
pub const RC_FILE: &str = ".ralphrc";

/// What the file sets, and what else stands in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What is understood, in the order of the file.
    pub settings: Vec<Placed<Setting>>,
    /// What is not, with why.
    pub unused: Vec<Placed<String>>,
}

/// One value that the file sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The most calls in an hour.
    CallsPerHour(u64),
    /// The most tokens in an hour.
    TokensPerHour(u64),
    /// The longest that one call may take, in milliseconds.
    TimeoutMs(u64),
    /// Loops in a row without progress.
    NoProgress(u64),
    /// Loops in a row with the same error.
    SameError(u64),
    /// The fall of output, in percent.
    OutputDecline(u64),
    /// Denied permissions in a row.
    Denials(u64),
    /// The wait before a probe, in milliseconds.
    CooldownMs(u64),
}

impl Setting {
    fn of(name: &str, value: u64) -> Option<Self> {
        let times = |unit: u64| value.checked_mul(unit);
        Some(match name {
            "MAX_CALLS_PER_HOUR" => Self::CallsPerHour(value),
            "MAX_TOKENS_PER_HOUR" => Self::TokensPerHour(value),
            "CLAUDE_TIMEOUT_MINUTES" => Self::TimeoutMs(times(60_000)?),
            "CLAUDE_TIMEOUT" => Self::TimeoutMs(times(1_000)?),
            "CB_NO_PROGRESS_THRESHOLD" | "NO_PROGRESS_THRESHOLD" => Self::NoProgress(value),
            "CB_SAME_ERROR_THRESHOLD" | "IDENTICAL_ERROR_THRESHOLD" => Self::SameError(value),
            "CB_OUTPUT_DECLINE_THRESHOLD" | "OUTPUT_DECLINE_THRESHOLD" => {
                Self::OutputDecline(value)
            }
            "CB_PERMISSION_DENIAL_THRESHOLD" => Self::Denials(value),
            "CB_COOLDOWN_MINUTES" => Self::CooldownMs(times(60_000)?),
            "COOLDOWN_SECONDS" => Self::CooldownMs(times(1_000)?),
            _ => return None,
        })
    }

    fn words(self) -> String {
        match self {
            Self::CallsPerHour(count) => format!("at most {count} calls in any hour"),
            Self::TokensPerHour(count) => format!("at most {count} tokens in any hour"),
            Self::TimeoutMs(ms) => format!("at most {} s for an iteration", ms / 1_000),
            Self::NoProgress(count) => format!("trips after {count} iterations without progress"),
            Self::SameError(count) => format!("trips after {count} iterations with one error"),
            Self::OutputDecline(percent) => format!("output that falls by {percent} %"),
            Self::Denials(count) => format!("trips after {count} denied permissions in a row"),
            Self::CooldownMs(ms) => format!("a cooldown of {} s", ms / 1_000),
        }
    }
}

/// Reads the file. Nothing in it can be so wrong that the rest is not read: it
/// was written for a shell.
#[must_use]
pub fn read_settings(text: &str) -> Settings {
    let mut found = Settings::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.trim_end().len();
        at += line.len();
        let line = line.trim();
        let is_assignment = !line.is_empty() && !line.starts_with(['#', '[']);
        if is_assignment {
            found.assignment(line, span);
        }
    }
    found
}

impl Settings {
    fn assignment(&mut self, line: &str, span: Range<usize>) {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else {
            return self.leave(format!("`{line}`: not an assignment"), span);
        };
        let name = name.trim();
        let Some(value) = plain(name, value) else {
            return self.leave(format!("{name}: only a shell could tell its value"), span);
        };
        if Setting::of(name, 0).is_none() {
            let instead = instead(name).map_or_else(String::new, |it| format!("; instead {it}"));
            return self.leave(format!("{name}: not used here{instead}"), span);
        }
        let Ok(value) = value.parse::<u64>() else {
            return self.leave(format!("{name}: `{value}` is not a number"), span);
        };
        match Setting::of(name, value) {
            Some(Setting::TokensPerHour(0)) => {
                self.leave(format!("{name}: 0 is no limit, there as here"), span);
            }
            Some(setting) => self.settings.push(Placed {
                what: setting,
                span,
            }),
            None => self.leave(format!("{name}: `{value}` is too large"), span),
        }
    }

    fn leave(&mut self, what: String, span: Range<usize>) {
        self.unused.push(Placed { what, span });
    }
}

/// What says the same here as a setting that is not read.
fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "ALLOWED_TOOLS" | "CLAUDE_ALLOWED_TOOLS" => {
            "`run --permissions edits`, and your own `[agent] args` for rules of the agent's"
        }
        "CLAUDE_MODEL" | "MODEL" => "`run --model`",
        "SESSION_CONTINUITY" | "CLAUDE_USE_CONTINUE" => "`run --continue-session`",
        "ENABLE_NOTIFICATIONS" => "`[notify]`",
        "PROTECTED_PATHS" => "`[guard] protect`",
        "ENABLE_BACKUP" => "`fusebox rollback`, which needs no switch",
        _ => return None,
    })
}

/// The value without quotes and without a remark behind it; of `${NAME:-value}`
/// what stands there for want of a variable.
fn plain<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    let value = value.trim();
    let (value, special): (_, &[char]) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let (inside, rest) = value[1..].split_once(quote)?;
            let rest = rest.trim_start();
            if !rest.is_empty() && !rest.starts_with('#') {
                return None;
            }
            // Between quotes a shell looks for little, and between single ones for nothing.
            let special: &[char] = if quote == '"' { &['$', '`', '\\'] } else { &[] };
            (inside, special)
        }
        _ => {
            let bare = value.split(" #").next()?.trim();
            (bare, &['$', '`', '\\', ';', '&', '|', '<', '>', '(', ')'])
        }
    };
    let inner = value
        .strip_prefix("${")
        .and_then(|rest| rest.strip_prefix(name))
        .and_then(|rest| rest.strip_prefix(":-"))
        .and_then(|rest| rest.strip_suffix('}'));
    let value = inner.unwrap_or(value);
    (!value.contains(special)).then_some(value)
}

impl Placed<Setting> {
    fn in_words(self) -> Placed<String> {
        Placed {
            what: self.what.words(),
            span: self.span,
        }
    }
}

pub(super) fn understand(text: &str) -> Understood {
    let Settings { settings, unused } = read_settings(text);
    Understood {
        set: settings.into_iter().map(Placed::in_words).collect(),
        left: unused.into_iter().map(|one| one.what).collect(),
        ..Understood::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_read_and_nothing_is_executed() {
        let text = "# settings\n[LOOP_SETTINGS]\nMAX_CALLS_PER_HOUR=50 # fewer\n\
            export CB_COOLDOWN_MINUTES=\"${CB_COOLDOWN_MINUTES:-45}\"\n\
            COOLDOWN_SECONDS='1800'\nCB_NO_PROGRESS_THRESHOLD=$(touch /tmp/x; echo 9)\n\
            CB_SAME_ERROR_THRESHOLD=`id`\nALLOWED_TOOLS=\"Write,Bash(git add *)\"\nrm -rf /\n\
            MAX_TOKENS_PER_HOUR=0\nMAX_CALLS_PER_HOUR=5x\nCLAUDE_TIMEOUT_MINUTES=99999999999999999\n\
            CB_COOLDOWN_MINUTES=\"1\"$(id)\nPROJECT_NAME='a;b'\nMAX_TOKENS_PER_HOUR=400\n";
        let found = read_settings(text);
        let settings: Vec<Setting> = found.settings.iter().map(|one| one.what).collect();
        assert_eq!(
            settings,
            [
                Setting::CallsPerHour(50),
                Setting::CooldownMs(45 * 60_000),
                Setting::CooldownMs(1_800_000),
                Setting::TokensPerHour(400),
            ]
        );
        assert_eq!(
            &text[found.settings[0].span.clone()],
            "MAX_CALLS_PER_HOUR=50 # fewer"
        );
        let unused: Vec<&str> = found.unused.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(
            unused,
            [
                "CB_NO_PROGRESS_THRESHOLD: only a shell could tell its value",
                "CB_SAME_ERROR_THRESHOLD: only a shell could tell its value",
                "ALLOWED_TOOLS: not used here; instead `run --permissions edits`, and your own \
                 `[agent] args` for rules of the agent's",
                "`rm -rf /`: not an assignment",
                "MAX_TOKENS_PER_HOUR: 0 is no limit, there as here",
                "MAX_CALLS_PER_HOUR: `5x` is not a number",
                "CLAUDE_TIMEOUT_MINUTES: `99999999999999999` is too large",
                "CB_COOLDOWN_MINUTES: only a shell could tell its value",
                "PROJECT_NAME: not used here",
            ]
        );
    }
}
