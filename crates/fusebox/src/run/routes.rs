//! Where notices go: as it is configured, and whether that makes sense.

use std::os::fd::AsFd as _;
use std::path::Path;

use fusebox_notify::{
    Command, Desktop, Route, Secret, Sink, Terminal, TerminalKind, Wanted, Webhook,
};

use crate::config::{InForce, Key, Layers};
use crate::exit;
use crate::failure::Failure;

/// A setting, and who says so: a file and a line, a variable or a flag.
#[derive(Clone, Default)]
struct Told<T> {
    value: T,
    place: String,
}

/// Who is told when nobody looks.
#[derive(Clone, Default)]
pub(crate) struct NotifyPlan {
    desktop: bool,
    desktop_for: Told<Vec<String>>,
    webhook: Option<Told<String>>,
    secret: Option<Told<String>>,
    webhook_for: Told<Vec<String>>,
    /// Whether the address may be one of a private network.
    private: bool,
    /// A program and its arguments.
    command: Told<Vec<String>>,
    command_for: Told<Vec<String>>,
}

impl NotifyPlan {
    /// As it is configured, but for an address that was given besides.
    pub(crate) fn of(layers: &Layers, in_force: &InForce, webhook: Option<String>) -> Self {
        let words = |key| {
            let said = layers.words(key);
            said.map_or_else(Told::default, |(words, origin)| Told {
                value: words.to_vec(),
                place: origin.place,
            })
        };
        let word = |key| {
            let said = words(key);
            let first = said.value.into_iter().next();
            first.map(|value| Told {
                value,
                place: said.place,
            })
        };
        let flag = webhook.map(|value| Told {
            value,
            place: "--webhook".into(),
        });
        Self {
            desktop: in_force.notifies_desktop(),
            desktop_for: words(Key::NotifyDesktopFor),
            webhook: flag.or_else(|| word(Key::NotifyWebhook)),
            secret: word(Key::NotifySecret),
            webhook_for: words(Key::NotifyWebhookFor),
            private: in_force.notifies_privately(),
            command: words(Key::NotifyCommand),
            command_for: words(Key::NotifyCommandFor),
        }
    }

    /// Why a run would refuse it, if it would. Nobody is told anything.
    pub(crate) fn objection(&self, workspace: &Path) -> Option<Failure> {
        let path = std::env::var_os("PATH");
        let path = path.as_deref();
        let webhook = self.webhook().err();
        let command = || self.command(path, workspace).err();
        let for_whom = || {
            let lists = [&self.desktop_for, &self.webhook_for, &self.command_for];
            lists.into_iter().find_map(|list| wanted(list).err())
        };
        webhook.or_else(command).or_else(for_whom)
    }

    fn webhook(&self) -> Result<Option<Webhook>, Failure> {
        let Some(url) = &self.webhook else {
            return Ok(None);
        };
        let parsed = url.value.parse::<Webhook>();
        let mut webhook = parsed.map_err(|error| url.refused(&error.to_string()))?;
        if self.private {
            webhook = webhook.allowing_private_addresses();
        }
        let Some(text) = &self.secret else {
            return Ok(Some(webhook));
        };
        let secret = text.value.parse::<Secret>();
        let secret = secret.map_err(|error| text.refused(&error.to_string()))?;
        Ok(Some(webhook.signed_with(secret)))
    }

    fn command(
        &self,
        path: Option<&std::ffi::OsStr>,
        workspace: &Path,
    ) -> Result<Option<Command>, Failure> {
        if self.command.value.is_empty() {
            return Ok(None);
        }
        let found = Command::find(&self.command.value, path, workspace);
        found
            .map(Some)
            .map_err(|error| self.command.refused(&error.to_string()))
    }
}

impl<T> Told<T> {
    fn refused(&self, why: &str) -> Failure {
        Failure::new(exit::CONFIG, format!("{}: {why}", self.place))
    }
}

/// The ways that there are, each with what goes there.
pub(crate) fn routes(
    plan: &NotifyPlan,
    workspace: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<Route>, Failure> {
    let path = std::env::var_os("PATH");
    let mut routes = Vec::new();
    if plan.desktop {
        let wanted = wanted(&plan.desktop_for)?;
        // Without a desktop there is nobody to miss it.
        let desktop = Desktop::find(path.as_deref(), workspace).map(Sink::Desktop);
        let kind = TerminalKind::told_by(|name| std::env::var(name).ok());
        let terminal = kind.and_then(|kind| Terminal::on(std::io::stderr().as_fd(), kind).ok());
        let sinks = desktop.into_iter().chain(terminal.map(Sink::Terminal));
        routes.extend(sinks.map(|sink| Route::new(sink, wanted.clone())));
    }
    if let Some(webhook) = plan.webhook()? {
        say(&format!("notifications go to {}", webhook.name()));
        let wanted = wanted(&plan.webhook_for)?;
        routes.push(Route::new(Sink::Webhook(Box::new(webhook)), wanted));
    }
    if let Some(command) = plan.command(path.as_deref(), workspace)? {
        let wanted = wanted(&plan.command_for)?;
        routes.push(Route::new(Sink::Command(command), wanted));
    }
    Ok(routes)
}

fn wanted(words: &Told<Vec<String>>) -> Result<Wanted, Failure> {
    Wanted::of(words.value.iter().map(String::as_str)).map_err(|word| {
        let failure = words.refused(&format!("`{word}` is neither a severity nor an event"));
        failure
            .hint("severities are info, warning and critical; an event is such as circuit.opened")
    })
}
