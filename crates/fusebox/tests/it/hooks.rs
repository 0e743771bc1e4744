//! `fusebox hooks`: the settings of agents, changed and put back.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use serde_json::Value;

use crate::context::TestContext;

const AGENTS: [(&str, &str); 6] = [
    ("claude", ".claude/settings.local.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".github/hooks/fusebox.json"),
    ("cursor", ".cursor/hooks.json"),
    ("opencode", ".opencode/plugins/fusebox.js"),
];

/// Settings as people have them, also in ways that few do.
const TEXTS: [&str; 8] = [
    "{}",
    "{ }\n",
    "{\n}\n",
    "",
    "{\n  // mine\n  \"model\": \"opus\", /* best */\n\n  \"z\": [1,2 ,3],\n}\n",
    "{\"hooks\":{}}",
    "{\r\n\t\"hooks\": {\"Stop\": [], \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}\r\n}",
    "\u{feff}{\"a\": \"\\u00e9\"}",
];

fn hooks(context: &TestContext, words: &[&str]) -> crate::call::Finished {
    context.fusebox(&[&["hooks"], words].concat()).run()
}

fn place(context: &TestContext, name: &str, text: &str) -> PathBuf {
    let path = context.work().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn installing_and_taking_back_leaves_every_byte_as_it_was() {
    let context = TestContext::new();
    for (agent, name) in AGENTS
        .into_iter()
        .filter(|(agent, _)| !["copilot", "opencode"].contains(agent))
    {
        for text in TEXTS {
            let path = place(&context, name, text);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            hooks(&context, &["install", agent]).expect(0);
            let with = fs::read(&path).unwrap();
            assert!(String::from_utf8_lossy(&with).contains("pre-tool-use"));
            hooks(&context, &["install", agent]).expect(0);
            assert_eq!(fs::read(&path).unwrap(), with, "{agent}: twice is once");
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
            hooks(&context, &["uninstall", agent]).expect(0);
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "{agent}");
            hooks(&context, &["uninstall", agent]).expect(0);
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "{agent}");
        }
    }
}

#[test]
fn what_was_not_there_is_gone_again() {
    let context = TestContext::new();
    for scope in ["--project", "--user"] {
        for (agent, _) in AGENTS {
            hooks(&context, &["install", agent, scope]).expect(0);
            hooks(&context, &["test", agent, scope]).expect(0);
            hooks(&context, &["uninstall", agent, scope]).expect(0);
            hooks(&context, &["test", agent, scope]).expect(6);
        }
    }
    let left = |path: PathBuf| fs::read_dir(path).unwrap().count();
    assert_eq!(left(context.work()), 0);
    assert_eq!(left(context.path("home")), 0);
}

/// An agent that writes settings can write a receipt as well.
#[test]
fn req_x_009_settings_from_a_forged_receipt_are_not_put_in_place() {
    let context = TestContext::new();
    let path = place(&context, ".claude/settings.local.json", "{\"a\": 1}\n");
    hooks(&context, &["install", "claude"]).expect(0);
    let receipts = context.path("state/fusebox/registrations");
    let receipt = fs::read_dir(receipts).unwrap().next().unwrap().unwrap();
    let text = fs::read_to_string(receipt.path()).unwrap();
    let mut forged: Value = serde_json::from_str(&text).unwrap();
    forged["before"] = "{\"a\": 1, \"disableAllHooks\": true}\n".into();
    fs::write(receipt.path(), forged.to_string()).unwrap();
    hooks(&context, &["uninstall", "claude"]).expect(0);
    let left = fs::read_to_string(&path).unwrap();
    let plain: Value = serde_json::from_str(&left).unwrap();
    assert_eq!(plain, serde_json::json!({"a": 1}));
}

#[test]
fn what_others_changed_since_stays() {
    let context = TestContext::new();
    let path = place(
        &context,
        ".claude/settings.local.json",
        "{\n  // mine\n  \"a\": 1\n}\n",
    );
    hooks(&context, &["install", "claude"]).expect(0);
    let with = fs::read_to_string(&path).unwrap();
    fs::write(&path, with.replace("\"a\": 1", "\"a\": 2, \"b\": true")).unwrap();
    hooks(&context, &["uninstall", "claude"]).expect(0);
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.contains("// mine"), "{left}");
    let plain: Value = serde_json::from_str(&left.replace("// mine", "")).unwrap();
    assert_eq!(plain, serde_json::json!({"a": 2, "b": true}));
}

#[test]
fn what_cannot_be_changed_safely_is_left_alone() {
    let context = TestContext::new();
    let elsewhere = context.path("elsewhere.json");
    fs::write(&elsewhere, "{}").unwrap();
    for broken in [
        "{\"a\": ",
        "[]",
        "{\"hooks\": 3}",
        "{'a': 1}",
        "{\"hooks\": {}, \"hooks\": {}}",
    ] {
        let path = place(&context, ".gemini/settings.json", broken);
        let told = hooks(&context, &["install", "gemini"]).expect(5);
        assert!(told.err().contains("left as it is"), "{}", told.err());
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    }
    let path = place(&context, ".gemini/settings.json", "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(
        hooks(&context, &["install", "gemini"])
            .expect(5)
            .err()
            .contains("read-only")
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    fs::remove_file(&path).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(
        hooks(&context, &["install", "gemini"])
            .expect(5)
            .err()
            .contains("symbolic link")
    );
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "{}");
    let path = place(&context, ".github/hooks/fusebox.json", "{\"version\": 1}");
    hooks(&context, &["install", "copilot"]).expect(5);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"version\": 1}");
}

#[test]
fn printing_writes_nothing() {
    let context = TestContext::new();
    for (agent, name) in AGENTS {
        let told = hooks(&context, &["install", agent, "--print"]).expect(0);
        assert!(told.out().contains("fusebox"), "{agent}: {}", told.out());
        assert!(!context.work().join(name).exists());
    }
}

#[test]
fn the_status_tells_what_is_registered_and_whether_its_program_is_there() {
    let context = TestContext::new();
    hooks(&context, &["install", "codex"]).expect(0);
    let path = context.work().join(".codex/hooks.json");
    let row = || {
        let rows = hooks(&context, &["status", "codex", "--json"])
            .expect(0)
            .json();
        rows[0].clone()
    };
    assert_eq!(row()["state"], "installed");
    assert_eq!(row()["last_called_ms_ago"], Value::Null);
    // Trying it is not the agent's doing.
    for _ in 0..3 {
        hooks(&context, &["test", "codex"]).expect(0);
        assert_eq!(row()["last_called_ms_ago"], Value::Null);
    }
    let told = hooks(&context, &["status", "codex"]).expect(0).out();
    assert!(told.contains("installed, never called here yet"), "{told}");
    let payload = r#"{"session_id":"s","tool_name":"Bash","tool_input":{"command":"rm -f x"}}"#;
    let call = context.fusebox(&["hook", "codex", "pre-tool-use"]);
    call.input(payload).run().expect(0);
    assert!(row()["last_called_ms_ago"].is_u64(), "{}", row());
    let rows = hooks(&context, &["status", "codex", "--json"]).expect(0);
    let elsewhere = &rows.json()[1];
    assert_eq!(elsewhere["state"], "not_installed");
    assert_eq!(elsewhere["last_called_ms_ago"], Value::Null, "{elsewhere}");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace(crate::context::FUSEBOX, "/gone/fusebox"),
    )
    .unwrap();
    assert_eq!(row()["state"], "program_missing");
    hooks(&context, &["test", "codex"]).expect(6);
    // Installing again mends it.
    hooks(&context, &["install", "codex"]).expect(0);
    assert_eq!(row()["state"], "installed");
}

/// An agent cannot take away what watches it.
#[test]
fn req_x_009_an_agent_may_not_uninstall() {
    let context = TestContext::new();
    hooks(&context, &["install", "claude"]).expect(0);
    let path = context.work().join(".claude/settings.local.json");
    let with = fs::read(&path).unwrap();
    let script = format!(
        "{} hooks uninstall claude; test $? = 5",
        crate::context::FUSEBOX
    );
    let told = context.supervise(&["--max-iterations=1"], &script).run();
    assert!(
        told.err().contains("take away what watches it"),
        "{}",
        told.err()
    );
    assert_eq!(fs::read(&path).unwrap(), with);
}

#[test]
fn settings_that_make_no_sense_are_not_taken_for_settings_without_us() {
    let context = TestContext::new();
    place(&context, ".claude/settings.local.json", "{\"hooks\": ");
    let told = hooks(&context, &["status", "claude"]).expect(0).out();
    assert!(told.contains("project  cannot be read"), "{told}");
    let rows = hooks(&context, &["status", "claude", "--json"]).expect(0);
    assert_eq!(rows.json()[0]["state"], "unreadable");
    let tried = hooks(&context, &["test", "claude"]).expect(6);
    tried.says("the settings of Claude Code cannot be read: ");
}

#[test]
fn printing_what_taking_back_would_leave_says_so_where_that_is_nothing() {
    let context = TestContext::new();
    let print = ["uninstall", "copilot", "--print"];
    let told = hooks(&context, &print).expect(0);
    assert_eq!(told.out(), "");
    told.says("there are no settings of ");
    hooks(&context, &["install", "copilot"]).expect(0);
    let told = hooks(&context, &print).expect(0);
    assert_eq!(told.out(), "");
    told.says("would be removed, as there would be nothing in them");
    let path = context.work().join(".github/hooks/fusebox.json");
    assert!(path.exists(), "printing changes nothing");
}

/// What the settings of a repository name: a file of it, by either kind of path, or more than one
/// command.
#[test]
fn trying_a_hook_executes_nothing_that_the_repository_names() {
    let context = TestContext::new();
    let root = context.work().to_str().unwrap().to_owned();
    let mark = context.work().join("PWNED");
    let script = place(
        &context,
        "bin/fusebox",
        &format!("#!/bin/sh\ntouch {root}/PWNED\nexit 2\n"),
    );
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let codex = |line: &str| {
        let handler = serde_json::json!({"type": "command", "command": line});
        let settings = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
        place(&context, ".codex/hooks.json", &settings.to_string());
    };
    let program = format!("{root}/bin/fusebox");
    for (program, why) in [
        ("bin/fusebox", "names a program without saying where it is"),
        (&program, "names a program that is not this one"),
    ] {
        codex(&format!("{program} hook codex pre-tool-use"));
        hooks(&context, &["test", "codex"]).expect(5).says(why);
        assert!(!mark.exists());
        let status = hooks(&context, &["status", "codex"]).expect(0).out();
        assert!(status.contains("names another program"), "{status}");
    }
    codex("touch PWNED; exit 2; /x/fusebox hook codex pre-tool-use");
    hooks(&context, &["test", "codex"]).expect(6);
    assert!(!mark.exists());
    let handler = serde_json::json!({
        "type": "command",
        "command": program,
        "args": ["hook", "claude", "pre-tool-use"],
    });
    let settings = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
    place(
        &context,
        ".claude/settings.local.json",
        &settings.to_string(),
    );
    hooks(&context, &["test", "claude"]).expect(5);
    let plugin = format!("const PROGRAM = \"{program}\";\nconst OPTIONS = [];\n");
    place(&context, ".opencode/plugins/fusebox.js", &plugin);
    hooks(&context, &["test", "opencode"]).expect(6);
    let call = "call([\"hook\", \"opencode\", point])";
    let plugin = format!("{plugin}{call}");
    place(&context, ".opencode/plugins/fusebox.js", &plugin);
    hooks(&context, &["test", "opencode"]).expect(5);
    assert!(!mark.exists());
}

/// What is configured with `--config` counts like the user's own, commands included.
#[test]
fn trying_a_hook_heeds_no_configuration_of_the_repository_unless_a_person_registered_it() {
    let context = TestContext::new();
    place(&context, "theirs.toml", "");
    let config = ["--config", "theirs.toml"];
    hooks(&context, &[&["install", "codex"], &config[..]].concat()).expect(0);
    hooks(&context, &["test", "codex"]).expect(0);
    let path = context.work().join(".codex/hooks.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text} ")).unwrap();
    let told = hooks(&context, &["test", "codex"]).expect(5);
    told.says("names a configuration from the repository");
}

/// A hook that is registered and switched off by another file is no hook.
#[test]
fn a_setting_that_switches_off_all_hooks_is_told_with_its_file() {
    let context = TestContext::new();
    hooks(&context, &["install", "claude"]).expect(0);
    let told = || hooks(&context, &["status", "claude"]).expect(0).out();
    let off = "installed, but all hooks are switched off by";
    assert!(!told().contains(off), "{}", told());
    let shared = ".claude/settings.json";
    place(&context, shared, "{\"disableAllHooks\": true}");
    let path = context.work().join(shared);
    let line = format!("{off} {}", path.display());
    assert!(told().contains(&line), "{}", told());
    let doctor = context.fusebox(&["doctor"]).run().out();
    let broken = format!("all hooks are switched off by {}", path.display());
    assert!(doctor.contains(&broken), "{doctor}");
    let rows = hooks(&context, &["status", "claude", "--json"])
        .expect(0)
        .json();
    assert_eq!(rows[0]["state"], "switched_off");
    // What stands nearer to the work counts.
    let local = context.work().join(".claude/settings.local.json");
    let text = fs::read_to_string(&local).unwrap();
    let on = text.replacen('{', "{\"disableAllHooks\": false,", 1);
    fs::write(&local, on).unwrap();
    assert!(!told().contains(off), "{}", told());
}
