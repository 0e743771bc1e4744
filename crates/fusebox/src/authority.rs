//! Who may release a breaker.
//!
//! Anyone may trip; only a person may reset. The agent runs as the same user,
//! in the same directory, with the same tools, so being able to call us proves
//! nothing. What an agent does not have is a life outside the supervised tree,
//! and a person at a terminal. Both are asked for.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};

use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_supervise::{Ancestry, ancestry, ancestry_of, is_overlooked_from_here};
use sha2::{Digest, Sha256};

use crate::exit;
use crate::failure::Failure;
use crate::menu;
use crate::platform::PROCESS_TABLE;
use crate::session::Session;

/// Who asks, where nobody else does.
const THIS_PROCESS: &str = "this process";
/// What is refused to agents above all.
const A_RELEASE: &str = "a release";
/// The longest answer that is read from the terminal.
const ANSWER_BYTES: u64 = 64;

/// Whoever runs this command, without any proof.
pub(crate) fn anyone() -> Actor {
    Actor {
        user: user(),
        proof: AuthorityProof::NotNeeded,
    }
}

/// Makes sure that a person asks for `what`, and says who.
pub(crate) fn person(session: &Session, what: &str) -> Result<Actor, Failure> {
    refuse_release(session)?;
    let proof = match std::env::var("FUSEBOX_OPERATOR_KEY") {
        Ok(key) => check_key(&key, session.layers.borrow().operator_key_sha256())?,
        Err(_) => ask_on_terminal(what)?,
    };
    Ok(Actor {
        user: user(),
        proof,
    })
}

/// The person who answers a question that this process itself asks on its
/// terminal. The answer is the proof; where it comes from is still looked at.
pub(crate) fn person_at_the_terminal(session: &Session) -> Result<Actor, Failure> {
    refuse_release(session)?;
    Ok(Actor {
        user: user(),
        proof: AuthorityProof::Terminal,
    })
}

/// Whoever holds the operator's key.
pub(crate) fn operator(session: &Session) -> Result<Actor, Failure> {
    refuse_release(session)?;
    let key = std::env::var("FUSEBOX_OPERATOR_KEY").map_err(|_| {
        Failure::new(
            exit::REFUSED,
            "an answer that releases the breaker needs FUSEBOX_OPERATOR_KEY",
        )
        .hint("its hash stands in the user's or the machine's config.toml as `operator_key_sha256`")
    })?;
    Ok(Actor {
        user: user(),
        proof: check_key(&key, session.layers.borrow().operator_key_sha256())?,
    })
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

fn refuse_release(session: &Session) -> Result<(), Failure> {
    refuse_inside_a_guarded_tree(&ancestry(), A_RELEASE, THIS_PROCESS)?;
    refuse_out_of_sight(session)
}

/// Refuses a release where an agent of this circuit may be alive and could not be told from a
/// person: in a namespace of its own, which whoever may have several users can make, its line
/// ends like anybody's. A person in the container that the run was started in stands where its
/// supervisor does.
fn refuse_out_of_sight(session: &Session) -> Result<(), Failure> {
    // A memory that cannot be believed tells of no iteration either. It is read where it lies,
    // and not as another system's file would have it.
    let Ok(view) = session.store.peek() else {
        return Ok(());
    };
    match view.state.0.core.guarded_from(&session.clock.now()) {
        Some(supervisor) if !is_overlooked_from_here(supervisor) => Err(refused(
            A_RELEASE,
            "an iteration is under way elsewhere, and from here its agent cannot be told from a person",
        )
        .hint("that is where `fusebox run` was started, or outside of all containers")),
        _ => Ok(()),
    }
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
        None => Ok(()),
    }
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

fn check_key(key: &str, expected: Option<&str>) -> Result<AuthorityProof, Failure> {
    let Some(expected) = expected else {
        return Err(Failure::new(
            exit::REFUSED,
            "FUSEBOX_OPERATOR_KEY is set, but no configuration holds its hash",
        )
        .hint("put `operator_key_sha256 = \"…\"` into the user's or the machine's config.toml"));
    };
    let digest = base16ct::lower::encode_string(&Sha256::digest(key));
    // Comparing every byte whatever the outcome tells a guesser nothing by time.
    let same = digest.len() == expected.len()
        && digest
            .bytes()
            .zip(expected.bytes())
            .fold(0, |diff, (a, b)| diff | (a ^ b))
            == 0;
    if same {
        Ok(AuthorityProof::OperatorKey)
    } else {
        Err(Failure::new(
            exit::REFUSED,
            "FUSEBOX_OPERATOR_KEY is not the operator's key",
        ))
    }
}

/// Asks on the terminal itself, not on standard input: what is piped in was not
/// typed by a person.
fn ask_on_terminal(what: &str) -> Result<AuthorityProof, Failure> {
    let nobody = |_| {
        Failure::new(
            exit::REFUSED,
            "a release needs a person, and there is no terminal to ask on",
        )
        .hint("run it in a terminal and type `yes`, or set FUSEBOX_OPERATOR_KEY")
    };
    let mut terminal = File::options()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .map_err(nobody)?;
    write!(terminal, "{what}\nType `yes` to confirm: ").map_err(nobody)?;
    menu::discard_typed(&terminal);
    let mut answer = String::new();
    BufReader::new(terminal.take(ANSWER_BYTES))
        .read_line(&mut answer)
        .map_err(nobody)?;
    if answer.trim() == "yes" {
        Ok(AuthorityProof::Terminal)
    } else {
        Err(Failure::new(
            exit::REFUSED,
            "not confirmed; nothing was changed",
        ))
    }
}

fn user() -> String {
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

    #[test]
    fn the_key_must_match_its_hash() {
        let hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        assert_eq!(
            check_key("secret", Some(hash)).ok(),
            Some(AuthorityProof::OperatorKey)
        );
        assert!(check_key("Secret", Some(hash)).is_err());
        assert!(check_key("secret", None).is_err());
        assert!(check_key("", Some("")).is_err());
    }
}
