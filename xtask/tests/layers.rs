//! The layers of the crate `fusebox`, in ARCHITECTURE.md, against its sources: a module knows only
//! those that the page names before it.

#![expect(clippy::unwrap_used, reason = "a test may end where it cannot go on")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Where the page lists them.
const HEADING: &str = "## Inside the crate `fusebox`";

#[test]
fn modules_know_those_below_them_and_no_others() {
    let layers = layers(&fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap());
    let sources = Sources::read(&repository().join("crates/fusebox/src"));
    let wrong = sources.against(&layers);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_wrong_is_named_with_its_file() {
    let page =
        format!("{HEADING}\n\n    low, middle    values\n    high    what people ask\n\n## Next");
    let layers = layers(&page);
    assert_eq!(layers, ["low", "middle", "high"]);
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
    let sources = |files: Vec<(PathBuf, String)>| Sources {
        declared: ["low", "middle", "high"].map(str::to_owned).into(),
        files,
    };
    let sound = [
        file("high.rs", "use crate::{low, middle::Thing};"),
        file("middle/mod.rs", "use crate::low; use crate::middle::x;"),
        file("low.rs", "#[cfg(test)]\nmod tests { use crate::high; }"),
    ];
    assert_eq!(
        sources(sound.to_vec()).against(&layers),
        Vec::<String>::new()
    );
    for (path, text, expected) in [
        (
            "low.rs",
            "fn a() {}\nuse crate::high::A;",
            "low.rs:2: `low` knows `high`, which stands above it",
        ),
        (
            "low.rs",
            "use crate::{exit, middle};",
            "low.rs:1: `low` knows `exit`, which is no module",
        ),
        (
            "low/deep.rs",
            "fn a() { super::super::middle::b() }",
            "low/deep.rs:1: `low` knows `middle`, which stands above it",
        ),
    ] {
        let wrong = sources(vec![file(path, text)]).against(&layers);
        assert_eq!(wrong[0], expected, "{text}");
    }
    let twice = [&layers[..], &layers[..1]].concat();
    assert_eq!(
        sources(Vec::new()).against(&twice),
        ["ARCHITECTURE.md lists `low` twice"]
    );
    let mut gone = sources(Vec::new());
    gone.declared.remove("high");
    gone.declared.insert("new".to_owned());
    assert_eq!(
        gone.against(&layers),
        [
            "ARCHITECTURE.md lists `high`, which is no module of the crate",
            "`new` is in no layer of ARCHITECTURE.md",
        ]
    );
}

#[test]
fn uses_are_found_however_they_are_written_and_not_in_tests() {
    for (text, expected) in [
        ("use crate::a;", "a"),
        ("use crate::a::{self, B}; fn f() { crate::c::d() }", "a c"),
        ("use crate::{a::{self, x}, b, c::d::{e, f}};", "a b c"),
        ("say!(\"{}\", crate::a::b(crate::c))", "a c"),
        ("// crate::a\nfn f() { \"crate::b\" }", ""),
        ("pub(crate) fn f() {}", ""),
        ("#[cfg(test)]\nuse crate::a;\nuse crate::b;", "b"),
        (
            "#[cfg(test)]\npub(crate) use crate::{a, b};\nuse crate::c;",
            "c",
        ),
        (
            "#[cfg(test)]\n#[expect(dead_code)]\nfn f<A, B>() -> [u8; 2] { crate::a() }",
            "",
        ),
        (
            "#[cfg(test)]\nimpl A { fn f() { crate::a() } }\nuse crate::b;",
            "b",
        ),
        (
            "struct A { #[cfg(test)] a: crate::a::A, b: crate::b::B }",
            "b",
        ),
        ("#[cfg(feature = \"x\")]\nuse crate::a;", "a"),
    ] {
        let mut found = Found::default();
        found.walk(text.parse().unwrap(), 1);
        let found: Vec<String> = found.uses.into_iter().map(|(_, name)| name).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }
    let mut found = Found::default();
    found.walk("#[cfg(test)] mod scratch; mod kept;".parse().unwrap(), 1);
    assert_eq!(found.tests, ["scratch"]);
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The modules in the order of the page: `    a, b    what they hold`, row after row.
fn layers(page: &str) -> Vec<String> {
    let section = page.split_once(HEADING).map(|(_, rest)| rest);
    let section = section.unwrap_or_else(|| panic!("`{HEADING}` is gone from ARCHITECTURE.md"));
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("    "));
    let modules = rows.filter_map(|row| row.split("  ").next());
    let names = modules.flat_map(|modules| modules.split(", ").map(str::to_owned));
    names.collect()
}

/// The modules of a crate, and its files by their paths.
struct Sources {
    declared: BTreeSet<String>,
    files: Vec<(PathBuf, String)>,
}

impl Sources {
    fn read(root: &Path) -> Self {
        let library = fs::read_to_string(root.join("lib.rs")).unwrap();
        let declared = library.lines().filter_map(|line| {
            let name = line.strip_prefix("mod ")?.strip_suffix(';')?;
            Some(name.to_owned())
        });
        let declared = declared.collect();
        let (mut files, mut open) = (Vec::new(), vec![root.to_owned()]);
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    files.push((path.strip_prefix(root).unwrap().to_owned(), text));
                }
            }
        }
        files.sort();
        Self { declared, files }
    }

    /// What is not as the page says, a line each.
    fn against(&self, layers: &[String]) -> Vec<String> {
        let unknown = layers.iter().filter(|name| !self.declared.contains(*name));
        let mut wrong: Vec<String> = unknown
            .map(|name| format!("ARCHITECTURE.md lists `{name}`, which is no module of the crate"))
            .collect();
        let unlisted = self.declared.iter().filter(|name| !layers.contains(name));
        wrong.extend(unlisted.map(|name| format!("`{name}` is in no layer of ARCHITECTURE.md")));
        let place = |name: &str| layers.iter().position(|one| one == name);
        let again = layers.iter().enumerate();
        let again = again.filter(|(at, name)| place(name) != Some(*at));
        wrong.extend(again.map(|(_, name)| format!("ARCHITECTURE.md lists `{name}` twice")));
        for File { path, module, uses } in self.shipped() {
            for (line, known) in uses {
                let why = match (place(&module), place(&known)) {
                    (_, None) => "is no module",
                    (Some(own), Some(other)) if other > own => "stands above it",
                    _ => continue,
                };
                let path = path.display();
                wrong.push(format!(
                    "{path}:{line}: `{module}` knows `{known}`, which {why}"
                ));
            }
        }
        wrong
    }

    /// Every file that is no test.
    fn shipped(&self) -> Vec<File<'_>> {
        let mut tests: Vec<PathBuf> = Vec::new();
        let mut all = Vec::new();
        for (path, text) in &self.files {
            let Some(module) = module_of(path).filter(|name| self.declared.contains(name)) else {
                continue;
            };
            let mut found = Found::default();
            // The names between the root of the crate and what a file calls `self`.
            found.walk(text.parse().unwrap(), below(path).components().count());
            tests.extend(found.tests.iter().map(|name| below(path).join(name)));
            found.uses.retain(|(_, name)| *name != module);
            all.push(File {
                path,
                module,
                uses: found.uses,
            });
        }
        let is_test = |path: &Path| tests.iter().any(|test| below(path).starts_with(test));
        all.retain(|file| !is_test(file.path));
        all
    }
}

/// A file of a module, and what it names of the crate by the line.
struct File<'a> {
    path: &'a Path,
    module: String,
    uses: Vec<(usize, String)>,
}

/// The module of the crate that a file belongs to.
fn module_of(path: &Path) -> Option<String> {
    let first = Path::new(path.iter().next()?);
    Some(first.file_stem()?.to_str()?.to_owned())
}

/// Where the modules below a file's own are.
fn below(path: &Path) -> PathBuf {
    match path.file_name().is_some_and(|name| name == "mod.rs") {
        true => path.parent().unwrap().to_owned(),
        false => path.with_extension(""),
    }
}

/// What a file names of the crate, outside of its tests.
#[derive(Default)]
struct Found {
    /// The line, and the module.
    uses: Vec<(usize, String)>,
    /// The modules in files of their own that are tests.
    tests: Vec<String>,
}

impl Found {
    /// Walks through code that is so many modules below the root of the crate.
    fn walk(&mut self, code: TokenStream, depth: usize) {
        let tokens: Vec<TokenTree> = code.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if is_test_mark(&tokens[at..]) {
                at += self.test_item(&tokens[at..]);
                continue;
            }
            match &tokens[at] {
                TokenTree::Ident(word) if word == "crate" && is_path(&tokens[at + 1..]) => {
                    self.take(tokens.get(at + 3));
                }
                TokenTree::Ident(word) if word == "super" => {
                    let steps = supers(&tokens[at..]);
                    if steps == depth {
                        self.take(tokens.get(at + 3 * steps));
                    }
                    at += 3 * steps - 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    let inline = at > 1 && is_word(&tokens[at - 2], "mod");
                    self.walk(group.stream(), depth + usize::from(inline));
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Takes the module behind `crate::`, or those in the group there.
    fn take(&mut self, next: Option<&TokenTree>) {
        match next {
            Some(TokenTree::Ident(name)) => {
                let line = name.span().start().line;
                self.uses.push((line, name.to_string()));
            }
            Some(TokenTree::Group(group)) => self.take_each(group),
            _ => {}
        }
    }

    fn take_each(&mut self, group: &Group) {
        let mut is_first = true;
        for token in group.stream() {
            match &token {
                TokenTree::Punct(mark) if mark.as_char() == ',' => is_first = true,
                _ if is_first => {
                    self.take(Some(&token));
                    is_first = false;
                }
                _ => {}
            }
        }
    }

    /// The length of an item under `#[cfg(test)]`, its attributes included.
    fn test_item(&mut self, tokens: &[TokenTree]) -> usize {
        let mut start = 0;
        while tokens.get(start).is_some_and(|token| is_mark(token, '#')) {
            start += 2;
        }
        let item = &tokens[start..];
        let named = |word: &str| item.iter().take(3).any(|token| is_word(token, word));
        let to_the_mark = |end: char| {
            let at = item.iter().position(|token| is_mark(token, end));
            at.map_or(item.len(), |at| at + 1)
        };
        if let [TokenTree::Ident(first), TokenTree::Ident(name), end, ..] = item
            && first == "mod"
            && is_mark(end, ';')
        {
            self.tests.push(name.to_string());
        }
        let length = if ["use", "const", "static", "type", "let"]
            .into_iter()
            .any(named)
        {
            to_the_mark(';')
        } else if ["fn", "impl", "mod", "struct", "enum", "trait"]
            .into_iter()
            .any(named)
        {
            let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
            let body = item
                .iter()
                .position(is_body)
                .map_or(item.len(), |at| at + 1);
            body.min(to_the_mark(';'))
        } else {
            to_the_mark(',')
        };
        start + length
    }
}

/// Whether this is `#[cfg(test)]`.
fn is_test_mark(tokens: &[TokenTree]) -> bool {
    match tokens {
        [hash, TokenTree::Group(group), ..] if is_mark(hash, '#') => {
            group.stream().to_string().replace(' ', "") == "cfg(test)"
        }
        _ => false,
    }
}

/// How many `super` a path begins with.
fn supers(tokens: &[TokenTree]) -> usize {
    let steps = tokens
        .chunks(3)
        .take_while(|step| is_word(&step[0], "super") && is_path(&step[1..]));
    steps.count().max(1)
}

fn is_path(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [one, two, ..] if is_mark(one, ':') && is_mark(two, ':'))
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}
