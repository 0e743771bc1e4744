//! Scripts that are run by name: those of packages (`package`), and the recipes of a `justfile`.

use super::make::certain_only;
use super::{Options, make, package};
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// More lines than these are not followed.
const MOST_LINES: usize = 64;

/// Follows a program that runs scripts of the repository; answers whether it is one.
pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "make" | "gmake" | "bmake" => make::run(engine, words)?,
        "just" => just(engine, words)?,
        "npm" | "pnpm" | "yarn" | "bun" => return package::run(engine, name, words),
        _ => return Ok(false),
    }
    Ok(true)
}

fn just(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    engine.print(&Data::Unknown);
    let valued = ["-f", "--justfile", "-d", "--working-directory", "--set"];
    let options = Options::parse(words, &valued);
    let only_tells = [
        "-l",
        "--list",
        "-n",
        "--dry-run",
        "--show",
        "-s",
        "--summary",
    ];
    if options.has(&only_tells) {
        return Ok(());
    }
    let named = options.value(&["-f", "--justfile"]).cloned();
    let names = ["justfile", "Justfile", ".justfile"].map(Text::fixed);
    for file in named.iter().chain(names.iter().filter(|_| named.is_none())) {
        let Data::Known(text) = engine.content(file)? else {
            continue;
        };
        let recipes = recipes_in(&text);
        let mut pending: Vec<String> = options.operands.iter().filter_map(Text::known).collect();
        if pending.is_empty() {
            pending.extend(recipes.first().map(|recipe| recipe.name.clone()));
        }
        return engine.apart(|engine| {
            certain_only(engine, |engine| {
                let mut seen: Vec<String> = Vec::new();
                while let Some(name) = pending.pop() {
                    for recipe in recipes.iter().filter(|recipe| recipe.name == name) {
                        if seen.contains(&name) {
                            continue;
                        }
                        pending.extend(recipe.needs.iter().cloned());
                        recipe.follow(engine)?;
                    }
                    seen.push(name);
                }
                Ok(())
            })
        });
    }
    Ok(())
}

/// A recipe of a `justfile`.
struct Recipe {
    name: String,
    needs: Vec<String>,
    lines: Vec<String>,
}

impl Recipe {
    /// Each line is a shell of its own, unless the first says what runs them together.
    fn follow(&self, engine: &mut Engine<'_>) -> Result<(), Stop> {
        let together = self
            .lines
            .first()
            .is_some_and(|line| line.starts_with("#!"));
        if together {
            let code = self.lines.join("\n");
            return engine.apart(|engine| engine.script(&code)).map(drop);
        }
        for line in self.lines.iter().take(MOST_LINES) {
            let code = line.trim_start_matches(['@', '-']);
            engine.apart(|engine| engine.script(code))?;
        }
        Ok(())
    }
}

fn recipes_in(text: &str) -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut assigned: Vec<(String, String)> = Vec::new();
    for line in text.replace("\\\n", " ").lines() {
        if line.starts_with([' ', '\t']) {
            let mut code = line.trim().to_owned();
            for (name, value) in &assigned {
                code = code.replace(&format!("{{{{{name}}}}}"), value);
                code = code.replace(&format!("{{{{ {name} }}}}"), value);
            }
            if let Some(recipe) = recipes.last_mut() {
                recipe.lines.push(code);
            }
        } else if let Some((name, value)) = line.split_once(":=") {
            let value = value.trim().trim_matches(['"', '\'']).to_owned();
            assigned.push((name.trim().to_owned(), value));
        } else if let Some((head, needs)) = line.split_once(':')
            && !line.starts_with(['#', '['])
        {
            let name = head.split_whitespace().next().unwrap_or_default();
            let needs = needs.split_whitespace().map(str::to_owned);
            recipes.push(Recipe {
                name: name.trim_start_matches('@').to_owned(),
                needs: needs.filter(|need| need != "&&").collect(),
                lines: Vec::new(),
            });
        }
    }
    recipes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_have_needs_and_lines() {
        let recipes =
            recipes_in("out := 'b'\n# c: d\n@a x='1': c\n    @rm {{out}} {{ out }}\nc:\n");
        let first = &recipes[0];
        assert_eq!(
            (first.name.as_str(), first.needs.as_slice()),
            ("a", &["c".to_owned()][..])
        );
        assert_eq!(first.lines, ["@rm b b"]);
        assert_eq!(recipes.len(), 2);
    }
}
