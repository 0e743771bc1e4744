//! The four clients: how each is started, and told that its vendor is here.
//!
//! All of it is environment and configuration in the client's home, so that
//! whoever starts the client, a test or fusebox, needs to know nothing of it.

use std::fs;
use std::path::Path;

/// A client under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

impl Client {
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// One turn without a person, with leave to run commands, told as a
    /// stream of JSON.
    pub(crate) fn arguments(self, prompt: &str) -> Vec<&str> {
        match self {
            Self::Claude => vec![
                "-p",
                prompt,
                "--output-format",
                "stream-json",
                "--verbose",
                "--dangerously-skip-permissions",
            ],
            Self::Codex => vec![
                "exec",
                "--json",
                "--dangerously-bypass-approvals-and-sandbox",
                prompt,
            ],
            Self::Gemini => vec!["-p", prompt, "-o", "stream-json", "--approval-mode", "yolo"],
            Self::Opencode => vec!["run", "--format", "json", "--auto", prompt],
        }
    }

    /// Two of its models, the better one last.
    pub(crate) fn ladder(self) -> [&'static str; 2] {
        match self {
            Self::Claude => ["haiku", "sonnet"],
            Self::Codex => ["gpt-5.1-codex-mini", "gpt-5.1-codex"],
            Self::Gemini => ["gemini-2.5-flash", "gemini-2.5-pro"],
            Self::Opencode => ["scripted/model", "scripted/better"],
        }
    }

    /// Whether it tells what it cost.
    pub(crate) fn tells_its_cost(self) -> bool {
        matches!(self, Self::Claude | Self::Opencode)
    }

    /// Where the model is, a key that no vendor knows, and everything that
    /// phones home switched off. Few retries: a test has no hour to spare.
    pub(crate) fn environment(self, url: &str) -> Vec<(&'static str, String)> {
        let pairs: &[(&str, &str)] = match self {
            Self::Claude => &[
                ("ANTHROPIC_BASE_URL", url),
                // A subscription's token rather than a key: only those have
                // usage limits that say when they end.
                ("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-scripted"),
                ("CLAUDE_CODE_MAX_RETRIES", "1"),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                ("DISABLE_TELEMETRY", "1"),
                ("DISABLE_ERROR_REPORTING", "1"),
                ("DISABLE_AUTOUPDATER", "1"),
                // It refuses to work without asking as root, unless told
                // that root is not what it seems, which is true here.
                ("IS_SANDBOX", "1"),
            ],
            Self::Codex => &[("SCRIPTED_KEY", "x")],
            Self::Gemini => &[
                ("GOOGLE_GEMINI_BASE_URL", url),
                ("GEMINI_API_KEY", "x"),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
                ("GEMINI_TELEMETRY_ENABLED", "false"),
            ],
            Self::Opencode => &[
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ],
        };
        let owned = |&(name, value): &(&'static str, &str)| (name, value.to_owned());
        pairs.iter().map(owned).collect()
    }

    /// Writes what the client wants to find in its home.
    pub(crate) fn settle_in(self, home: &Path, url: &str) {
        let (directory, file, text) = match self {
            Self::Claude => return,
            Self::Codex => (".codex", "config.toml", codex_configuration(url)),
            Self::Gemini => (".gemini", "settings.json", GEMINI_SETTINGS.to_owned()),
            Self::Opencode => (
                ".config/opencode",
                "opencode.json",
                opencode_configuration(url),
            ),
        };
        let directory = home.join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(file), text).unwrap();
    }
}

/// Without a model of its own choice, Gemini first asks a smaller one which to
/// take, and spends two minutes on insisting on an answer in JSON.
const GEMINI_SETTINGS: &str = r#"{
  "model": {"name": "gemini-2.5-pro"},
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false, "maxAttempts": 2}
}"#;

fn codex_configuration(url: &str) -> String {
    format!(
        r#"
model = "gpt-5.1-codex"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"#
    )
}

/// Unlike the others it asks for nothing unless told to.
fn opencode_configuration(url: &str) -> String {
    let model = serde_json::json!({
        "limit": {"context": 200_000, "output": 32_000},
        "cost": {"input": 3, "output": 15},
    });
    serde_json::json!({
        "permission": {"bash": "ask"},
        "model": "scripted/model",
        "small_model": "scripted/model",
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": format!("{url}/v1"), "apiKey": "x"},
            "models": {"model": model, "better": model},
        }},
    })
    .to_string()
}
