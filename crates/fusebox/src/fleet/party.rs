//! Which fleet, and what counts for us in it.

use fusebox_fleet::{Address, Scope};
use fusebox_store::Located;
use fusebox_view::{escape, phrase};

use super::watch::{DEADLINE, Seen, Watch};
use crate::clock::Clock;
use crate::config::{FleetKey, Key, Layers};
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;

/// The longest name of a repository or a team.
const NAME_BYTES: usize = 100;

/// The part we have in a fleet.
#[derive(Clone, Debug)]
pub(crate) struct Party {
    pub(crate) address: Address,
    pub(crate) repository: String,
    pub(crate) team: Option<String>,
}

impl Party {
    /// What the command line, the environment or the configuration says; `None` if
    /// there is no fleet.
    pub(crate) fn of(
        flag: Option<&str>,
        layers: &Layers,
        located: &Located,
    ) -> Result<Option<Self>, Failure> {
        let Some(address) = address(flag, layers, located)? else {
            return Ok(None);
        };
        let word = |key| word(layers, key);
        let directory = located.root.file_name().map(|name| name.to_string_lossy());
        let repository = word(FleetKey::Repository).map_or_else(
            || directory.map(|name| name.into_owned()).unwrap_or_default(),
            str::to_owned,
        );
        let party = Self {
            address,
            repository,
            team: word(FleetKey::Team).map(str::to_owned),
        };
        for name in [Some(&party.repository), party.team.as_ref()]
            .into_iter()
            .flatten()
        {
            if name.is_empty() || name.len() > NAME_BYTES || name.chars().any(char::is_control) {
                let shown = escape::line(name, 60);
                let what = format!("`{shown}` is no name for a repository or a team in a fleet");
                return Err(Failure::new(exit::CONFIG, what).hint(
                    "`fleet.repository` and `fleet.team` take up to 100 bytes of plain text",
                ));
            }
        }
        Ok(Some(party))
    }

    /// The same where there must be one.
    pub(crate) fn needed(
        flag: Option<&str>,
        layers: &Layers,
        located: &Located,
    ) -> Result<Self, Failure> {
        Self::of(flag, layers, located)?.ok_or_else(|| {
            Failure::new(exit::CONFIG, "no fleet is configured").hint(
                "name one with `--fleet postgres://…`, FUSEBOX_FLEET, or `fleet.url` in your own configuration",
            )
        })
    }

    /// Everything that counts for us.
    pub(crate) fn scopes(&self, agent: Option<&str>) -> Vec<Scope> {
        let mut scopes = vec![Scope::Fleet, self.repository_scope()];
        scopes.extend(self.team.clone().map(Scope::Team));
        scopes.extend(agent.map(|name| Scope::Agent(name.to_owned())));
        scopes
    }

    /// The fleet in a line, or why there is nothing to say of it.
    pub(crate) fn glance(&self, clock: Clock) -> String {
        let watch = Watch::begin(self.address.clone(), clock);
        let address = &watch.address;
        let picture = match watch.look(DEADLINE) {
            Seen::Known(picture) => picture,
            Seen::Lost(lost, _) => return format!("{address} · {}", lost.said),
            Seen::Asking => return format!("{address} · no answer yet"),
        };
        let overview = &picture.overview;
        let mine: Vec<String> = self.scopes(None).iter().map(ToString::to_string).collect();
        let halt = overview
            .halts
            .iter()
            .find(|halt| mine.contains(&halt.scope));
        let halted = halt.map_or_else(String::new, |halt| {
            let (scope, reason) = (
                escape::line(&halt.scope, 60),
                escape::line(&halt.reason, 120),
            );
            format!(" · {scope} is HALTED: {reason}")
        });
        format!(
            "{address} · {}{halted}",
            phrase::count(overview.workers, "worker")
        )
    }

    pub(crate) fn repository_scope(&self) -> Scope {
        Scope::Repository(self.repository.clone())
    }
}

/// Where the fleet is that the command line, the environment or the configuration names;
/// `None` if there is none.
fn address(
    flag: Option<&str>,
    layers: &Layers,
    located: &Located,
) -> Result<Option<Address>, Failure> {
    let url = flag
        .filter(|url| !url.is_empty())
        .or_else(|| word(layers, FleetKey::Url));
    let address = url.map(str::parse::<Address>).transpose()?;
    Ok(address.map(|address| address.remembered_in(located.witnesses_of_fleets())))
}

/// Somebody who looks at the fleet for a view, wherever that view was begun; `None` if
/// there is no fleet.
pub(crate) fn begin_watch(session: &Session, flag: Option<&str>) -> Result<Option<Watch>, Failure> {
    let address = address(flag, &session.layers.borrow(), &session.located)?;
    Ok(address.map(|address| Watch::begin(address, session.clock)))
}

fn word(layers: &Layers, key: FleetKey) -> Option<&str> {
    layers.word(Key::Fleet(key)).filter(|word| !word.is_empty())
}
