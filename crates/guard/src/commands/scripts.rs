//! Scripts that are run by name: those of `package.json`, and the recipes of a `justfile`.

use super::make::certain_only;
use super::{Options, loaded, make};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// More lines than these are not followed.
const MOST_LINES: usize = 64;

/// What the programs that manage packages do themselves, whatever scripts there are.
const OWN_VERBS: &str = "\
    install i ci add exec x dlx create init why remove rm uninstall un unlink link ln ls list la \
    ll outdated update up upgrade self-update audit publish pack version info view show whoami \
    login logout config get set cache store prune rebuild rb dedupe import patch patch-commit \
    patch-remove bin root prefix env setup fetch deploy doctor licenses approve-builds server \
    global workspace workspaces policies plugin constraints explain npm node pm build repl \
    completions help search owner tag token team access bugs repo docs home fund generate-lock-entry \
    autoclean check import install-test it unplug upgrade-interactive versions";

/// Follows a program that runs scripts of the repository; answers whether it is one.
pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "make" | "gmake" | "bmake" => make::run(engine, words)?,
        "just" => just(engine, words)?,
        "npm" | "pnpm" | "yarn" | "bun" => return package(engine, name, words),
        _ => return Ok(false),
    }
    Ok(true)
}

/// `npm run NAME`, and the names that need no `run`.
fn package(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    loaded::node_options(engine)?;
    let is_code = |word: &Text| {
        ["-e", "--eval", "-p", "--print"]
            .map(Text::fixed)
            .contains(word)
    };
    if name == "bun" && words.first().is_some_and(is_code) {
        return Ok(false);
    }
    let directory = ["-C", "--prefix", "--cwd", "--dir"];
    let options = Options::parse(words, &directory);
    let mut operands = options.operands.iter().filter_map(Text::known);
    let Some(verb) = operands.next() else {
        return Ok(false);
    };
    if verb == "pkg" && operands.next().as_deref() == Some("set") {
        let settings: Vec<String> = operands.collect();
        set_scripts(engine, &settings)?;
        return Ok(true);
    }
    let script = match verb.as_str() {
        "run" | "run-script" | "rum" | "urn" => operands.next(),
        "test" if name == "bun" => None,
        "t" | "tst" => Some("test".to_owned()),
        "test" | "start" | "stop" | "restart" => Some(verb),
        "x" if name == "bun" => operands.next(),
        own if name == "npm" || OWN_VERBS.split_whitespace().any(|verb| verb == own) => None,
        _ => Some(verb),
    };
    let Some(script) = script else {
        return Ok(false);
    };
    let is_script = |word: &Text| word.known().as_deref() == Some(&script);
    let at = words.iter().position(is_script).unwrap_or(words.len());
    let program = words[at..].to_vec();
    let rest: Vec<String> = operands.collect();
    engine.apart(|engine| {
        for directory in options.values(&directory) {
            engine.call(&[Text::fixed("cd"), directory.clone()])?;
        }
        let scripts = match engine.content(&Text::fixed("package.json"))? {
            Data::Known(text) => scripts_in(&text),
            _ => Vec::new(),
        };
        let found = |wanted: &str| {
            let mut own = scripts.iter().filter(|(name, _)| name == wanted);
            own.next().map(|(_, code)| code.clone())
        };
        let Some(code) = found(&script) else {
            return run_program(engine, name, &program);
        };
        engine.print(&Data::Unknown);
        let around = [
            found(&format!("pre{script}")),
            Some(format!("{code} {}", rest.join(" "))),
            found(&format!("post{script}")),
        ];
        certain_only(engine, |engine| {
            for code in around.iter().flatten() {
                engine.apart(|engine| engine.script(code))?;
            }
            Ok(())
        })?;
        Ok(true)
    })
}

/// `npm pkg set scripts.NAME=CODE`: the scripts are others from here on.
fn set_scripts(engine: &mut Engine<'_>, settings: &[String]) -> Result<(), Stop> {
    let file = Text::fixed("package.json");
    let before = engine.content(&file)?;
    let set = settings.iter().filter_map(|setting| {
        let (name, code) = setting.strip_prefix("scripts.")?.split_once('=')?;
        Some((name.to_owned(), code.to_owned()))
    });
    let mut scripts: Vec<(String, String)> = set.collect();
    scripts.extend(scripts_in(before.text().unwrap_or_default()));
    let quoted = |text: &str| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{}\"", escaped.replace('\n', "\\n"))
    };
    let pairs = scripts.iter();
    let pairs = pairs.map(|(name, code)| format!("{}: {}", quoted(name), quoted(code)));
    let pairs: Vec<String> = pairs.collect();
    let text = format!("{{\"scripts\": {{{}}}}}", pairs.join(", "));
    for place in engine.places(&file)? {
        if let Place::At(path, _) = place {
            let path = engine.resolver().beyond_links(&path);
            engine.remember(path, &Data::Known(text.clone()), false);
        }
    }
    Ok(())
}

/// Those that run scripts by their names alone run programs of packages so as well. A file
/// is code.
fn run_program(engine: &mut Engine<'_>, name: &str, call: &[Text]) -> Result<bool, Stop> {
    let is_file = |word: &Text| word.known_start().contains(['.', '/']);
    if name == "npm" || call.first().is_none_or(is_file) {
        return Ok(false);
    }
    engine.apart(|engine| engine.call(call))?;
    Ok(true)
}

/// The names and the code of the scripts in a `package.json`.
fn scripts_in(json: &str) -> Vec<(String, String)> {
    let mut scripts = Vec::new();
    let Some(start) = json.find("\"scripts\"") else {
        return scripts;
    };
    let mut rest = &json[start + "\"scripts\"".len()..];
    let Some(open) = rest.find('{') else {
        return scripts;
    };
    rest = &rest[open + 1..];
    let mut strings = Vec::new();
    while let Some(at) = rest.find(['"', '}']) {
        if rest[at..].starts_with('}') {
            break;
        }
        let Some((text, after)) = json_string(&rest[at + 1..]) else {
            break;
        };
        strings.push(text);
        rest = after;
    }
    for pair in strings.chunks_exact(2) {
        scripts.push((pair[0].clone(), pair[1].clone()));
    }
    scripts
}

/// A string up to its closing quote, and what comes behind it.
fn json_string(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'u' => {
                    let code = text.get(at + 2..at + 6)?;
                    let code = u32::from_str_radix(code, 16).ok()?;
                    value.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                    chars.nth(3)?;
                }
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
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
    fn scripts_are_pairs_of_strings() {
        let json =
            r#"{"name": "x", "scripts": {"a": "echo \"b\" \u0026& c", "d": "e\\n"}, "z": {}}"#;
        let expected = [("a", "echo \"b\" && c"), ("d", "e\\n")];
        let expected = expected.map(|(name, code)| (name.to_owned(), code.to_owned()));
        assert_eq!(scripts_in(json), expected);
        assert_eq!(scripts_in("{}"), []);
        assert_eq!(scripts_in("{\"scripts\": {\"a\": \"b"), []);
    }

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
