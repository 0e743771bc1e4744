//! Who calls, as far as that can be told without asking: the user, and whether the line of
//! ancestors leads to an agent.

use fusebox_agents::hook::marks;
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_supervise::{Ancestry, ancestry, ancestry_of, variable_of};

use crate::exit;
use crate::failure::Failure;
use crate::platform::PROCESS_TABLE;

/// Who asks, where nobody else does.
const THIS_PROCESS: &str = "this process";
/// What is refused to agents above all.
const A_RELEASE: &str = "a release";

/// Whoever runs this command, without any proof.
pub(crate) fn anyone() -> Actor {
    Actor {
        user: user(),
        proof: AuthorityProof::NotNeeded,
    }
}

/// Refuses `what` to agents, who would profit from it.
pub(crate) fn refuse_agents(what: &str) -> Result<(), Failure> {
    refuse_inside_a_guarded_tree(&ancestry(), what, THIS_PROCESS)
}

/// Refuses `what` where another process asks for it that belongs to an agent, or of
/// which it cannot be seen that it does not.
pub(crate) fn refuse_agents_among(pids: &[i32], what: &str) -> Result<(), Failure> {
    pids.iter()
        .try_for_each(|pid| refuse_inside_a_guarded_tree(&ancestry_of(*pid), what, "who asks"))
}

/// Refuses `what` inside a guarded tree, and where that cannot be told. Other agents may.
pub(crate) fn refuse_inside(what: &str) -> Result<(), Failure> {
    refuse_supervised(&ancestry(), what, THIS_PROCESS)
}

/// Whether this process stands inside a guarded tree, or that cannot be told.
pub(crate) fn may_stand_inside() -> bool {
    let ancestry = ancestry();
    ancestry.is_guarded() || !ancestry.complete
}

/// Whether this process belongs to an agent, as far as can be told.
pub(crate) fn is_inside_an_agent() -> bool {
    refuse_inside_a_guarded_tree(&ancestry(), A_RELEASE, THIS_PROCESS).is_err()
}

/// Refuses a release to agents.
pub(crate) fn refuse_release_to_agents() -> Result<(), Failure> {
    refuse_inside_a_guarded_tree(&ancestry(), A_RELEASE, THIS_PROCESS)
}

/// Refuses `what` to `who`, whose line of ancestors this is.
fn refuse_inside_a_guarded_tree(ancestry: &Ancestry, what: &str, who: &str) -> Result<(), Failure> {
    refuse_supervised(ancestry, what, who)?;
    match ancestry
        .line
        .iter()
        .find_map(|one| known_agent(&one.name, &one.words))
    {
        Some(agent) => Err(refused(
            what,
            &format!("`{agent}` is among the ancestors of {who}"),
        )),
        None => refuse_marked(ancestry, what, who),
    }
}

/// What an agent started that has left its line behind, as any program can, still has the
/// environment that it was started with, unless somebody saw to that as well.
fn refuse_marked(ancestry: &Ancestry, what: &str, who: &str) -> Result<(), Failure> {
    let names = || marks().map(|(name, _)| name);
    let mut line = ancestry.line.iter();
    let Some(found) = line.find_map(|one| variable_of(one.pid, names())) else {
        return Ok(());
    };
    let agent = marks().find(|(name, _)| *name == found);
    let agent = agent.map_or("an agent", |(_, title)| title);
    let why = format!("{who} was started by {agent}, which sets {found}");
    Err(refused(what, &why))
}

fn refuse_supervised(ancestry: &Ancestry, what: &str, who: &str) -> Result<(), Failure> {
    if ancestry.is_guarded() {
        return Err(refused(
            what,
            &format!("{who} belongs to a supervised agent"),
        ));
    }
    if !ancestry.complete {
        let why = format!("where {who} comes from cannot be seen in {PROCESS_TABLE}");
        return Err(refused(what, &why));
    }
    Ok(())
}

fn refused(what: &str, why: &str) -> Failure {
    Failure::new(exit::REFUSED, format!("{what} is refused here: {why}"))
        .hint("a person must do this, in another terminal, outside the agent")
}

/// The agent that a process is, judging by its name and the first words of its
/// command line. Agents written for an interpreter show as `node …/claude`.
fn known_agent(name: &str, command: &[String]) -> Option<&'static str> {
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut words = vec![base(name)];
    words.extend(command.iter().take(2).map(|word| base(word)));
    fusebox_agents::programs().find(|agent| {
        words
            .iter()
            .any(|word| word == agent || word.strip_suffix(".js") == Some(agent))
    })
}

/// The name of whoever runs this command.
pub(crate) fn user() -> String {
    std::env::var("USER").unwrap_or_else(|_| format!("uid {}", rustix::process::getuid().as_raw()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_name_and_by_interpreter() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (name, command, agent) in [
            ("claude", "claude -p x", Some("claude")),
            (
                "node",
                "node /usr/lib/node_modules/.bin/codex exec",
                Some("codex"),
            ),
            ("MainThread", "node /opt/gemini.js", Some("gemini")),
            ("bash", "bash -c claude", None),
            ("vim", "vim claude.md", None),
            (
                "python3",
                "python3 /usr/local/bin/aider --yes",
                Some("aider"),
            ),
        ] {
            assert_eq!(known_agent(name, &words(command)), agent, "{command}");
        }
    }

    #[test]
    fn a_refusal_names_what_is_refused_and_to_whom() {
        let unseen = Ancestry {
            line: Vec::new(),
            complete: false,
        };
        let told = |what, who| {
            let refused = refuse_inside_a_guarded_tree(&unseen, what, who);
            refused.expect_err("whoever cannot be seen is refused").what
        };
        let (page, release) = ("acting through a page", "a release");
        for (what, who, expected) in [
            (
                page,
                "who asks",
                "acting through a page is refused here: where who asks comes from",
            ),
            (
                release,
                THIS_PROCESS,
                "a release is refused here: where this process comes from",
            ),
        ] {
            let told = told(what, who);
            assert!(told.starts_with(expected), "{told}");
        }
    }
}
