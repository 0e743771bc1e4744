//! Other names for the same calls: imports, and what is given a name to be called by it.

use std::collections::BTreeMap;

use super::calls::{COPYING, DELETING, RENAMING, WRITING};
use super::launchers::STARTING;
use super::outline::{Outline, Span};

/// Modules whose functions are known by the module's name.
const MODULES: [&str; 6] = [
    "os",
    "shutil",
    "subprocess",
    "fs",
    "child_process",
    "FileUtils",
];

/// The names that a program has given to what it calls, and where it does so.
#[derive(Default)]
struct Aliases {
    meanings: BTreeMap<String, String>,
    /// Where names are only given: nothing that stands there is a path or a call.
    giving: Vec<Span>,
}

/// Code with every name that it took from elsewhere written out as what it stands for, and
/// without the statements that only take them.
pub(super) fn written_out(code: &str) -> String {
    let outline = Outline::new(code);
    let mut aliases = Aliases::default();
    for span in outline.statements() {
        aliases.learn(&outline, span);
    }
    aliases.required(&outline);
    if aliases.giving.is_empty() {
        return code.to_owned();
    }
    aliases.giving.sort_unstable();
    aliases.applied(&outline)
}

impl Aliases {
    fn learn(&mut self, outline: &Outline<'_>, (start, end): Span) {
        let statement = &outline.bare[start..end];
        let trimmed = statement.trim_start();
        let is_import = if self.of_go(outline, (start, end), trimmed) {
            true
        } else if let Some(rest) = trimmed.strip_prefix("from ") {
            self.taken_from(rest)
        } else if let Some(rest) = trimmed.strip_prefix("import ") {
            let module = outline.within((start, end)).last();
            self.import(rest, module.map(|module| module.text.as_str()))
        } else {
            self.assigned(trimmed)
        };
        if is_import {
            self.giving.push((start, end));
        }
    }

    fn call(&mut self, name: &str, meaning: String) {
        let name = name.trim();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if !name.is_empty() && name.chars().all(is_word) && name != meaning {
            self.meanings.insert(name.to_owned(), meaning);
        }
    }

    /// `from os import remove as r, unlink`.
    fn taken_from(&mut self, rest: &str) -> bool {
        let Some((module, names)) = rest.split_once(" import ") else {
            return false;
        };
        let module = module.trim();
        self.members(module, names.trim().trim_matches(['(', ')']), " as ");
        true
    }

    /// `import "os"`, `import o "os"`, and a list of such in brackets.
    fn of_go(&mut self, outline: &Outline<'_>, span: Span, statement: &str) -> bool {
        let Some(rest) = statement.strip_prefix("import") else {
            return false;
        };
        let is_whole = rest.trim_end().ends_with(')') && rest.matches(')').count() == 1;
        let is_list = rest.trim_start().starts_with('(') && is_whole;
        let is_one = rest.starts_with(' ') && rest.trim_end().ends_with('"');
        let only_names = rest
            .chars()
            .all(|c| c.is_alphanumeric() || "_. \t\n;\"()".contains(c));
        if !(is_list || is_one) || !only_names || rest.contains("from") {
            return false;
        }
        for literal in outline.within(span) {
            let package = literal.text.rsplit('/').next().unwrap_or_default();
            let before = outline.bare[span.0..literal.start].trim_end_matches([' ', '\t']);
            let name = before
                .rsplit(['\n', ' ', '\t', '(', ';'])
                .next()
                .unwrap_or_default();
            match name {
                "." => {
                    let calls = [DELETING, RENAMING, WRITING].into_iter().flatten();
                    for (own, call) in calls.filter_map(|call| call.split_once('.')) {
                        if own == package {
                            self.call(call, format!("{own}.{call}"));
                        }
                    }
                }
                "import" | "_" => {}
                name => self.call(name, package.to_owned()),
            }
        }
        true
    }

    /// `import os as o` here, `import {rm as r} from 'fs'` there.
    fn import(&mut self, rest: &str, module: Option<&str>) -> bool {
        if let (Some((names, _)), Some(module)) = (rest.rsplit_once("from"), module) {
            let (outer, inner) = match names.split_once('{') {
                Some((outer, inner)) => (outer, inner.split('}').next().unwrap_or_default()),
                None => (names, ""),
            };
            for name in outer.split(',') {
                let name = name.trim().trim_start_matches("* as ");
                self.call(name, base(module).to_owned());
            }
            self.members(module, inner, " as ");
            return true;
        }
        for one in rest.split(',') {
            if let Some((module, name)) = one.split_once(" as ") {
                self.call(name, module.trim().to_owned());
            }
        }
        module.is_none()
    }

    /// Members of a module, each perhaps under another name.
    fn members(&mut self, module: &str, list: &str, renamed: &str) {
        let module = base(module);
        for one in list.split(',') {
            let (member, name) = one.split_once(renamed).unwrap_or((one, one));
            let member = member.trim();
            let is_plain = !member.starts_with(char::is_uppercase) && MODULES.contains(&module);
            let meaning = if is_plain {
                format!("{module}.{member}")
            } else {
                member.to_owned()
            };
            self.call(name, meaning);
        }
    }

    /// `r = os.remove`, `o = os`: something that is called is given a name, and not called.
    fn assigned(&mut self, statement: &str) -> bool {
        let Some((name, meaning)) = statement.split_once('=') else {
            return false;
        };
        let (name, meaning) = (declared(name), meaning.trim());
        let is_dotted = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let last = meaning.rsplit('.').next().unwrap_or_default();
        let is_called = [DELETING, RENAMING, WRITING, COPYING, STARTING]
            .iter()
            .any(|names| names.contains(&last) || names.contains(&meaning));
        let is_member = meaning.contains('.') && meaning.chars().all(is_dotted) && is_called;
        let is_alias = is_member || MODULES.contains(&meaning);
        if is_alias {
            self.call(name, meaning.to_owned());
        }
        is_alias
    }

    /// `const {rm: r} = require('fs')`, `const f = await import('fs')`.
    fn required(&mut self, outline: &Outline<'_>) {
        for literal in &outline.literals {
            let before = outline.bare[..literal.start].trim_end();
            let Some(before) = ["require(", "import("]
                .iter()
                .find_map(|call| before.strip_suffix(call))
            else {
                continue;
            };
            let before = before.trim_end().trim_end_matches("await").trim_end();
            let after = outline.bare[literal.end..].trim_start();
            let after = after.strip_prefix(')').unwrap_or(after);
            let after = after.strip_prefix(".promises").unwrap_or(after);
            let is_word = |c: char| c.is_alphanumeric() || "_$".contains(c);
            let (member, rest) = match after.strip_prefix('.') {
                Some(after) => after.split_at(after.find(|c| !is_word(c)).unwrap_or(after.len())),
                None => ("", after),
            };
            let is_used = rest.starts_with(['.', '(', '[']);
            let Some(before) = before.strip_suffix('=').filter(|_| !is_used) else {
                continue;
            };
            let before = before.trim_end();
            let start = self.given_names(outline, before, &literal.text, member);
            self.giving.push((start, outline.code.len() - rest.len()));
        }
    }

    /// Learns the names before the sign; answers with where they begin.
    fn given_names(
        &mut self,
        outline: &Outline<'_>,
        before: &str,
        module: &str,
        member: &str,
    ) -> usize {
        let end = before.len();
        let opens = before
            .ends_with('}')
            .then(|| outline.partner(end - 1))
            .flatten();
        if let Some(open) = opens {
            self.members(module, &before[open + 1..end - 1], ":");
            return open;
        }
        let start = before
            .trim_end_matches(|c: char| c.is_alphanumeric() || "_$".contains(c))
            .len();
        let module = base(module);
        let meaning = if member.is_empty() {
            module.to_owned()
        } else {
            format!("{module}.{member}")
        };
        self.call(&before[start..], meaning);
        start
    }

    fn applied(&self, outline: &Outline<'_>) -> String {
        let code = outline.code;
        let mut giving = self.giving.iter().peekable();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut written: Vec<u8> = Vec::with_capacity(code.len());
        let mut at = 0;
        while at < code.len() {
            while giving
                .peek()
                .is_some_and(|(start, end)| *end <= at || *start < at)
            {
                giving.next();
            }
            if let Some((_, end)) = giving.peek().filter(|(start, _)| *start == at) {
                at = *end;
                continue;
            }
            let rest = &outline.bare[at..];
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let next = rest.chars().next().map_or(1, char::len_utf8);
            let word = &rest[..length];
            let is_member = outline.bare[..at].ends_with(['.', '$', '@']);
            match self.meanings.get(word).filter(|_| !is_member) {
                Some(meaning) => written.extend(meaning.bytes()),
                // What is blanked has other borders than what it was.
                None => written.extend(&code.as_bytes()[at..at + length.max(next)]),
            }
            at += length.max(next);
        }
        String::from_utf8(written).unwrap_or_else(|_| code.to_owned())
    }
}

/// A module without where it is from.
fn base(module: &str) -> &str {
    let module = module.strip_prefix("node:").unwrap_or(module);
    match module {
        "fs/promises" | "fs-extra" | "graceful-fs" => "fs",
        module => module,
    }
}

/// The name that is declared.
fn declared(name: &str) -> &str {
    name.trim().rsplit([' ', '\t']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_elsewhere_are_written_out() {
        for (code, meant) in [
            ("from os import remove as r; r('a')", "; os.remove('a')"),
            ("import os as o, sys; o.remove('a')", "; os.remove('a')"),
            (
                "const {rm}=require('fs/promises'); rm('a')",
                "const ; fs.rm('a')",
            ),
            (
                "const {x: y}=require('fs'), z=1; y('y')",
                "const , z=1; fs.x('y')",
            ),
            ("import { rm as r } from 'node:fs'; r('é')", "; fs.rm('é')"),
            ("import * as f from 'fs'; f.rm('a')", "; fs.rm('a')"),
            (
                "d = os.remove; d('a'); x.d('a')",
                "; os.remove('a'); x.d('a')",
            ),
            (
                "const x = require('fs').rmSync; x('a')",
                "const ; fs.rmSync('a')",
            ),
            ("require('fs').rmSync('a')", "require('fs').rmSync('a')"),
            ("import o \"os\"; o.Remove()", "; os.Remove()"),
            ("import (\n\to \"a/os\"\n\t_ \"b\"\n)\no.x()", "\nos.x()"),
            ("import . \"os\"\nRemove()", "\nos.Remove()"),
            ("import \"os\"\nos.Remove()", "\nos.Remove()"),
            ("important(\"os\")", "important(\"os\")"),
            ("import(\"./a\").then(x)", "import(\"./a\").then(x)"),
        ] {
            assert_eq!(written_out(code), meant, "{code}");
        }
    }
}
