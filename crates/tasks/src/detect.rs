//! Which list a repository keeps, told by what is in it.

use std::ffi::OsStr;
use std::path::Path;

use crate::error::SourceError;
use crate::files::{
    BUILT_IN, Checkboxes, FeatureList, FileSource, Lines, Place, Prd, Shape, Stories, Taskmaster,
    damage,
};
use crate::source::Source;
use crate::tools::{Beads, GitHub};

/// Where to look.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The repository.
    pub root: &'a Path,
    /// A directory of our own, for the built-in list.
    pub own: &'a Path,
    /// Where programs are found.
    pub path: Option<&'a OsStr>,
    /// The name that claims are made under.
    pub actor: &'a str,
}

/// A list that was found.
pub struct Found {
    /// The list.
    pub source: Box<dyn Source>,
    /// What else looks like one, and is not used.
    pub also: Vec<String>,
}

type MakeShape = fn(&Path) -> Box<dyn Shape>;

/// The files that may be lists. A name only says where to look.
const FILES: [(&str, MakeShape); 16] = [
    (".cub/tasks.jsonl", |_| Box::new(Lines::Theirs)),
    (".taskmaster/tasks/tasks.json", taskmaster),
    ("tasks/tasks.json", taskmaster),
    ("prd.json", |_| Box::new(Prd)),
    ("prd.json", |_| Box::new(Stories)),
    (".agents/tasks/prd.json", |_| Box::new(Stories)),
    (".agents/tasks/prd.json", |_| Box::new(Prd)),
    ("scripts/ralph/prd.json", |_| Box::new(Prd)),
    ("feature_list.json", |_| Box::new(FeatureList)),
    (".ralph/fix_plan.md", |_| Box::new(Checkboxes)),
    (".ralph/@fix_plan.md", |_| Box::new(Checkboxes)),
    ("@fix_plan.md", |_| Box::new(Checkboxes)),
    ("fix_plan.md", |_| Box::new(Checkboxes)),
    ("IMPLEMENTATION_PLAN.md", |_| Box::new(Checkboxes)),
    (".ralph/IMPLEMENTATION_PLAN.md", |_| Box::new(Checkboxes)),
    ("plan/feature_list.json", |_| Box::new(FeatureList)),
];

/// The name of the built-in list.
const OWN_FILE: &str = "list.jsonl";

fn taskmaster(root: &Path) -> Box<dyn Shape> {
    let state = Place::new(root, ".taskmaster/state.json").read();
    Box::new(Taskmaster::with_state(state.ok().flatten().as_deref()))
}

/// Finds the list: the one that is `wanted` by name or by path, else the first that
/// there is. `None` if there is none at all.
///
/// # Errors
/// [`SourceError`] if a list is there and cannot be asked.
pub fn find(places: &Places<'_>, wanted: Option<&str>) -> Result<Option<Found>, SourceError> {
    let alone = |source: Box<dyn Source>| {
        Ok(Some(Found {
            source,
            also: Vec::new(),
        }))
    };
    match wanted {
        None | Some("auto") => first(places),
        Some("beads") => alone(Box::new(beads(places)?)),
        Some("github") => alone(Box::new(GitHub::open(places.root, places.path)?)),
        Some(BUILT_IN) => alone(Box::new(own(places))),
        Some(path) => match named(places, path)? {
            Some(source) => alone(Box::new(source)),
            None => Err(SourceError::Malformed {
                path: places.root.join(path).display().to_string(),
                why: "no task list that can be read".into(),
            }),
        },
    }
}

/// Adds a task to the built-in list.
///
/// # Errors
/// [`SourceError`] if the list cannot be changed.
pub fn add(
    places: &Places<'_>,
    title: &str,
    kind: Option<&str>,
    at_ms: i64,
) -> Result<String, SourceError> {
    let mut id = String::new();
    own(places).append(|tasks| {
        let numbers = tasks.iter().map(|task| task.id.strip_prefix("T-"));
        let highest = numbers
            .filter_map(|number| number?.parse::<u64>().ok())
            .max();
        id = format!("T-{}", highest.unwrap_or(0).saturating_add(1));
        let mut line = format!(
            "{{\"id\":\"{id}\",\"title\":{},\"status\":\"open\",\"created_at\":\"{}\"",
            fusebox_edit::splice::quoted(title),
            crate::time::written(at_ms)
        );
        if let Some(kind) = kind {
            line.push_str(&format!(",\"kind\":{}", fusebox_edit::splice::quoted(kind)));
        }
        line.push('}');
        line
    })?;
    Ok(id)
}

/// An export of beads that lies in the repository without the list it was made of: nothing that
/// could be worked from.
#[must_use]
pub fn export_alone(root: &Path) -> Option<&'static str> {
    Beads::export_alone(root)
}

fn own(places: &Places<'_>) -> FileSource {
    FileSource::at(places.own, OWN_FILE, Box::new(Lines::Ours))
}

fn beads(places: &Places<'_>) -> Result<Beads, SourceError> {
    Beads::open(places.root, places.path, places.actor)
}

fn first(places: &Places<'_>) -> Result<Option<Found>, SourceError> {
    let mut files = Vec::new();
    for (path, shape) in FILES {
        files.extend(FileSource::find(places.root, path, shape(places.root))?);
    }
    let mut names: Vec<String> = files.iter().map(|file| file.name().to_owned()).collect();
    if Beads::is_used(places.root) {
        return Ok(Some(Found {
            source: Box::new(beads(places)?),
            also: names,
        }));
    }
    // A list that was cut off is still the list: to work on the next one, or on none, would be
    // a guess.
    let chosen = files.first().map(FileSource::name);
    for (path, _) in FILES.iter().take_while(|(path, _)| Some(*path) != chosen) {
        let shapes = FILES.iter().filter(|(there, _)| there == path);
        if let Some(damage) = damage_at(places, path, shapes.map(|(_, shape)| shape))? {
            return Err(damage);
        }
    }
    if files.is_empty() {
        let list = own(places);
        let is_used = !list.list()?.is_empty();
        return Ok(is_used.then(|| Found {
            source: Box::new(list),
            also: Vec::new(),
        }));
    }
    names.remove(0);
    names.extend(Beads::export_alone(places.root).map(str::to_owned));
    Ok(Some(Found {
        source: Box::new(files.swap_remove(0)),
        also: names,
    }))
}

/// What is wrong with a file that could be read as none of the `shapes`, if it was meant to be one.
fn damage_at<'a>(
    places: &Places<'_>,
    path: &str,
    shapes: impl Iterator<Item = &'a MakeShape>,
) -> Result<Option<SourceError>, SourceError> {
    let place = Place::new(places.root, path);
    let text = place.read()?;
    let keys: Vec<&str> = shapes
        .filter_map(|shape| shape(places.root).key())
        .collect();
    let why = text.and_then(|text| damage(path, &text, &keys));
    Ok(why.map(|why| SourceError::Malformed {
        path: place.shown(),
        why,
    }))
}

/// The list at a path that somebody named, whatever its shape.
fn named(places: &Places<'_>, path: &str) -> Result<Option<FileSource>, SourceError> {
    let documents: [MakeShape; 4] = [
        |_| Box::new(Prd),
        |_| Box::new(Stories),
        taskmaster,
        |_| Box::new(FeatureList),
    ];
    let lines: [MakeShape; 2] = [|_| Box::new(Lines::Theirs), |_| Box::new(Checkboxes)];
    let find = |shapes: &[MakeShape]| {
        let mut found = shapes
            .iter()
            .map(|shape| FileSource::find(places.root, path, shape(places.root)));
        found.find_map(Result::transpose).transpose()
    };
    if let Some(found) = find(&documents)? {
        return Ok(Some(found));
    }
    // Of a document that was emptied, no lines are left either, which is no list without tasks.
    match damage_at(places, path, documents.iter())? {
        Some(damage) => Err(damage),
        None => find(&lines),
    }
}
