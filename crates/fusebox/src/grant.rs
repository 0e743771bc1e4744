//! The names that grants go by outside: `g-12`.

use fusebox_core::circuit::GrantId;

/// The name of a grant.
pub(crate) fn name(id: GrantId) -> String {
    format!("g-{}", id.0)
}

/// The grant that goes by `name`.
pub(crate) fn parse(name: &str) -> Option<GrantId> {
    name.strip_prefix("g-")?.parse().ok().map(GrantId)
}
