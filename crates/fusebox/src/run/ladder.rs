//! Which models a run climbs through.

/// Said where escalation was asked for and there is nowhere to go.
pub(super) const ONE_MODEL: &str = "there is no other model to escalate to, so the loop will pause; name several with `--model a,b,c`";

/// The models to climb through. One that was given alone is where the usual ladder is begun,
/// if it is a rung of it; any other stands alone.
pub(super) fn of(given: &[String], usual: Vec<String>) -> Vec<String> {
    match given {
        [] => usual,
        [first] => match usual.iter().position(|model| model == first) {
            Some(rung) => usual[rung..].to_vec(),
            None => given.to_vec(),
        },
        given => given.to_vec(),
    }
}
