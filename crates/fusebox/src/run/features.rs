//! The features of a workflow that counts sessions by what comes to pass.

use std::path::Path;

use fusebox_core::Observation;
use fusebox_core::fact::Fact;
use fusebox_core::policy::{Policy, ProgressRule};
use fusebox_seeds::bmad::features::FeatureList;
use fusebox_seeds::bmad::{self, app_spec};
use fusebox_view::phrase;

use crate::config;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

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
    let text = config::read_beneath(root, Path::new(bmad::FEATURES), bmad::MOST_BYTES)
        .map_err(corrupted)?;
    let Some(text) = text else {
        return Ok(None);
    };
    let list = FeatureList::read(&text).map_err(|wrong| {
        corrupted(wrong.what).excerpt(config::excerpt(&place, &text, &wrong.span))
    })?;
    Ok(Some(list))
}

/// What must be there before a session can begin. The code is the workflow's own,
/// and not one of ours.
pub(super) fn prerequisites(root: &Path, policy: &Policy) -> Result<(), Failure> {
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
    if root.join(".git").exists() {
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
            config::read_beneath(root, Path::new(name), bmad::MOST_BYTES).map_err(invalid)?;
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

/// What a session did to the features. A list that cannot be read any more shows
/// nothing passing.
pub(super) fn tell(
    root: &Path,
    policy: &Policy,
    before: Option<&FeatureList>,
    facts: &mut Observation,
) {
    let after = read(root, policy);
    facts.features_passed = match (&after, before) {
        (Ok(Some(after)), Some(before)) => Fact::Measured(after.newly_passing(before)),
        // A list that has only just been made has nothing that passes before it.
        (Ok(Some(after)), None) => Fact::Measured(after.newly_passing(&FeatureList::default())),
        (Err(_), _) | (Ok(None), Some(_)) => Fact::Measured(0),
        (Ok(None), None) => return,
    };
    if let Ok(Some(after)) = after {
        facts.features = Fact::Measured(after.counts());
    }
}

/// What shows that nothing is left to do, if nothing is.
pub(super) fn nothing_left(list: Option<&FeatureList>) -> Option<String> {
    let list = list.filter(|list| !list.features.is_empty() && !list.has_work())?;
    let counts = list.counts();
    let pass = phrase::count(u64::from(counts.pass), "feature");
    Some(format!(
        "{pass} pass, {} blocked, nothing is left to try",
        counts.blocked + counts.fail
    ))
}
