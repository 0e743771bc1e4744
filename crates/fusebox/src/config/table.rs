//! The keys that are not about one signal: what they are called and what they are for.

use super::key::Key;

/// Each key, its path, and what it is for.
pub(super) const GENERAL: [(Key, &str, &str); 44] = [
    (
        Key::Preset,
        "preset",
        "the way of working that new circuits begin with",
    ),
    (
        Key::Operator,
        "operator_key_sha256",
        "SHA-256 of the key that releases a breaker where there is no terminal, in hexadecimal",
    ),
    (
        Key::StagnationThreshold,
        "stagnation.threshold",
        "trips after this many ticks in a row without progress",
    ),
    (
        Key::StagnationAction,
        "stagnation.action",
        "what `run` does when the breaker trips",
    ),
    (
        Key::Escalation,
        "stagnation.escalation",
        "whether `escalate` continues with the next model; if false, it pauses",
    ),
    (
        Key::CallLimit,
        "limits.calls.limit",
        "the most calls in one window",
    ),
    (
        Key::CallWindow,
        "limits.calls.window",
        "the length of the rolling window",
    ),
    (
        Key::CallWarnPercent,
        "limits.calls.warn_percent",
        "the share of the limit, in percent, from which calls are scarce",
    ),
    (
        Key::TokenLimit,
        "limits.tokens.limit",
        "the most tokens in one window",
    ),
    (
        Key::TokenWindow,
        "limits.tokens.window",
        "the length of the rolling window",
    ),
    (
        Key::TokenWarnPercent,
        "limits.tokens.warn_percent",
        "the share of the limit, in percent, from which a warning is given",
    ),
    (
        Key::MoneyLimit,
        "limits.money.limit_usd",
        "the most US dollars in one window",
    ),
    (
        Key::MoneyWindow,
        "limits.money.window",
        "the length of the rolling window",
    ),
    (
        Key::MoneyWarnPercent,
        "limits.money.warn_percent",
        "the share of the limit, in percent, from which a warning is given",
    ),
    (
        Key::Cooldown,
        "recovery.cooldown",
        "the wait before the first probe; doubles with each that fails",
    ),
    (
        Key::Longest,
        "recovery.longest",
        "the longest wait that doubling leads to",
    ),
    (
        Key::Probes,
        "recovery.probes",
        "after this many failed probes only a person may release",
    ),
    (
        Key::Timeout,
        "run.timeout",
        "the longest an iteration may take",
    ),
    (
        Key::IdleTimeout,
        "run.idle_timeout",
        "the longest an iteration may stand idle",
    ),
    (
        Key::MaxIterations,
        "run.max_iterations",
        "`run` ends after this many iterations",
    ),
    (
        Key::RetentionAge,
        "retention.age",
        "how long sealed logs and the output of runs are kept",
    ),
    (
        Key::RetentionBytes,
        "retention.bytes",
        "how much sealed logs may take, and the output of runs",
    ),
    (Key::MaxTime, "run.max_time", "`run` ends after this time"),
    (
        Key::Wait,
        "run.wait",
        "whether `run` waits for a cooldown, a free call or a usage limit's end",
    ),
    (
        Key::LongestWait,
        "run.longest_wait",
        "the longest that `run` waits at a stretch; what takes longer ends it",
    ),
    (
        Key::Observe,
        "run.observe",
        "whether `run` only observes: decides and writes down, denies nothing",
    ),
    (Key::Agent, "agent.name", "the agent that `run` starts"),
    (
        Key::Models,
        "agent.models",
        "the ladder of models, the cheapest first; `escalate` climbs it",
    ),
    (
        Key::Permissions,
        "agent.permissions",
        "what the agent may do by itself: \"ask\", \"edits\", \"everything\" or \"read-only\"",
    ),
    (
        Key::AgentArgs,
        "agent.args",
        "further arguments for the agent",
    ),
    (
        Key::TestCommand,
        "evidence.test",
        "the command that tests the work, run after each iteration with `sh -c`",
    ),
    (
        Key::BuildCommand,
        "evidence.build",
        "the command that builds it, run before the tests",
    ),
    (
        Key::RequiredFiles,
        "evidence.required",
        "files without which the work is not complete",
    ),
    (
        Key::CriteriaFile,
        "evidence.criteria",
        "a Markdown file whose open boxes `- [ ]` are criteria not yet met",
    ),
    (
        Key::NotifyDesktop,
        "notifications.desktop",
        "whether a desktop notification is shown",
    ),
    (
        Key::NotifyDesktopFor,
        "notifications.desktop_for",
        "what is shown there: severities, each with all graver ones, and names of events",
    ),
    (
        Key::NotifyWebhook,
        "notifications.webhook",
        "the address that notifications are sent to: Slack, Discord, ntfy or any other",
    ),
    (
        Key::NotifySecret,
        "notifications.secret",
        "the secret that signs them, `whsec_…`",
    ),
    (
        Key::NotifyWebhookFor,
        "notifications.webhook_for",
        "what is sent there: severities, each with all graver ones, and names of events",
    ),
    (
        Key::NotifyPrivate,
        "notifications.private",
        "whether that address may be one of a private network",
    ),
    (
        Key::NotifyCommand,
        "notifications.command",
        "a program and its arguments that get each notification as JSON on standard input",
    ),
    (
        Key::NotifyCommandFor,
        "notifications.command_for",
        "what it gets: severities, each with all graver ones, and names of events",
    ),
    (
        Key::Protect,
        "guard.protect",
        "further paths that are protected from being lost",
    ),
    (
        Key::ProtectTools,
        "guard.allow_tools",
        "the tools that may update what is protected; names may have wildcards",
    ),
];
