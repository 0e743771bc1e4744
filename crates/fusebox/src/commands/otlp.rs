//! `fusebox otlp`: traces for collectors, and what agents report of themselves.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fusebox_notify::Webhook;
use fusebox_serve::{Content, Method, Request, Response, Server, Status, Token};
use fusebox_view::phrase;
use serde::Serialize;

use super::Context;
use super::events::since_ms;
use crate::cli::{Otlp, OtlpAction, OtlpExport, OtlpReceive};
use crate::exit;
use crate::failure::Failure;
use crate::look::machine::Machine;
use crate::otlp::receive::Ledger;
use crate::otlp::shape::{Export, Span};
use crate::otlp::trace::Tracer;
use crate::session;
use crate::speech;
use crate::spent::Totals;

/// Spans of one request.
const AT_ONCE: usize = 500;
/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest push that is taken.
const PUSH_BYTES: usize = 4 << 20;

pub(super) fn run(context: &Context<'_>, args: &Otlp) -> Result<u8, Failure> {
    match &args.action {
        OtlpAction::Export(args) => export(context, args),
        OtlpAction::Receive(args) => receive(context, args),
    }
}

fn export(context: &Context<'_>, args: &OtlpExport) -> Result<u8, Failure> {
    let from_ms = match &args.since {
        Some(text) => since_ms(text, context.clock.now().wall_ms)?,
        None => 0,
    };
    let collector = args.to.as_ref().map(|url| collector(url, args.private));
    let collector = collector.transpose()?;
    let machine = Machine::open(&context.cli.global, context.clock)?;
    let (mut waiting, mut count, mut failed) = (Vec::new(), 0_u64, None);
    for place in machine.places()? {
        let mut tell = |spans| {
            waiting.extend(spans);
            if waiting.len() >= AT_ONCE && failed.is_none() {
                count += waiting.len() as u64;
                let batch = std::mem::take(&mut waiting);
                failed = send(context, collector.as_ref(), batch).err();
            }
        };
        let told = machine.log(&place).and_then(|log| match log {
            Some(log) => Tracer::of(&place).spans(&log, from_ms, &mut tell),
            None => Ok(()),
        });
        // What cannot be read of one loop keeps nobody from having the others.
        if let Err(error) = told {
            let id = &place.id;
            context.speech.say(&format!("{id} is left out: {error}"));
        }
    }
    if let Some(failure) = failed {
        return Err(failure);
    }
    count += waiting.len() as u64;
    if !waiting.is_empty() {
        send(context, collector.as_ref(), waiting)?;
    }
    // What goes to standard output has arrived only when all of it was written.
    speech::told(exit::GO)?;
    let told = phrase::count(count, "span");
    context.speech.say(&format!("{told} exported"));
    Ok(exit::GO)
}

fn collector(url: &str, private: bool) -> Result<Webhook, Failure> {
    let address = format!("generic+{}/v1/traces", url.trim_end_matches('/'));
    let parsed: Result<Webhook, _> = address.parse();
    let webhook = parsed.map_err(|error| {
        let what = error.to_string().replace("webhook", "collector");
        Failure::new(exit::USAGE, what)
    })?;
    Ok(match private {
        true => webhook.allowing_private_addresses(),
        false => webhook,
    })
}

fn send(
    context: &Context<'_>,
    collector: Option<&Webhook>,
    spans: Vec<Span>,
) -> Result<(), Failure> {
    let request = Export::of(spans);
    let Some(collector) = collector else {
        context.speech.json(&request);
        return Ok(());
    };
    let body = serde_json::to_string(&request)
        .map_err(|error| Failure::new(exit::INTERNAL, format!("cannot be written: {error}")))?;
    collector.carry(body, PATIENCE).map_err(|why| {
        Failure::new(
            exit::MISSING,
            format!("the collector did not take it: {why}"),
        )
    })
}

/// Where it listens.
#[derive(Serialize)]
struct Found<'a> {
    endpoint: &'a str,
    token: &'a str,
}

fn receive(context: &Context<'_>, args: &OtlpReceive) -> Result<u8, Failure> {
    let random = Token::random();
    let token = random.map_err(|error| {
        Failure::new(exit::INTERNAL, format!("no randomness to be had: {error}"))
    })?;
    let state = session::homes(&context.cli.global, None)?.state;
    let server = Server::bind(args.port, token.clone()).map_err(|error| {
        let what = format!("cannot listen on port {}: {error}", args.port);
        Failure::new(exit::MISSING, what).hint("omit --port to use a free one")
    })?;
    let server = server.taking_bodies(PUSH_BYTES);
    let endpoint = format!("http://{}", server.address());
    if context.speech.json {
        context.speech.json(&Found {
            endpoint: &endpoint,
            token: token.reveal(),
        });
    } else {
        context.speech.data(&settings(&endpoint, token.reveal()));
    }
    let _ = std::io::stdout().flush();
    context
        .speech
        .say("set these where Claude Code is started; Ctrl-C ends it");
    let ledger = Mutex::new(Ledger::after(Totals::load(&state)));
    let ended = server.run(&|_| None, &|request| {
        let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let mut after = ledger.clone();
        let taken = take(&mut after, request)?;
        if after.totals.save(&state).is_err() {
            // Whoever is told so sends it again, and it must not count twice then.
            return Some(Response::refused(Status::Failed));
        }
        *ledger = after;
        Some(taken)
    });
    ended.map_err(|error| {
        Failure::new(
            exit::INTERNAL,
            format!("no connection can be taken any more: {error}"),
        )
    })?;
    Ok(exit::GO)
}

/// `None` where there is no such thing. Logs and traces are taken and forgotten, so
/// that nobody tries again.
fn take(ledger: &mut Ledger, request: &Request) -> Option<Response> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let is_metrics = match path[..] {
        ["v1", "metrics"] => true,
        ["v1", "logs" | "traces"] => false,
        _ => return None,
    };
    if request.method != Method::Post {
        return Some(Response::refused(Status::MethodNotAllowed));
    }
    if !request.may_be_json() {
        // The binary form of the protocol: OTEL_EXPORTER_OTLP_PROTOCOL says which.
        return Some(Response::refused(Status::WrongMedia));
    }
    if is_metrics && ledger.take(&request.body).is_err() {
        return Some(Response::refused(Status::BadRequest));
    }
    Some(Response::ok(Content::Json, "{}"))
}

fn settings(endpoint: &str, token: &str) -> String {
    format!(
        "export CLAUDE_CODE_ENABLE_TELEMETRY=1\n\
         export OTEL_METRICS_EXPORTER=otlp\n\
         export OTEL_EXPORTER_OTLP_PROTOCOL=http/json\n\
         export OTEL_EXPORTER_OTLP_ENDPOINT={endpoint}\n\
         export OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer {token}'\n"
    )
}
