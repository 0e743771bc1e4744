//! The scoreboard on its page.

use super::scoreboard::Scoreboard;
use anyhow::{Context, Result};

const BEGIN: &str = "<!-- scoreboard: written by `cargo xtask prove` -->\n";
const END: &str = "<!-- end of the scoreboard -->";

/// The page with the figures of `board` between its two marks.
pub(crate) fn with_scoreboard(page: &str, board: &Scoreboard) -> Result<String> {
    let (before, rest) = page
        .split_once(BEGIN)
        .context("the page has no place for figures")?;
    let (_, after) = rest
        .split_once(END)
        .context("the place for figures has no end")?;
    Ok(format!(
        "{before}{BEGIN}\n{}\n{END}{after}",
        board.markdown()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_replace_figures_and_words_stay() {
        let page = format!("# Proof\n\n{BEGIN}old\n{END}\nwords\n");
        let mut board = Scoreboard::default();
        board.add("faults", 5, 0);
        let once = with_scoreboard(&page, &board).unwrap();
        assert!(once.starts_with("# Proof\n\n") && once.ends_with("\nwords\n"));
        assert!(once.contains("| 5 | faults") && !once.contains("old"));
        assert_eq!(with_scoreboard(&once, &board).unwrap(), once);
        assert!(with_scoreboard("# Proof\n", &board).is_err());
    }

    #[test]
    fn the_page_of_the_project_has_a_place() {
        let page = include_str!("../../../docs/src/explanation/proof.md");
        with_scoreboard(page, &Scoreboard::default()).unwrap();
    }
}
