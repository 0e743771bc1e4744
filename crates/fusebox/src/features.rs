//! The features of a workflow that counts sessions by what comes to pass.

use std::collections::HashSet;
use std::path::Path;

use fusebox_core::Observation;
use fusebox_core::circuit::{Core, name_id};
use fusebox_core::fact::Fact;
use fusebox_core::policy::{Policy, ProgressRule};
use fusebox_seeds::bmad::features::FeatureList;
use fusebox_seeds::bmad::{self, app_spec};
use fusebox_view::phrase;

use crate::excerpt::Excerpt;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;
use crate::text_file;
use crate::turn;

/// The features below `root`, where `policy` counts by them and there is a list.
///
/// # Errors
/// With a code of its own where the list cannot be read.
pub(crate) fn read(root: &Path, policy: &Policy) -> Result<Option<FeatureList>, Failure> {
    if policy.progress != ProgressRule::Features {
        return Ok(None);
    }
    let place = root.join(bmad::FEATURES);
    let corrupted = |why: String| {
        Failure::new(exit::FEATURES, format!("{}: {why}", shown(&place)))
            .hint("restore it, with git for instance; nothing was changed")
    };
    let text = text_file::read_beneath(root, Path::new(bmad::FEATURES), bmad::MOST_BYTES)
        .map_err(corrupted)?;
    let Some(text) = text else {
        return Ok(None);
    };
    let list = FeatureList::read(&text).map_err(|wrong| {
        corrupted(wrong.what).excerpt(Excerpt::of(&text, &wrong.span).lines(&place))
    })?;
    Ok(Some(list))
}

/// What must be there before a session can begin. The code is the workflow's own,
/// and not one of ours.
pub(crate) fn prerequisites(root: &Path, policy: &Policy) -> Result<(), Failure> {
    if policy.progress != ProgressRule::Features {
        return Ok(());
    }
    match read(root, policy)? {
        Some(list) if list.features.is_empty() => {
            let what = format!("{} holds no features", shown(&root.join(bmad::FEATURES)));
            return Err(Failure::new(exit::NO_FEATURES, what)
                .hint("let the workflow generate them from the app_spec"));
        }
        Some(_) => {}
        None => specification(root)?,
    }
    // The root may be a part of the repository.
    if root.ancestors().any(|above| above.join(".git").exists()) {
        return Ok(());
    }
    let what = format!("{} is not a git repository", shown(root));
    Err(Failure::new(exit::NO_GIT, what).hint("`git init`, and a first commit"))
}

/// Whether there is a specification that features could be made from.
fn specification(root: &Path) -> Result<(), Failure> {
    for name in bmad::APP_SPECS {
        let place = root.join(name);
        let invalid =
            |why: String| Failure::new(exit::APP_SPEC, format!("{}: {why}", shown(&place)));
        let text =
            text_file::read_beneath(root, Path::new(name), bmad::MOST_BYTES).map_err(invalid)?;
        if let Some(text) = text {
            return app_spec::flaw(&text).map_or(Ok(()), |flaw| Err(invalid(flaw)));
        }
    }
    let what = format!(
        "there is neither {} nor {}",
        bmad::FEATURES,
        bmad::APP_SPECS.join(" nor ")
    );
    Err(Failure::new(exit::NO_APP_SPEC, what).hint("write down what is to be built"))
}

/// The most features that pass whose ids are kept with a grant.
const IDS_KEPT: usize = 1_000;
/// An id has at most 16 digits, and a comma.
const _: () = assert!(IDS_KEPT * 17 <= turn::PASSING_BYTES);

/// The features that pass, as a grant keeps them. With too many of them, or no list to
/// count by, nothing is kept.
pub(crate) fn passing(list: Option<&FeatureList>, policy: &Policy) -> Option<Vec<u64>> {
    let counts = policy.progress == ProgressRule::Features;
    let ids = list.map(FeatureList::passing).unwrap_or_default();
    (counts && ids.len() <= IDS_KEPT).then(|| ids.into_iter().map(name_id).collect())
}

/// What a reported session did to the features: against those that passed when it was granted,
/// or else against how many did after the one before. What the report itself says of them
/// stays, and without either it is unknown, once.
pub(crate) fn tell_reported(list: Option<&FeatureList>, core: &Core, facts: &mut Observation) {
    let Some(list) = list else {
        return;
    };
    let counts = list.counts();
    facts.features = Fact::Measured(counts);
    if facts.features_passed != Fact::Unknown {
        return;
    }
    let pending = core.pending.as_ref();
    let before = pending.and_then(|pending| pending.passing.as_ref());
    let new = match (before, core.features) {
        (Some(before), _) => {
            let new = |id: &&str| !before.contains(&name_id(id));
            let new = list.passing().into_iter().filter(new).count();
            // A new name for what passed is nothing new.
            let ids: HashSet<u64> = list.ids().into_iter().map(name_id).collect();
            let renamed = before.iter().filter(|id| !ids.contains(id)).count();
            u32::try_from(new.saturating_sub(renamed)).unwrap_or(u32::MAX)
        }
        (None, Some(last)) => counts.pass.saturating_sub(last.pass),
        (None, None) => return,
    };
    facts.features_passed = Fact::Measured(new);
}

/// What shows that nothing is left to do, if nothing is.
pub(crate) fn nothing_left(list: Option<&FeatureList>) -> Option<String> {
    let list = list.filter(|list| !list.features.is_empty() && !list.has_work())?;
    let counts = list.counts();
    let pass = phrase::count(u64::from(counts.pass), "feature");
    Some(format!(
        "{pass} pass, {} blocked, nothing is left to try",
        counts.blocked + counts.fail
    ))
}
