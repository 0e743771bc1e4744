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
    let portion = match placeholder {
        Some(_) => Portion::Each,
        None => Portion::of(&options),
    };
    let (calls, things) = portion.of_things(things);
    for handed in calls {
        let call: Vec<Text> = command.iter().chain(&handed).cloned().collect();
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

/// How much of what is read goes into one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Portion {
    /// One thing, whole.
    Each,
    /// Everything at once, as long as nothing else is said.
    All,
    /// So many words, if it is known how many.
    Words(Option<usize>),
    /// The words of so many lines, if it is known how many.
    Lines { most: Option<usize>, split: bool },
}

impl Portion {
    fn of(options: &Options) -> Self {
        let number = |names: &[&str]| {
            let number = options.value(names).and_then(Text::known)?;
            number.parse().ok().filter(|number| *number > 0)
        };
        let (words, lines) = (["-n", "--max-args"], ["-L", "--max-lines"]);
        let is_by_lines = options.has(&lines) || options.has(&["-l"]);
        match (options.has(&words), is_by_lines) {
            (false, false) => Self::All,
            (true, false) => Self::Words(number(&words)),
            // With both, the latter counts.
            (by_words, true) => Self::Lines {
                most: number(&lines).filter(|_| !by_words),
                // Where it is said what ends a thing, a line is one.
                split: !options.has(&["-d", "--delimiter", "-0", "--null"]),
            },
        }
    }

    /// The words of each call, and what is handed over alone besides.
    fn of_things(self, things: Vec<Text>) -> (Vec<Vec<Text>>, Vec<Text>) {
        let lines: Vec<Vec<Text>> = match self {
            Self::Each | Self::Words(Some(1)) => return (Vec::new(), things),
            Self::Lines { split: true, .. } => things.iter().map(words_of).collect(),
            _ => things.iter().map(|thing| vec![thing.clone()]).collect(),
        };
        let words: Vec<Text> = lines.iter().flatten().cloned().collect();
        let portions: Option<Vec<Vec<Text>>> = match self {
            Self::Words(Some(most)) => Some(words.chunks(most).map(<[Text]>::to_vec).collect()),
            Self::Lines {
                most: Some(most), ..
            } => Some(lines.chunks(most).map(<[_]>::concat).collect()),
            _ => None,
        };
        // Where it is not known what is read, nobody knows what stands beside what either.
        let known = things.iter().all(|thing| thing.known().is_some());
        match portions.filter(|portions| known && portions.len() <= MOST_CALLS) {
            Some(portions) => (portions, Vec::new()),
            None if (2..=MOST_CALLS).contains(&words.len()) => (vec![words.clone()], words),
            None => (Vec::new(), words),
        }
    }
}

/// The words of a line. One that is not known may hold several.
fn words_of(line: &Text) -> Vec<Text> {
    match line.known() {
        Some(line) => {
            let words = line.split_whitespace();
            let words = words.map(|word| word.trim_matches(['"', '\'']));
            words.map(Text::fixed).collect()
        }
        None => vec![line.clone(), line.clone()],
    }
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
    let by_line =
        name == "parallel" || options.has(&["-I", "-L", "-l", "--max-lines", "--replace", "-i"]);
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
