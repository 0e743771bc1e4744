//! `fusebox serve`: the loops of this machine in a browser.

use std::io::Write;

use fusebox_serve::{Server, Token};
use serde::Serialize;

use super::{Context, serve_stdio};
use crate::cli::Serve;
use crate::exit;
use crate::failure::Failure;
use crate::fleet;
use crate::look::machine::Machine;
use crate::serve::{Actions, BODY_BYTES, Dashboard};
use crate::session;
use crate::sight;

/// Where it is to be found.
#[derive(Serialize)]
struct Found<'a> {
    url: &'a str,
    port: u16,
    token: &'a str,
}

/// What whoever asks for something is told where that was not allowed.
const NOT_ALLOWED: &str =
    r#"{"error":"actions are off: start the server with `fusebox serve --allow-actions`"}"#;

pub(super) fn run(context: &Context<'_>, args: &Serve) -> Result<u8, Failure> {
    if args.stdio {
        return serve_stdio::run(context);
    }
    let token = token(args)?;
    let machine = Machine::open(&context.cli.global, context.clock)?;
    let actions = actions(context, args)?;
    let fleet = fleet::begin_watch(
        &context.session_despite_config()?,
        args.fleet.url.as_deref(),
    )?;
    let mut server = Server::bind(args.port, token.clone()).map_err(|error| {
        let what = format!("cannot listen on port {}: {error}", args.port);
        Failure::new(exit::MISSING, what).hint("omit --port to use a free one")
    })?;
    server = match actions {
        Some(_) => server.taking_bodies(BODY_BYTES),
        None => server.taking_none(NOT_ALLOWED),
    };
    // Behind the mark it stays in the browser: it is in no request and no log.
    let url = format!("http://{}/#token={}", server.address(), token.reveal());
    if context.speech.json {
        context.speech.json(&Found {
            url: &url,
            port: server.address().port(),
            token: token.reveal(),
        });
    } else {
        context.speech.data(&format!("{url}\n"));
    }
    let _ = std::io::stdout().flush();
    context
        .speech
        .say("open this address in a browser; Ctrl-C stops the server");
    let ended = Dashboard::new(machine, context.clock, fleet, actions).run(&server);
    ended.map_err(|error| {
        Failure::new(
            exit::INTERNAL,
            format!("no connection can be taken any more: {error}"),
        )
    })?;
    Ok(exit::GO)
}

/// What pages may ask for, where that is allowed.
fn actions(context: &Context<'_>, args: &Serve) -> Result<Option<Actions>, Failure> {
    if !args.allow_actions {
        return Ok(None);
    }
    let homes = session::homes(&context.cli.global, None)?;
    sight::refuse_agents(&homes, context.clock, "acting through a page")?;
    if let Some(token) = &args.token {
        // One that was typed was at least chosen by whoever allows actions.
        if std::env::var_os("FUSEBOX_TOKEN").is_some_and(|set| set == token.as_str()) {
            let what = "--allow-actions takes no token from the environment";
            return Err(Failure::new(exit::USAGE, what)
                .hint("give it with `--token`, or none for a new one each time"));
        }
        context.speech.say(
            "a token on a command line can be read by other programs of this machine; without `--token` there is a new one each time",
        );
    }
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(
            exit::INTERNAL,
            format!("this program cannot be found: {error}"),
        )
    })?;
    let homes = session::homes(&context.cli.global, None)?;
    let record = homes.state.join("actions.jsonl");
    Ok(Some(Actions { program, record }))
}

fn token(args: &Serve) -> Result<Token, Failure> {
    let Some(text) = &args.token else {
        let random = Token::random();
        return random.map_err(|error| {
            Failure::new(exit::INTERNAL, format!("no randomness to be had: {error}"))
        });
    };
    Token::chosen(text).ok_or_else(|| {
        let what = match text.len() {
            0..16 => "a token of less than 16 characters can be guessed",
            _ => "the token holds more than letters, digits, - and _",
        };
        Failure::new(exit::USAGE, what)
            .hint("give 16 or more letters, digits, - or _, or none for a new one each time")
    })
}
