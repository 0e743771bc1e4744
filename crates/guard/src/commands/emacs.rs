//! Emacs without anybody in front of it: it runs code, and may save what it has opened.

use super::{Options, code, touch_all};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

const CODE: &[&str] = &["--eval", "-eval", "--execute", "-execute", "-e"];
const FILES: &[&str] = &["-l", "--load", "-load", "--script", "-script"];
const CALLED: &[&str] = &["-f", "--funcall", "-funcall"];

/// What saves all files that are open.
const SAVING: [&str; 3] = ["save-buffer", "save-some-buffers", "basic-save-buffer"];

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if !matches!(name, "emacs" | "emacsclient") {
        return Ok(false);
    }
    engine.print(&Data::Unknown);
    let valued: Vec<&str> = [CODE, FILES, CALLED].concat();
    let options = Options::parse(words, &valued);
    let mut given = code::Given::new(engine, &[]);
    given.runs_backquotes = false;
    let inline: Vec<Text> = options.values(CODE).cloned().collect();
    let mut programs: Vec<Data> = Vec::new();
    for text in &inline {
        programs.push(text.known().map_or(Data::Unknown, Data::Known));
    }
    for file in options.values(FILES) {
        let text = engine.content(file)?;
        programs.extend(Some(text).filter(|text| *text != Data::Unknown));
    }
    for program in &programs {
        let program = match program.text() {
            Some(text) => Data::Known(separated(text)),
            None => Data::Unknown,
        };
        code::follow_given(engine, &program, &given, code::Origin::Inline)?;
    }
    let saves = |text: &Text| {
        let text = text.known().unwrap_or_default();
        SAVING.iter().any(|call| text.contains(call))
    };
    if inline.iter().chain(options.values(CALLED)).any(saves) {
        touch_all(engine, Action::Overwrite, &options.operands)?;
    }
    Ok(true)
}

/// The same with a comma between strings that stand side by side, which elsewhere are one.
fn separated(code: &str) -> String {
    let mut written = String::new();
    let (mut is_inside, mut is_behind, mut is_escaped) = (false, false, false);
    for c in code.chars() {
        if c == '"' && !is_escaped {
            if is_behind && !is_inside {
                written.push(',');
            }
            is_inside = !is_inside;
            is_behind = !is_inside;
        } else if !c.is_whitespace() && !is_inside {
            is_behind = false;
        }
        is_escaped = c == '\\' && !is_escaped;
        written.push(c);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_side_by_side_are_told_apart() {
        let code = r#"(a "b \" c"  "d" e "f")"#;
        assert_eq!(separated(code), r#"(a "b \" c"  ,"d" e "f")"#);
        assert_eq!(separated(r#"(a "" "b")"#), r#"(a "" ,"b")"#);
    }
}
