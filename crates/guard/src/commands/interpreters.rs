//! Programs that run code: shells, and the languages that agents write one-liners in.

use super::{Options, code, executed, loaded, modules, tcl};
use crate::effect::Action;
use crate::shell::{Engine, ends_on_failure};
use crate::stop::Stop;
use crate::text::{Data, Text};

const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash", "fish",
];

/// A language, and how it is given code and files.
struct Language {
    names: &'static [&'static str],
    /// Options whose value is code.
    inline: &'static [&'static str],
    valued: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language {
        names: &["python", "python2", "python3", "pypy", "pypy3", "ipython"],
        inline: &["-c"],
        valued: &["-W", "-X", "-m", "-Q"],
    },
    Language {
        names: &["perl"],
        inline: &["-e", "-E"],
        valued: &["-I", "-M", "-m", "-C"],
    },
    Language {
        names: &["ruby", "jruby"],
        inline: &["-e"],
        valued: &["-I", "-r", "-C", "-E"],
    },
    Language {
        names: &["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
        inline: &["-e", "--eval", "-p", "--print", "-pe", "eval"],
        valued: &["-r", "--require", "--import", "-C"],
    },
    Language {
        names: &["php"],
        inline: &["-r", "-B", "-E", "-R"],
        valued: &["-d", "-c", "-f"],
    },
    Language {
        names: &["lua", "luajit"],
        inline: &["-e"],
        valued: &["-l"],
    },
    Language {
        names: &[
            "Rscript",
            "R",
            "julia",
            "guile",
            "elixir",
            "scala",
            "groovy",
            "tclsh",
            "osascript",
            "raku",
            "racket",
            "clojure",
            "pwsh",
            "powershell",
        ],
        inline: &["-e", "--eval", "-c", "-Command", "--command"],
        valued: &[],
    },
];

/// Whether a program runs the files that it is given.
pub(super) fn is_one(name: &str) -> bool {
    let mut languages = LANGUAGES.iter();
    SHELLS.contains(&name) || languages.any(|language| language.names.contains(&name))
}

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if SHELLS.contains(&name) {
        shell(engine, name, words)?;
        return Ok(true);
    }
    // `python3.12` is python.
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_named = |own: &&str| *own == name || *own == plain;
    let Some(language) = LANGUAGES
        .iter()
        .find(|language| language.names.iter().any(is_named))
    else {
        return Ok(false);
    };
    engine.print(&Data::Unknown);
    let valued: Vec<&str> = language
        .inline
        .iter()
        .chain(language.valued)
        .copied()
        .collect();
    let own = match plain {
        "python" | "pypy" => modules::up_to_name(words),
        _ => words,
    };
    let (options, at) = leading(own, &valued, language.inline);
    let leading = &words[..at];
    let rest = &engine.all_named(&words[at..])?;
    let inline: Vec<Text> = options.values(language.inline).cloned().collect();
    loaded::before(engine, plain, &options)?;
    let is_line_by_line = matches!(plain, "perl" | "ruby");
    if is_line_by_line {
        edit_in_place(engine, leading, rest, inline.is_empty())?;
    }
    if !inline.is_empty() {
        let is_fed = is_line_by_line && options.has(&["-n", "-p"]);
        let given = given(engine, plain, rest, is_fed)?;
        for text in &inline {
            let text = text.known().map_or(Data::Unknown, Data::Known);
            code::follow_given(engine, &text, &given, code::Origin::Inline)?;
        }
        return Ok(true);
    }
    if let Some(module) = options.value(&["-m"]) {
        let module = module.known().unwrap_or_default();
        if plain == "python" {
            // What comes behind its name is the module's own.
            let is_name = |word: &Text| word.known_end().ends_with(&module);
            let at = words
                .iter()
                .position(is_name)
                .map_or(words.len(), |at| at + 1);
            modules::run(engine, &module, &words[at..])?;
        }
        return Ok(true);
    }
    if options.has(&["--version", "-V", "-v", "--help", "--check"]) {
        return Ok(true);
    }
    if options.has(&["--test"]) {
        for file in rest {
            if loaded::is_written_here(engine, file)? {
                loaded::follow(engine, file)?;
            }
        }
        return Ok(true);
    }
    match rest.split_first() {
        Some((file, rest)) if file.known().as_deref() != Some("-") => {
            let file = &loaded::main_of(engine, file)?;
            let text = engine.content(file)?;
            if plain == "tclsh" {
                tcl::follow(engine, text.text().unwrap_or_default())?;
            } else if text.text().is_some() {
                let mut given = given(engine, plain, rest, false)?;
                given.program = Some(file.clone());
                let origin = origin_of(engine, file)?;
                code::follow_given(engine, &text, &given, origin)?;
            }
        }
        dash_or_nothing => {
            let text = engine.stdin.clone();
            if plain == "tclsh" {
                tcl::follow(engine, text.text().unwrap_or_default())?;
            } else if text != Data::empty() {
                // What comes in is the program, and the words behind the dash are its own.
                let words = dash_or_nothing.map_or(&[][..], |(_, words)| words);
                let mut given = code::Given::new(engine, words);
                given.runs_backquotes = runs_backquotes(plain);
                code::follow_given(engine, &text, &given, code::Origin::Inline)?;
            }
        }
    }
    Ok(true)
}

/// What a program finds when it starts. Who goes through files line by line reads those that
/// are named, and what comes in if none is.
fn given(
    engine: &mut Engine<'_>,
    language: &str,
    words: &[Text],
    is_fed: bool,
) -> Result<code::Given, Stop> {
    let mut given = code::Given::new(engine, words);
    given.is_fed = is_fed;
    given.runs_backquotes = runs_backquotes(language);
    if !is_fed || words.is_empty() {
        given.read(&engine.stdin);
        return Ok(given);
    }
    for file in words {
        given.read(&engine.content(file)?);
    }
    Ok(given)
}

/// Whether backquotes hold a command, as in perl, and not a string or nothing at all.
fn runs_backquotes(language: &str) -> bool {
    let others = [
        "python", "pypy", "ipython", "node", "nodejs", "bun", "deno", "tsx", "ts-node", "lua",
        "luajit",
    ];
    !others.contains(&language)
}

fn origin_of(engine: &mut Engine<'_>, file: &Text) -> Result<code::Origin, Stop> {
    Ok(match loaded::is_written_here(engine, file)? {
        true => code::Origin::Inline,
        false => code::Origin::File,
    })
}

/// Options up to the first operand, or up to the first piece of code.
fn leading(words: &[Text], valued: &[&str], inline: &[&str]) -> (Options, usize) {
    let (mut options, mut at) = Options::parse_leading(words, valued);
    // `deno eval CODE`: a subcommand takes the code.
    if words.get(at).and_then(Text::known).as_deref() == Some("eval") && inline.contains(&"eval") {
        let (rest, end) = Options::parse_leading(&words[at..], &["eval"]);
        if rest.has(&["eval"]) || words.len() > at + 1 {
            let code = [Text::fixed("-e"), words[at + 1].clone()];
            options = Options::parse_leading(&code, valued).0;
        }
        at = (at + end.max(2)).min(words.len());
    }
    (options, at)
}

/// `perl -pi -e`, `ruby -i -pe`: the files that follow are rewritten.
fn edit_in_place(
    engine: &mut Engine<'_>,
    leading: &[Text],
    rest: &[Text],
    first_is_script: bool,
) -> Result<(), Stop> {
    let in_place = leading.iter().any(|word| {
        let start = word.known_start();
        let letters = start.strip_prefix('-').unwrap_or_default();
        // The letters before one that takes the rest as its value.
        let own = letters
            .split(['e', 'E', 'M', 'm', 'I'])
            .next()
            .unwrap_or_default();
        !start.starts_with("--") && own.contains('i')
    });
    // The file is written anew under its name, so that a link is replaced and not followed.
    let files = rest.iter().skip(usize::from(first_is_script));
    for file in files.filter(|_| in_place) {
        engine.take_away(Action::Overwrite, file, false)?;
    }
    Ok(())
}

/// Whether a shell sets `BASH_SOURCE`; `sh` often is one that does.
fn knows_sources(shell: &str) -> bool {
    matches!(shell, "bash" | "rbash" | "sh")
}

/// What a shell does before it asks for a command.
fn prompt(engine: &mut Engine<'_>) -> Result<(), Stop> {
    if let Some(code) = engine
        .shell
        .get("PROMPT_COMMAND")
        .map(|value| value.first())
    {
        engine.code(&code)?;
    }
    for name in ["PS0", "PS1"] {
        if let Some(text) = engine.shell.known(name) {
            engine.heredoc(&text)?;
        }
    }
    Ok(())
}

fn shell(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<(), Stop> {
    // What is switched off before it starts is as if it were not there.
    let is_off = |word: &&Text| word.known_start().starts_with('+');
    let off = words.iter().take_while(is_off).count();
    let words = &words[off..];
    let (options, at) = Options::parse_leading(words, &["-o", "-O", "--rcfile", "--init-file"]);
    let rest = &engine.all_named(&words[at..])?;
    // A dash alone ends the options as two do.
    let rest = match rest.split_first() {
        Some((first, rest)) if first.known().as_deref() == Some("-") => rest,
        _ => rest,
    };
    engine.apart(|engine| {
        engine.shell.ends_on_failure = ends_on_failure(&words[..at]).unwrap_or(false);
        engine.shell.is_asked = false;
        engine.shell.forget_sources();
        let switched_on = options.values(&["-O"]).filter_map(Text::known);
        engine.shell.switched_on.extend(switched_on);
        // Only bash leaves aliases alone in a script, unless a person is at the other end.
        if !matches!(name, "bash" | "rbash") || options.has(&["-i"]) {
            engine.shell.switched_on.insert("expand_aliases".to_owned());
        }
        if options.has(&["-x"]) {
            engine.trace()?;
        }
        for name in ["BASH_ENV", "ENV"] {
            let Some(file) = engine.shell.get(name).map(|value| value.first()) else {
                continue;
            };
            if let Some(code) = engine.content(&file)?.text() {
                engine.script(code)?;
            }
        }
        for file in options
            .values(&["--rcfile", "--init-file"])
            .cloned()
            .collect::<Vec<_>>()
        {
            if let Some(code) = engine.content(&file)?.text() {
                engine.script(code)?;
            }
        }
        if options.has(&["-n", "--version", "--help"]) {
            return Ok(());
        }
        if options.has(&["-i"]) && !options.has(&["-c"]) {
            prompt(engine)?;
        }
        if options.has(&["-c"]) {
            let Some((code, arguments)) = rest.split_first() else {
                return Ok(());
            };
            if let Some((name, arguments)) = arguments.split_first() {
                engine.shell.name = name.clone();
                engine.shell.arguments = arguments.to_vec();
            }
            let code = code.known().map_or(Data::Unknown, Data::Known);
            return engine.source_data(&code).map(drop);
        }
        match rest.split_first() {
            Some((file, arguments)) if !options.has(&["-s"]) => {
                let code = engine.content(file)?;
                engine.shell.start_script(file);
                if !knows_sources(name) {
                    engine.shell.forget_sources();
                }
                engine.shell.arguments = arguments.to_vec();
                match code {
                    Data::Known(code) | Data::Lines(code) => engine.script(&code).map(drop),
                    Data::Unknown => executed::unreadable(engine, file),
                }
            }
            _ => {
                engine.shell.arguments = rest.to_vec();
                let code = std::mem::replace(&mut engine.stdin, Data::empty());
                let status = engine.source_data(&code);
                engine.stdin = code;
                status.map(drop)
            }
        }
    })
}
