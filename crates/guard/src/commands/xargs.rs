//! `xargs` and `parallel`: a command for each thing that is read.

use super::Options;
use crate::shell::{Engine, joined};
use crate::stop::Stop;
use crate::text::{Data, Part, Text};

/// More things than these are taken as alternatives of one.
const MOST_CALLS: usize = 64;

const VALUED: &[&str] = &[
    "-I",
    "-n",
    "-P",
    "-L",
    "-d",
    "-s",
    "-a",
    "-E",
    "-J",
    "-R",
    "-j",
    "--max-args",
    "--max-procs",
    "--delimiter",
    "--arg-file",
    "--jobs",
    "--replace",
    "--max-lines",
    "--colsep",
];

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<(), Stop> {
    let (options, at) = Options::parse_leading(words, VALUED);
    let mut command = words.get(at..).unwrap_or_default().to_vec();
    let mut things = None;
    if name == "parallel" {
        let separator = |word: &Text| matches!(word.known().as_deref(), Some(":::" | "::::"));
        if let Some(cut) = command.iter().position(separator) {
            things = Some(command.split_off(cut)[1..].to_vec());
        }
    }
    let things = match (things, options.value(&["-a", "--arg-file"])) {
        (Some(things), _) => things,
        (None, Some(file)) => {
            let content = engine.content(file)?;
            read(&content, &options, name)
        }
        (None, None) => match engine.input_lines() {
            Some(lines) => lines,
            None => read(&engine.stdin, &options, name),
        },
    };
    if command.is_empty() {
        if name == "parallel" {
            for thing in &things {
                let code = joined(std::slice::from_ref(thing));
                engine.apart(|engine| engine.source_data(&code))?;
            }
        }
        return Ok(());
    }
    let placeholder = match options
        .value(&["-I", "-J", "--replace"])
        .map(|text| text.known().unwrap_or_default())
    {
        Some(own) if !own.is_empty() => Some(own),
        Some(_) => Some("{}".to_owned()),
        None if options.has(&["-i", "--replace"]) || name == "parallel" => Some("{}".to_owned()),
        None => None,
    };
    let code = joined(&command);
    // Unless it is told otherwise, it hands over all at once.
    let bounded = ["-n", "-L", "--max-args", "--max-lines"];
    let at_once = 2..=MOST_CALLS;
    if placeholder.is_none() && !options.has(&bounded) && at_once.contains(&things.len()) {
        let call: Vec<Text> = command.iter().chain(&things).cloned().collect();
        engine.apart(|engine| engine.call(&call))?;
    }
    for thing in together(things) {
        let call = with(&command, placeholder.as_deref(), &thing);
        if name == "parallel"
            && code.text().is_some_and(|code| code.contains(' '))
            && command.len() == 1
        {
            engine.apart(|engine| engine.source_data(&joined(&call)))?;
        } else {
            engine.apart(|engine| engine.call(&call))?;
        }
    }
    Ok(())
}

fn read(input: &Data, options: &Options, name: &str) -> Vec<Text> {
    let Some(text) = input.text() else {
        return vec![Text::unknown()];
    };
    let separates = separators(options, name);
    // A list of names is one whichever way it is written and read.
    let is_list = matches!(input, Data::Lines(_));
    let things = text.split(|c| separates(c) || (is_list && matches!(c, '\n' | '\0')));
    let things = things.map(|thing| thing.trim_matches(['\n', '"', '\'']));
    things
        .filter(|thing| !thing.is_empty())
        .map(Text::fixed)
        .collect()
}

/// What stands between the things that are read.
fn separators(options: &Options, name: &str) -> impl Fn(char) -> bool {
    let by_line = name == "parallel" || options.has(&["-I", "-L", "--replace", "-i"]);
    let own = options.value(&["-d", "--delimiter"]).and_then(Text::known);
    let own = if options.has(&["-0", "--null"]) {
        Some('\0')
    } else if let Some(own) = own {
        Some(crate::shell::ansi_c(&own).chars().next().unwrap_or('\n'))
    } else {
        by_line.then_some('\n')
    };
    move |c| own.map_or_else(|| c.is_whitespace(), |own| own == c)
}

fn together(things: Vec<Text>) -> Vec<Text> {
    if things.len() <= MOST_CALLS {
        return things;
    }
    let known: Option<Vec<String>> = things.iter().map(Text::known).collect();
    vec![known.map_or_else(Text::unknown, Text::one_of)]
}

/// The command with the thing put in its place, or at the end.
pub(super) fn with(command: &[Text], placeholder: Option<&str>, thing: &Text) -> Vec<Text> {
    let Some(placeholder) = placeholder else {
        return command.iter().cloned().chain([thing.clone()]).collect();
    };
    let mut replaced = false;
    let mut call: Vec<Text> = command
        .iter()
        .map(|word| {
            let Some(known) = word.known().filter(|known| known.contains(placeholder)) else {
                return word.clone();
            };
            replaced = true;
            let mut text = Text::default();
            for (index, piece) in known.split(placeholder).enumerate() {
                if index > 0 {
                    text.append(thing);
                }
                text.push(Part::Fixed(piece.to_owned()));
            }
            text
        })
        .collect();
    if !replaced {
        call.push(thing.clone());
    }
    call
}
