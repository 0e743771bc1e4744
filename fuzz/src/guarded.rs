//! What the guard reads back of its copies, and the patterns of whoever has rules.

use std::fs;
use std::path::{Component, Path, PathBuf};

use fusebox_guard::batch::{Case, escaped};
use fusebox_guard::keep::{Author, Bounds, Kept, sealed_list};
use fusebox_guard::{Authority, Mode, Protected, Rule, read_expression};

use crate::tasks;

/// The directory next to the work tree, which is nobody's business.
const OUTSIDE: &str = "outside/mine.md";

/// The one copy that is there, by its SHA-256.
const COPY: (&str, &str) = (
    "01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee",
    "old\n",
);

/// Any lines may stand in a list with the right sum, and any text may be a pattern.
pub(crate) fn guarded(bytes: &[u8]) {
    copies(bytes);
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let (pattern, rest) = text.split_once('\n').unwrap_or((text, text));
    rules(pattern, rest);
    read_expression(pattern, rest.lines().next().unwrap_or_default());
    let line = format!("block\t{}\tnote", escaped(text));
    let case = Case::parse(&line).expect("a line with an expectation");
    assert_eq!(
        (case.expected.as_str(), case.command.as_str()),
        ("block", text)
    );
    let _ = Case::parse(text);
}

/// Whatever a list names, nothing outside the work tree is touched, and what was put back is not
/// missing at the next look.
fn copies(bytes: &[u8]) {
    let list = sealed_list(bytes);
    let ground = tasks::root().join("guarded");
    // What was put there for another list would not be found here.
    let _ = fs::remove_dir_all(&ground);
    let write = |below: &str, content: &[u8]| {
        let path = ground.join(below);
        fs::create_dir_all(path.parent().unwrap_or(&ground)).expect("a directory");
        fs::write(path, content).expect("a file");
    };
    write(OUTSIDE, b"mine\n");
    write("work/CLAUDE.md", b"new\n");
    write("work/specs/a.md", b"old\n");
    write(&format!("vault/objects/{}", COPY.0), COPY.1.as_bytes());
    write("vault/list", &list);
    let (root, vault) = (ground.join("work"), ground.join("vault"));
    let rule = Rule::new("**/*.txt", Mode::Append);
    let protected = Protected::new(&root).and(rule);
    let Ok(Some(mut kept)) = Kept::load(&vault, Bounds::default()) else {
        return;
    };
    let writing = [root.join("CLAUDE.md")];
    for author in [Author::Person, Author::Calls { writing: &writing }] {
        let looked = kept.look(&protected, author).expect("a work tree");
        assert!(looked.lost.is_empty() || author != Author::Person);
    }
    let settled = kept.settle(&protected, Author::Agent).expect("copies");
    let again = kept.settle(&protected, Author::Agent).expect("copies");
    // Nothing can lie beneath a file, whatever a list says.
    let kept: Vec<&Path> = kept.paths().collect();
    let is_apart = |path: &Path| {
        let others = kept.iter().filter(|other| **other != path);
        let mut near = others.filter(|other| other.starts_with(path) || path.starts_with(other));
        near.all(|other| path.starts_with(other) && root.join(other).is_dir())
    };
    for lost in settled
        .lost
        .iter()
        .filter(|lost| lost.restored == Some(Ok(())))
    {
        let still = again.lost.iter().any(|other| other.path == lost.path);
        assert!(!still || !is_apart(&lost.path), "{lost:?}");
    }
    assert!(matches!(Kept::load(&vault, Bounds::default()), Ok(Some(_))));
    assert_eq!(names(&ground), ["outside", "vault", "work"]);
    assert_eq!(names(&ground.join("outside")), ["mine.md"]);
    assert_eq!(
        fs::read(ground.join(OUTSIDE)).ok(),
        Some(b"mine\n".to_vec())
    );
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.flatten().map(name).collect();
    names.sort();
    names
}

/// A path that is spelled out is covered, and nothing that a repository says relaxes what its
/// owner asked for.
fn rules(pattern: &str, text: &str) {
    let root = Path::new("/w");
    let first = text.lines().next().unwrap_or_default();
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let below: PathBuf = Path::new(first).components().filter(is_name).collect();
    let path = root.join(&below);
    let owners = Protected::new(root).and(Rule::new("docs/*/[a-f]?.md", Mode::Append));
    let before = owners.rule_of(&path).map(Rule::mode);
    for mode in Mode::ALL {
        let theirs = Rule::new(pattern, mode).by(Authority::Repository);
        let after = owners.clone().and(theirs);
        assert!(
            after.rule_of(&path).map(Rule::mode) >= before,
            "{pattern:?}"
        );
    }
    if below.as_os_str().is_empty() {
        return;
    }
    let letters = below.to_str().unwrap_or_default().chars();
    let spelled: String = letters
        .flat_map(|letter| {
            let is_special = matches!(letter, '*' | '?' | '[' | ']' | '\\');
            is_special.then_some('\\').into_iter().chain([letter])
        })
        .collect();
    let rule = Rule::new(&spelled, Mode::Keep);
    let protected = Protected::with_rules(root, vec![rule]);
    for covered in [path.clone(), path.join("below")] {
        assert!(protected.rule_of(&covered).is_some(), "{spelled:?}");
    }
}
