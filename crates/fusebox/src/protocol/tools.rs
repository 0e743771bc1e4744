//! For agents: what there is to see, and reporting what went wrong, as tools of the Model
//! Context Protocol.
//!
//! An agent may look and may report. It can ask for nothing that counts, opens or closes: what
//! it does is measured from outside, and a tool that could be called to look busy would be.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::questions::{Desk, Nothing};
use super::refusal::{Code, Refusal};
use super::rpc::{Answers, Params, result};
use crate::cli::Global;
use crate::clock::Clock;

const METHODS: &str = "initialize, ping, tools/list, tools/call";

/// The revisions of the protocol that are spoken, the latest first. What is said here is the
/// same in all of them.
const REVISIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

const INSTRUCTIONS: &str = "fusebox watches this project from outside and stops work that \
    stands still. These tools show how things stand and take reports; none of them can close an \
    open breaker, which only a person may. When it is open, stop, and say what stands in the way.";

/// One tool, as it is announced.
struct Tool {
    name: &'static str,
    description: &'static str,
    /// The JSON Schema of what it takes.
    takes: &'static str,
    reads_only: bool,
}

const NOTHING: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

const TOOLS: [Tool; 4] = [
    Tool {
        name: "status",
        description: "How the circuit breaker of this project stands: state, signals against \
            their thresholds, limits, and whether the next iteration may run.",
        takes: NOTHING,
        reads_only: true,
    },
    Tool {
        name: "explain",
        description: "Why it stands so, in words: which signal, on which evidence, and what \
            would change it.",
        takes: NOTHING,
        reads_only: true,
    },
    Tool {
        name: "history",
        description: "What happened in this project's circuit, oldest first.",
        takes: r#"{"type":"object","properties":{"last":{"type":"integer","minimum":1,"maximum":1000,"description":"how many lines, the latest"},"task":{"type":"string"},"kind":{"type":"string","enum":["granted","reported","unreported","tripped","reset","taken","retried","recovering","phase","completed","reconsidered","analysed","resolved","task_blocked","task_reopened","run_began","run_ended","run_paused","run_went_on","reserved_more","projected","adopted","edit_refused","phase_skipped","preset_changed","imported","protected_file_lost","anomaly","threshold_set","failures_forgotten"]}},"additionalProperties":false}"#,
        reads_only: true,
    },
    Tool {
        name: "report_anomaly",
        description: "Report that something is wrong with the work itself: the same attempt \
            failed several times, an assumption did not hold, the specification has a gap, a \
            service is down. Reports are looked at together; honest ones help, and none is held \
            against you.",
        takes: r#"{"type":"object","required":["type","task"],"properties":{"type":{"type":"string","description":"such as retry_loop, trade_off, assumption_violated, external_blocker"},"task":{"type":"string","description":"the task it was met in"},"reporter":{"type":"string"},"details":{"type":"object","properties":{"count":{"type":"integer"},"error_pattern":{"type":"string"},"root_cause_hypothesis":{"type":"string"},"root_cause":{"type":"string"},"what":{"type":"string"},"why":{"type":"string"},"debt_created":{"type":"boolean"},"assumption":{"type":"string"},"reality":{"type":"string"},"spec_ref":{"type":"string"},"blocker_service":{"type":"string"},"protocol_section":{"type":"string"},"question":{"type":"string"}}}},"additionalProperties":false}"#,
        reads_only: false,
    },
];

/// The methods of `mcp`.
pub(crate) struct Tools(pub(super) Desk);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hello {
    protocol_version: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Welcome {
    protocol_version: &'static str,
    capabilities: Capabilities,
    server_info: ServerInfo,
    instructions: &'static str,
}

#[derive(Serialize)]
struct Capabilities {
    tools: Empty,
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct ServerInfo {
    name: &'static str,
    title: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Announced {
    tools: Vec<AnnouncedTool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnnouncedTool {
    name: &'static str,
    description: &'static str,
    input_schema: Box<RawValue>,
    annotations: Annotations,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations {
    read_only_hint: bool,
    destructive_hint: bool,
    open_world_hint: bool,
}

#[derive(Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

/// What a tool gave, as text for a model, and as data where it is data.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    content: [Text; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Box<RawValue>>,
    is_error: bool,
}

#[derive(Serialize)]
struct Text {
    r#type: &'static str,
    text: String,
}

impl Tools {
    pub(crate) fn new(global: &Global, clock: Clock) -> Self {
        Self(Desk::new(global, clock))
    }

    fn call(&self, call: &Call) -> Result<Given, Refusal> {
        let desk = &self.0;
        let params = Params::of(call.arguments.as_deref());
        let data = match call.name.as_str() {
            "status" => params.read::<Nothing>().and_then(|_| desk.status()),
            "explain" => {
                params.read::<Nothing>()?;
                let text = desk.explain().map(|explained| Given::text(explained.text));
                return Ok(text.unwrap_or_else(|refusal| Given::error(&refusal)));
            }
            "history" => desk.history(params.read()?),
            "report_anomaly" => desk
                .report_anomaly(params.read()?)
                .and_then(|anomaly| result(&anomaly)),
            other => {
                let other = fusebox_view::escape::line(other, 80);
                let names = TOOLS.map(|tool| tool.name).join(", ");
                let what = format!("there is no tool `{other}`; there are {names}");
                return Err(Refusal::new(Code::Params, what));
            }
        };
        // What the breaker refuses is for the model to read, not a fault of the protocol.
        Ok(data.map_or_else(|refusal| Given::error(&refusal), Given::data))
    }
}

impl Given {
    fn of(text: String, data: Option<Box<RawValue>>, is_error: bool) -> Self {
        Self {
            content: [Text {
                r#type: "text",
                text,
            }],
            structured_content: data,
            is_error,
        }
    }

    fn text(text: String) -> Self {
        Self::of(text, None, false)
    }

    fn data(data: Box<RawValue>) -> Self {
        Self::of(data.get().to_owned(), Some(data), false)
    }

    fn error(refusal: &Refusal) -> Self {
        Self::of(refusal.message().to_owned(), None, true)
    }
}

impl Answers for Tools {
    fn answer(&mut self, method: &str, params: Params<'_>) -> Result<Box<RawValue>, Refusal> {
        match method {
            "initialize" => {
                let hello: Hello = params.read()?;
                let spoken = REVISIONS
                    .into_iter()
                    .find(|known| *known == hello.protocol_version);
                result(&Welcome {
                    protocol_version: spoken.unwrap_or(REVISIONS[0]),
                    capabilities: Capabilities { tools: Empty {} },
                    server_info: ServerInfo {
                        name: "fusebox",
                        title: "The circuit breaker of this project",
                        version: env!("CARGO_PKG_VERSION"),
                    },
                    instructions: INSTRUCTIONS,
                })
            }
            "ping" => result(&Empty {}),
            "tools/list" => result(&Announced {
                tools: TOOLS.iter().map(announced).collect::<Result<_, _>>()?,
            }),
            "tools/call" => result(&self.call(&params.read()?)?),
            notification if notification.starts_with("notifications/") => result(&Empty {}),
            other => Err(Refusal::unknown(other, METHODS)),
        }
    }
}

fn announced(tool: &Tool) -> Result<AnnouncedTool, Refusal> {
    let input_schema = RawValue::from_string(tool.takes.to_owned())
        .map_err(|error| Refusal::new(Code::Internal, error.to_string()))?;
    Ok(AnnouncedTool {
        name: tool.name,
        description: tool.description,
        input_schema,
        annotations: Annotations {
            read_only_hint: tool.reads_only,
            destructive_hint: false,
            open_world_hint: false,
        },
    })
}
