//! Files that code loads and thereby runs: `require('./a')`, `import a`, `exec(open('a').read())`.

use crate::commands::literals::{Literal, literals};
use crate::commands::loaded;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// More than these are not looked at.
const MOST_LOADED: usize = 32;

/// What stands before the path of a file that is run.
const FILES: [&str; 8] = [
    "run_path(",
    "execfile(",
    "exec(open(",
    "eval(open(",
    "compile(open(",
    "require_relative",
    "load",
    "do",
];

/// What stands before the name of a module of node.
const MODULES: [&str; 5] = ["require(", "import(", "require", "from", "import"];

/// What stands before the name of a module of python.
const NAMES: [&str; 3] = ["import_module(", "__import__(", "run_module("];

/// What stands before a directory in which python looks for modules as well.
const PLACES: [&str; 2] = ["sys.path.insert(", "sys.path.append("];

/// Follows what code loads from where it runs.
pub(super) fn follow(engine: &mut Engine<'_>, code: &str) -> Result<(), Stop> {
    let literals = literals(code);
    let is_place = |one: &&Literal| {
        let before = code[..one.start].trim_end();
        let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || ", ".contains(c));
        PLACES.iter().any(|call| before.ends_with(call))
    };
    let places = literals.iter().filter(is_place).take(MOST_LOADED);
    let places: Vec<String> = places.map(|one| one.text.clone()).collect();
    for literal in literals.iter().take(MOST_LOADED) {
        let before = code[..literal.start].trim_end();
        let ends = |names: &[&str]| names.iter().any(|name| ends_with_word(before, name));
        let text = Text::fixed(literal.text.as_str());
        if ends(&MODULES) {
            loaded::node(engine, &text)?;
        } else if ends(&NAMES) {
            loaded::python(engine, &literal.text, "__init__.py", &places)?;
        } else if ends(&FILES) {
            loaded::follow(engine, &text)?;
        }
    }
    for module in imported(code).into_iter().take(MOST_LOADED) {
        loaded::python(engine, &module, "__init__.py", &places)?;
    }
    Ok(())
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let before = text.strip_suffix(word);
    before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The modules in `import a, b as c` and `from a import b`, of which the last may be one too.
fn imported(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for statement in code.split(['\n', ';', ':']).map(str::trim) {
        if let Some(list) = statement.strip_prefix("import ") {
            let names = list
                .split(',')
                .filter_map(|one| one.split_whitespace().next());
            modules.extend(names.map(str::to_owned));
        } else if let Some((module, list)) = statement
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import "))
        {
            let names = list
                .split(',')
                .filter_map(|one| one.split_whitespace().next());
            modules.extend(names.map(|name| format!("{}.{name}", module.trim())));
            modules.push(module.trim().to_owned());
        }
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_in_statements() {
        assert_eq!(imported("import a, b.c as d; x"), ["a", "b.c"]);
        assert_eq!(
            imported("if x: from a import b, c as d"),
            ["a.b", "a.c", "a"]
        );
        assert_eq!(imported("x = important\nfrom_x = 1"), Vec::<String>::new());
        assert!(ends_with_word("x = require(", "require("));
        assert!(!ends_with_word("x = my_require(", "require("));
    }
}
