//! `fusebox hooks`: telling agents to ask, and taking that back.
//!
//! The settings of an agent belong to a person. They are changed in place and in one rename;
//! what stood there before is kept, so that taking ours out again leaves every byte as it was.
//! What cannot be changed safely is left alone, with a line that says why.

mod canary;
#[cfg(feature = "fuzzing")]
mod door;
mod place;
mod receipt;
mod settings;
pub(super) mod status;

use std::ffi::OsString;
use std::path::PathBuf;

use fusebox_agents::hook::{Caller, Registered as How, Scope, called};

use super::Context;
use crate::caller;
use crate::cli::{DEFAULT_CIRCUIT, Global, Hooked, HooksAction, HooksCommand, Registering};
use crate::exit;
use crate::failure::Failure;
use crate::itself;
use crate::session;
use crate::sight;
use crate::speech::shown;

#[cfg(feature = "fuzzing")]
pub(crate) use door::read_settings;
use place::Place;
use receipt::Receipts;

pub(super) fn run(context: &Context<'_>, command: &HooksCommand) -> Result<u8, Failure> {
    match &command.action {
        HooksAction::Install(args) => install(context, args),
        HooksAction::Uninstall(args) => uninstall(context, args),
        HooksAction::Status { agent } => status::run(context, *agent),
        HooksAction::Test(args) => canary::run(context, args.agent, args.scope()),
    }
}

/// The same as `hooks install AGENT`, for who has consented elsewhere.
pub(super) fn install_in_project(context: &Context<'_>, agent: Hooked) -> Result<u8, Failure> {
    install(context, &Registering::in_project(agent))
}

fn install(context: &Context<'_>, args: &Registering) -> Result<u8, Failure> {
    let (agent, scope) = (args.which.agent, args.which.scope());
    let place = Place::of(context, agent, scope)?;
    let registration = agent.registration();
    let (program, options) = (program()?, options(&context.cli.global)?);
    let caller = Caller {
        program: &program,
        options: &options,
    };
    let standing = place.read()?;
    // What is of an earlier installation is taken out first, so that installing again is
    // installing.
    let receipts = Receipts::of(context)?;
    let installed =
        |before: Option<&[u8]>| settings::with(&registration.registered, before, &caller).ok();
    let before = match receipts.before(&place.path, standing.as_deref(), installed) {
        Some(before) => before,
        None => settings::without(&registration.registered, standing.as_deref())
            .map_err(|why| place.refusal(&why))?,
    };
    let after = settings::with(&registration.registered, before.as_deref(), &caller)
        .map_err(|why| place.refusal(&why))?;
    if args.print {
        context.speech.data(&String::from_utf8_lossy(&after));
        return Ok(exit::GO);
    }
    if standing.as_deref() != Some(&after) {
        let made = place.write(&after)?;
        receipts.keep(&place.path, before.as_deref(), &after, &made)?;
    }
    let title = agent.title();
    context.speech.say(&format!(
        "installed hooks for {title}, {}: {}",
        whose(scope),
        shown(&place.path)
    ));
    if let Some(afterwards) = registration.afterwards {
        context.speech.add(afterwards);
    }
    let name = agent.name();
    let option = option(scope);
    context.speech.add(&format!(
        "test: `fusebox hooks test {name}{option}` · undo: `fusebox hooks uninstall {name}{option}`"
    ));
    Ok(exit::GO)
}

fn uninstall(context: &Context<'_>, args: &Registering) -> Result<u8, Failure> {
    let (agent, scope) = (args.which.agent, args.which.scope());
    if !args.print && caller::is_inside_an_agent() {
        let what = "an agent may not take away what watches it";
        return Err(Failure::new(exit::REFUSED, what)
            .hint("a person must do this, in another terminal, outside the agent"));
    }
    if !args.print {
        let homes = session::homes(&context.cli.global, None)?;
        sight::refuse_out_of_sight(&homes, context.clock, "taking away the hooks")?;
    }
    let place = Place::of(context, agent, scope)?;
    let standing = place.read()?;
    let receipts = Receipts::of(context)?;
    let (program, options) = (program()?, options(&context.cli.global)?);
    let caller = Caller {
        program: &program,
        options: &options,
    };
    let registered = agent.registration().registered;
    let installed = |before: Option<&[u8]>| settings::with(&registered, before, &caller).ok();
    let known = receipts.before(&place.path, standing.as_deref(), installed);
    let before = match known {
        Some(before) => before,
        None => settings::without(&registered, standing.as_deref())
            .map_err(|why| place.refusal(&why))?,
    };
    let title = agent.title();
    if args.print {
        match (&before, &standing) {
            (Some(text), _) => context.speech.data(&String::from_utf8_lossy(text)),
            (None, Some(_)) => context.speech.say(&format!(
                "the settings of {title} would be removed, as there would be nothing in them: {}",
                shown(&place.path)
            )),
            (None, None) => context.speech.say(&format!(
                "there are no settings of {title} to take anything out of: {}",
                shown(&place.path)
            )),
        }
        return Ok(exit::GO);
    }
    if before == standing {
        // It may have been interrupted right before it would have forgotten that.
        forget(context, &receipts, &place);
        context.speech.say(&format!(
            "no fusebox hooks in the settings of {title}: {}",
            shown(&place.path)
        ));
        return Ok(exit::GO);
    }
    match &before {
        Some(bytes) => drop(place.write(bytes)?),
        None => place.remove(&receipts.made(&place.path))?,
    }
    forget(context, &receipts, &place);
    context.speech.say(&format!(
        "{title} no longer asks fusebox, {}: {}",
        whose(scope),
        shown(&place.path)
    ));
    Ok(exit::GO)
}

/// Forgets what stood in the settings before. One that cannot be removed no longer fits what
/// stands there, and changes nothing.
fn forget(context: &Context<'_>, receipts: &Receipts, place: &Place) {
    if let Err(error) = receipts.forget(&place.path) {
        context
            .speech
            .say(&format!("what stood there before is still kept: {error}"));
    }
}

/// The program that agents are to call: this one, wherever links lead to it.
fn program() -> Result<String, Failure> {
    let missing = |why: String| {
        let what = format!("cannot tell where this program is: {why}");
        Failure::new(exit::MISSING, what)
    };
    let path = itself::path().map_err(|error| missing(error.to_string()))?;
    let path = path.into_os_string().into_string();
    path.map_err(|_| missing("its path is not valid UTF-8".into()))
}

/// What was named when the hooks were installed, whether by an option or by a variable: a hook
/// heeds nothing of an environment that the agent's settings can fill.
fn options(global: &Global) -> Result<Vec<String>, Failure> {
    let absolute = |path: &Option<PathBuf>| path.as_ref().map(std::path::absolute).transpose();
    let unusable = |why: String| {
        let what = format!("cannot register what was named: {why}");
        Failure::new(exit::USAGE, what)
    };
    let place = |path| absolute(path).map_err(|error| unusable(error.to_string()));
    let circuit = (global.circuit != DEFAULT_CIRCUIT).then(|| global.circuit.clone().into());
    let named = [
        ("--circuit", circuit),
        ("--state-dir", place(&global.state_dir)?.map(OsString::from)),
        ("--config", place(&global.config)?.map(OsString::from)),
        ("--preset", global.preset.map(|preset| preset.name().into())),
    ];
    let mut options = Vec::new();
    for (option, value) in named {
        if let Some(value) = value {
            let value = value.into_string();
            let value = value.map_err(|_| unusable(format!("{option} is not valid UTF-8")))?;
            options.extend([option.to_owned(), value]);
        }
    }
    Ok(options)
}

fn whose(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "in all your projects",
        Scope::Project => "in this project",
    }
}

fn option(scope: Scope) -> &'static str {
    match scope {
        Scope::User => " --user",
        Scope::Project => "",
    }
}

/// What the settings hold of ours for the point, if anything; or why that cannot be told.
fn registered_command(
    agent: Hooked,
    text: &[u8],
    point: fusebox_agents::hook::HookPoint,
) -> Result<Option<Vec<String>>, String> {
    match agent.registration().registered {
        How::Elements { elements, ours, .. } => {
            let json = fusebox_edit::json::Json::parse(text).map_err(|why| why.to_string())?;
            let settings = json.value();
            let anybody = Caller {
                program: "fusebox",
                options: &[],
            };
            // Anywhere else the agent does not look for it at this point.
            let elements = elements(&anybody).into_iter();
            let mut lists = elements
                .filter(|element| called(&element.value, &ours, point).is_some())
                .filter_map(|element| settings.get(element.path[0])?.get(element.path[1]));
            Ok(lists.find_map(|list| called(list, &ours, point)))
        }
        How::File { command, mark, .. } => {
            let text = str::from_utf8(text).map_err(|why| why.to_string())?;
            Ok(command(text, point).filter(|_| text.contains(mark)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusebox_agents::hook::{HookPoint, hooks_by_name};

    /// Who relies on hooks that an agent never calls relies on nothing.
    #[test]
    fn a_command_counts_only_where_the_agent_looks_for_it() {
        let command = r#"{"command":"/a/fusebox hook AGENT pre-tool-use"}"#;
        let own = |agent, text: &str| {
            let agent = hooks_by_name(agent).expect("it has hooks");
            let text = text
                .replace("COMMAND", command)
                .replace("AGENT", agent.name());
            registered_command(agent, text.as_bytes(), HookPoint::BeforeTool)
        };
        let plugin = "const PROGRAM = \"/a/fusebox\";\n";
        let called = "call([\"hook\", \"opencode\", point])";
        for (agent, text, is_registered) in [
            ("cursor", r#"{"hooks":{"preToolUse":[COMMAND]}}"#, true),
            ("cursor", r#"{"hooks":{"elsewhere":[COMMAND]}}"#, false),
            ("cursor", r#"{"hooks":{"stop":[COMMAND]}}"#, false),
            ("cursor", r#"{"env":[COMMAND]}"#, false),
            (
                "gemini",
                r#"{"hooks":{"BeforeTool":[{"hooks":[COMMAND]}]}}"#,
                true,
            ),
            ("gemini", r#"{"BeforeTool":[{"hooks":[COMMAND]}]}"#, false),
            ("copilot", r#"{"hooks":{"preToolUse":[COMMAND]}}"#, true),
            ("copilot", r#"{"hooks":{"agentStop":[COMMAND]}}"#, false),
            ("copilot", r#"{"preToolUse":[COMMAND]}"#, false),
            ("opencode", &format!("{plugin}{called}"), true),
            ("opencode", plugin, false),
        ] {
            let found = own(agent, text).expect("it can be read");
            assert_eq!(found.is_some(), is_registered, "{agent}: {text}");
        }
    }
}
