//! What an iteration did to the repositories, in words.

use fusebox_view::escape;
use fusebox_workspace::{HeadMove, StashMove};

use super::setup::Ready;

impl Ready<'_> {
    /// What the iteration did to the repositories. Their files are the agent's, so
    /// this is told and never counted.
    pub(super) fn moves(&self) -> Vec<String> {
        let moves = self.measure.moves();
        let told = moves.iter().flat_map(|one| {
            let place = one.work_tree.to_string_lossy();
            let at = if place.is_empty() {
                String::new()
            } else {
                format!(" in {}", escape::line(&place, 60))
            };
            let head = (one.head != HeadMove::Stayed).then(|| one.head.to_string());
            let stash = match one.stash {
                StashMove::Stayed => None,
                StashMove::Grew => Some("stashed work".to_owned()),
                StashMove::Shrank => Some("took up or dropped a stash".to_owned()),
                StashMove::Unclear => Some("stashes changed".to_owned()),
            };
            let words = head.into_iter().chain(stash);
            words.map(move |words| format!("{}{at}", escape::line(&words, 80)))
        });
        told.take(4).collect()
    }
}
