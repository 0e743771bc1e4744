//! Who may release a breaker.
//!
//! Anyone may trip; only a person may reset. The agent runs as the same user,
//! in the same directory, with the same tools, so being able to call us proves
//! nothing. What an agent does not have is a life outside the supervised tree,
//! and a person at a terminal. Both are asked for.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};

use fusebox_core::journal::{Actor, AuthorityProof};
use sha2::{Digest, Sha256};

use crate::caller;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::sight;
use crate::terminal;

/// The longest answer that is read from the terminal.
const ANSWER_BYTES: u64 = 64;

/// Makes sure that a person asks for `what`, and says who.
pub(crate) fn person(session: &Session, what: &str) -> Result<Actor, Failure> {
    refuse_release(session)?;
    let proof = match std::env::var("FUSEBOX_OPERATOR_KEY") {
        Ok(key) => check_key(&key, session.layers.borrow().operator_key_sha256())?,
        Err(_) => ask_on_terminal(what)?,
    };
    Ok(Actor {
        user: caller::user(),
        proof,
    })
}

/// The person who answers a question that this process itself asks on its
/// terminal. The answer is the proof; where it comes from is still looked at.
pub(crate) fn person_at_the_terminal(session: &Session) -> Result<Actor, Failure> {
    refuse_release(session)?;
    Ok(Actor {
        user: caller::user(),
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
        user: caller::user(),
        proof: check_key(&key, session.layers.borrow().operator_key_sha256())?,
    })
}

fn refuse_release(session: &Session) -> Result<(), Failure> {
    caller::refuse_release_to_agents()?;
    sight::refuse_out_of_sight(&session.homes, session.clock, "a release")
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
            "this needs a person, and there is no terminal to ask on",
        )
        .hint("run it in a terminal and type `yes`, or set FUSEBOX_OPERATOR_KEY")
    };
    let mut terminal = File::options()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .map_err(nobody)?;
    // First this: an answer to what stands there must not be lost, however fast it comes.
    terminal::discard_typed(&terminal);
    write!(terminal, "{what}\nType `yes` to confirm: ").map_err(nobody)?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
