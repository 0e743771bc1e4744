//! Tools that write, and leave nothing.

use std::fs;

use serde_json::json;

use crate::hook::{before, context};

/// An update that leaves nothing is no update, whichever tool it is and however it is called.
#[test]
fn req_004_056_and_099_a_tool_that_empties_a_protected_file_is_refused() {
    let context = context();
    let said = "# Rules\n\nTests first.\n";
    fs::write(context.work().join("CLAUDE.md"), said).unwrap();
    fs::write(context.work().join("specs/blank.md"), "").unwrap();
    fs::write(context.work().join("notes.md"), said).unwrap();
    let begun = &said[..said.len() - 1];
    let patch = |lines: &str| format!("*** Begin Patch\n{lines}*** End Patch\n");
    let gone = "*** Update File: CLAUDE.md\n@@\n-# Rules\n-\n-Tests first.\n";
    let one = "*** Update File: CLAUDE.md\n@@\n-# Rules\n\n Tests first.\n";
    for (agent, tool, arguments, code) in [
        (
            "claude",
            "Write",
            json!({"file_path": "CLAUDE.md", "content": ""}),
            2,
        ),
        (
            "claude",
            "Write",
            json!({"file_path": "CLAUDE.md", "content": "\n \n"}),
            2,
        ),
        (
            "claude",
            "Write",
            json!({"file_path": "CLAUDE.md", "content": "x"}),
            0,
        ),
        (
            "claude",
            "Write",
            json!({"file_path": "specs/new.md", "content": ""}),
            0,
        ),
        (
            "claude",
            "Write",
            json!({"file_path": "specs/blank.md", "content": ""}),
            0,
        ),
        (
            "claude",
            "Write",
            json!({"file_path": "notes.md", "content": ""}),
            0,
        ),
        (
            "claude",
            "Edit",
            json!({"file_path": "CLAUDE.md", "old_string": begun, "new_string": ""}),
            2,
        ),
        (
            "claude",
            "Edit",
            json!({"file_path": "CLAUDE.md", "old_string": "# Rules\n", "new_string": ""}),
            0,
        ),
        (
            "claude",
            "MultiEdit",
            json!({"file_path": "CLAUDE.md", "edits": [
                {"old_string": "# Rules\n\n", "new_string": ""},
                {"old_string": "Tests first.", "new_string": ""}]}),
            2,
        ),
        (
            "gemini",
            "write_file",
            json!({"file_path": "CLAUDE.md", "content": ""}),
            2,
        ),
        (
            "gemini",
            "replace",
            json!({"file_path": "CLAUDE.md", "old_string": begun, "new_string": ""}),
            2,
        ),
        (
            "copilot",
            "create",
            json!({"path": "CLAUDE.md", "file_text": ""}),
            2,
        ),
        (
            "copilot",
            "str_replace_editor",
            json!({"path": "CLAUDE.md", "old_str": begun, "new_str": ""}),
            2,
        ),
        (
            "cursor",
            "Write",
            json!({"file_path": "CLAUDE.md", "contents": ""}),
            2,
        ),
        (
            "opencode",
            "write",
            json!({"filePath": "CLAUDE.md", "content": ""}),
            2,
        ),
        (
            "opencode",
            "edit",
            json!({"filePath": "CLAUDE.md", "oldString": begun, "newString": ""}),
            2,
        ),
        (
            "codex",
            "apply_patch",
            json!({"command": patch("*** Add File: CLAUDE.md\n")}),
            2,
        ),
        ("codex", "apply_patch", json!({"command": patch(gone)}), 2),
        ("codex", "apply_patch", json!({"command": patch(one)}), 0),
        (
            "claude",
            "mcp__fs__write_file",
            json!({"path": "CLAUDE.md", "content": ""}),
            2,
        ),
    ] {
        let told = before(&context, agent, tool, &arguments).expect(code);
        let refused = told
            .err()
            .contains("would truncate CLAUDE.md, which is protected");
        assert_eq!(refused, code == 2, "{agent} {tool}: {}", told.err());
    }
}
