//! The system that works in four phases and keeps a breaker for all of them in
//! one file.

mod history;
mod log;
mod menu;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod written;

use fusebox_core::Preset;

use crate::existing::{Existing, Understood};
use crate::json::Wrong;
use crate::{Appendix, Choice, Content, Edit, Menu, ProjectedFile, Scene, Seed};

pub use state::{Said, read};

/// The file with the state of the breaker.
pub const STATE_FILE: &str = ".prp-session/circuit-breaker.json";
/// The file that holds every status block.
const STATUS_LOG: &str = ".prp-session/phase-status.log";

/// The system itself.
pub struct Prp;

impl Seed for Prp {
    fn projections(&self) -> &'static [ProjectedFile] {
        &[ProjectedFile {
            path: STATE_FILE,
            most_bytes: 4 << 20,
        }]
    }

    fn edit(&self, _path: &str, text: &str, scene: &Scene<'_>) -> Result<Edit, Wrong> {
        Ok(read(text)?.against(scene))
    }

    fn project(
        &self,
        _path: &str,
        found: Option<&str>,
        scene: &Scene<'_>,
    ) -> Result<Content, Wrong> {
        written::write(found, scene).map(Content::Text)
    }

    fn appendices(&self, scene: &Scene<'_>) -> Vec<Appendix> {
        // The log is of what happens, and whoever is refused changes nothing.
        let happened = !scene.entries.is_empty();
        let block = happened.then(|| self.status_block(scene)).flatten();
        let appendix = |text: String| Appendix {
            path: STATUS_LOG,
            header: String::new(),
            text: format!("{text}\n"),
        };
        block.map(appendix).into_iter().collect()
    }

    fn log(&self, scene: &Scene<'_>) -> Vec<String> {
        log::lines(scene)
    }

    fn status_block(&self, scene: &Scene<'_>) -> Option<String> {
        status::block(scene)
    }

    fn menu(&self, scene: &Scene<'_>) -> Option<Menu> {
        menu::of(scene)
    }

    fn choices(&self) -> &'static [(char, Choice)] {
        &menu::CHOICES
    }
}

impl Existing for Prp {
    fn place(&self) -> &'static str {
        ".prp-session/"
    }

    fn preset(&self) -> Preset {
        Preset::Prp
    }

    fn files(&self) -> &'static [ProjectedFile] {
        self.projections()
    }

    fn understand(&self, _path: &str, text: &str) -> Result<Understood, Wrong> {
        let said = read(text)?;
        Ok(Understood {
            taken: vec![said.words()],
            adoption: said.adoption(),
            ..Understood::default()
        })
    }
}
