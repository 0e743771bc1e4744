//! `fusebox man`: the manual, made from the command line itself so that it
//! cannot lag behind.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use super::Context;
use crate::cli::Cli;
use crate::cli::examples::given;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

pub(super) fn run(context: &Context<'_>, pages: Option<&Path>) -> Result<u8, Failure> {
    match pages {
        None => show_first_page(context),
        Some(pages) => {
            let start = context.cli.global.directory.as_deref();
            write_all(&start.unwrap_or(Path::new("")).join(pages))
        }
    }
    .map(|()| exit::GO)
}

fn show_first_page(context: &Context<'_>) -> Result<(), Failure> {
    let mut page = Vec::new();
    Man::new(given(Cli::command()))
        .render(&mut page)
        .map_err(|error| unwritable("the manual", &error))?;
    context.speech.data(&String::from_utf8_lossy(&page));
    Ok(())
}

/// One file for each command, named as `man` looks them up.
fn write_all(directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(given(Cli::command()), directory))
        .map_err(|error| unwritable(&shown(directory), &error))
}

fn unwritable(what: &str, error: &io::Error) -> Failure {
    Failure::new(exit::MISSING, format!("{what} cannot be written: {error}"))
}
