//! `fusebox check`: may the next iteration run?

use super::{Context, announce};
use crate::cli::Check;
use crate::dealings;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>, args: &Check) -> Result<u8, Failure> {
    let outcome = dealings::check(&context.session()?, args)?;
    Ok(announce(context, &outcome))
}
