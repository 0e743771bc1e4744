//! Directories that a program opens and then works in by a handle: `os.OpenRoot` of go,
//! `openDir` of zig. What is called on one is told names beneath it.

use super::outline::Outline;

/// Calls that answer with such a handle.
const OPENING: [&str; 4] = ["OpenRoot(", "openDir(", "makeOpenPath(", "openIterableDir("];

/// The kind of a parameter that is one.
const KINDS: [&str; 2] = [" *os.Root", ": std.fs.Dir"];

/// What is called on a handle, how the same is called with whole paths, and how many of those
/// it is told first.
const METHODS: [(&str, &str, usize); 20] = [
    ("Remove", "os.Remove", 1),
    ("RemoveAll", "os.RemoveAll", 1),
    ("Rename", "os.Rename", 2),
    ("Create", "os.Create", 1),
    ("WriteFile", "os.WriteFile", 1),
    ("OpenFile", "os.OpenFile", 1),
    ("OpenRoot", "os.OpenRoot", 1),
    ("Open", "os.Open", 1),
    ("ReadFile", "os.ReadFile", 1),
    ("Stat", "os.Stat", 1),
    ("Lstat", "os.Lstat", 1),
    ("deleteFile", "deleteFile", 1),
    ("deleteDir", "deleteDir", 1),
    ("deleteTree", "deleteTree", 1),
    ("rename", "rename", 2),
    ("createFile", "createFile", 1),
    ("openDir", "openDir", 1),
    ("makeOpenPath", "makeOpenPath", 1),
    ("openIterableDir", "openIterableDir", 1),
    ("openFile", "openFile", 1),
];

/// Code with every such call written out as one on whole paths: `a.Remove("b")` as
/// `os.Remove(a+"/"+"b")`. Of which directory it is then follows from what `a` holds.
pub(super) fn written_out(code: String) -> String {
    let marks = OPENING.iter().chain(&KINDS);
    if !marks.into_iter().any(|mark| code.contains(mark)) {
        return code;
    }
    let outline = Outline::new(&code);
    let handles = handles(&outline);
    let mut written = String::new();
    let mut copied = 0;
    let dots = outline.bare.match_indices('.').map(|(at, _)| at);
    for dot in dots {
        let handle = last_word(&outline.bare[..dot]);
        let rest = &outline.bare[dot + 1..];
        let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let open = dot + 1 + name.len();
        let method = METHODS.iter().find(|(own, _, _)| *own == name);
        let close = outline.partner(open);
        let (Some((_, whole, told)), Some(close)) = (method, close) else {
            continue;
        };
        let owner = outline.receiver(dot + 1, 0).0;
        if !handles.contains(&handle) || owner < copied || !rest[name.len()..].starts_with('(') {
            continue;
        }
        written.push_str(&code[copied..owner]);
        written.push_str(whole);
        written.push('(');
        copied = open + 1;
        for index in 0..*told {
            let end = outline.up_to((copied, close), b",");
            let comma = if index == 0 { "" } else { "," };
            let argument = code[copied..end].trim_start_matches(',').trim();
            written.push_str(&format!("{comma}{handle}+\"/\"+{argument}"));
            // The next one begins behind the comma.
            copied = if index + 1 < *told {
                (end + 1).min(close)
            } else {
                end
            };
        }
    }
    written.push_str(&code[copied..]);
    written
}

/// The names that a program gives to what it opens, or to what it is handed.
fn handles<'o>(outline: &'o Outline<'_>) -> Vec<&'o str> {
    let bare = &outline.bare;
    let mut handles = Vec::new();
    for opening in OPENING {
        for (at, _) in bare.match_indices(opening) {
            let line = bare[..at]
                .rfind(['\n', ';', '{', '}'])
                .map_or(0, |end| end + 1);
            let given = bare[line..at].split('=').next().unwrap_or_default();
            let first = given.split(',').next().unwrap_or_default();
            handles.push(last_word(first.trim_end().trim_end_matches(':').trim_end()));
        }
    }
    for kind in KINDS {
        let typed = bare
            .match_indices(kind)
            .map(|(at, _)| last_word(&bare[..at]));
        handles.extend(typed);
    }
    handles.retain(|handle| !handle.is_empty());
    handles
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(is_word).len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_on_a_handle_is_told_whole_paths() {
        for (code, meant) in [
            (
                "r, _ := os.OpenRoot(\"a\"); r.Remove(\"b\")",
                "r, _ := os.OpenRoot(\"a\"); os.Remove(r+\"/\"+\"b\")",
            ),
            (
                "r = os.OpenRoot(\"a\"); x = r.Rename(\"b\", c(1, 2)); y",
                "r = os.OpenRoot(\"a\"); x = os.Rename(r+\"/\"+\"b\",r+\"/\"+c(1, 2)); y",
            ),
            (
                "r := os.OpenRoot(\"a\"); s := r.OpenRoot(\"b\"); s.Create(\"c\", 1)",
                "r := os.OpenRoot(\"a\"); s := os.OpenRoot(r+\"/\"+\"b\"); os.Create(s+\"/\"+\"c\", 1)",
            ),
            (
                "func f(r *os.Root) { r.Remove(\"b\") }",
                "func f(r *os.Root) { os.Remove(r+\"/\"+\"b\") }",
            ),
            (
                "const d = try x.openDir(\"a\", .{}); try d.deleteFile(\"b\");",
                "const d = try x.openDir(\"a\", .{}); try deleteFile(d+\"/\"+\"b\");",
            ),
            (
                "r := os.OpenRoot(\"a\"); l.Remove(\"b\"); r.Close()",
                "r := os.OpenRoot(\"a\"); l.Remove(\"b\"); r.Close()",
            ),
            ("l.Remove(\"b\")", "l.Remove(\"b\")"),
        ] {
            assert_eq!(written_out(code.to_owned()), meant, "{code}");
        }
    }
}
