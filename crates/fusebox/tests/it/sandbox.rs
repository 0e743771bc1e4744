//! Walls around an agent, raised for real: as root, and as a user without powers.

use std::fs;
use std::os::unix::fs::chown;

use crate::context::TestContext;

/// A workspace with something precious in it, for each kind of user there is here.
fn contexts() -> Vec<TestContext> {
    let contexts = [Some(TestContext::new()), TestContext::unprivileged()];
    let contexts = contexts.into_iter().flatten();
    contexts.inspect(furnish).collect()
}

fn furnish(context: &TestContext) {
    let root = context.work();
    let owner = root
        .metadata()
        .map(|about| std::os::unix::fs::MetadataExt::uid(&about))
        .unwrap();
    fs::create_dir(root.join("specs")).unwrap();
    for (path, text) in [
        ("CLAUDE.md", "words\n"),
        ("specs/a.md", "a\n"),
        ("fusebox.toml", "# mine\n"),
    ] {
        fs::write(root.join(path), text).unwrap();
    }
    for path in ["specs", "specs/a.md", "CLAUDE.md", "fusebox.toml"] {
        chown(root.join(path), Some(owner), Some(owner)).unwrap();
    }
}

/// Whether there can be walls for this user; says so if not.
fn has_walls(context: &TestContext) -> bool {
    let tried = context
        .fusebox(&["guard", "run", "--sandbox=require", "--", "true"])
        .run();
    if tried.code == 6 {
        eprintln!("SKIPPED: {}", tried.err());
        return false;
    }
    tried.expect(0);
    true
}

#[test]
fn what_is_protected_cannot_be_deleted_renamed_or_written_behind_walls() {
    for context in contexts().iter().filter(|context| has_walls(context)) {
        let root = context.work();
        for command in [
            "rm -f CLAUDE.md",
            "rm -rf specs",
            "mv specs elsewhere",
            "mv CLAUDE.md c",
            "cd .. && mv work moved",
            "echo x > fusebox.toml",
            "echo x >> fusebox.toml",
            "umount CLAUDE.md specs fusebox.toml",
            "ls \"$XDG_STATE_HOME/fusebox\" | grep .",
            "rm -rf \"$XDG_STATE_HOME/fusebox\"",
            "unshare -Urm umount CLAUDE.md",
            "rm -f /proc/1/root$PWD/CLAUDE.md && test ! -e CLAUDE.md",
        ] {
            let args = [
                "guard",
                "run",
                "--sandbox=require",
                "--",
                "sh",
                "-c",
                command,
            ];
            let run = context.fusebox(&args).run();
            assert!(
                ![0, 47].contains(&run.code),
                "{command}: {} {}",
                run.code,
                run.err()
            );
            assert!(
                run.err().contains("sandbox: mount namespace"),
                "{}",
                run.err()
            );
        }
        let args = [
            "guard",
            "run",
            "--",
            "sh",
            "-c",
            "echo more >> CLAUDE.md; rm -f /tmp/nothing; echo b > specs/b.md; echo o > out",
        ];
        context.fusebox(&args).run().expect(0);
        assert_eq!(
            fs::read_to_string(root.join("CLAUDE.md")).unwrap(),
            "words\nmore\n"
        );
        assert!(root.join("specs/b.md").exists() && root.join("out").exists());
    }
}

#[test]
fn what_walls_do_not_cover_is_put_back_and_told() {
    for context in contexts() {
        let args = ["guard", "run", "--", "sh", "-c", ": > CLAUDE.md; exit 3"];
        let run = context.fusebox(&args).run().expect(47);
        assert!(
            run.err().contains("CLAUDE.md was emptied; it is back"),
            "{}",
            run.err()
        );
        let words = fs::read_to_string(context.work().join("CLAUDE.md")).unwrap();
        assert_eq!(words, "words\n");
        let args = ["guard", "run", "--", "sh", "-c", "exit 3"];
        context.fusebox(&args).run().expect(3);
    }
}

#[test]
fn a_run_in_a_sandbox_loses_nothing_and_says_what_protects_it() {
    let context = TestContext::new();
    furnish(&context);
    context.git(&["init", "-q", "-b", "main"]);
    if !has_walls(&context) {
        return;
    }
    let script =
        "echo x >> a.txt; rm -rf specs CLAUDE.md; ls \"$XDG_STATE_HOME/fusebox\" >> ../seen";
    let options = ["--sandbox=require", "--max-iterations", "2"];
    let run = context.supervise(&options, script).run().expect(45);
    // Files within a kept directory are mount points themselves; nothing went missing.
    assert!(!run.err().contains("was deleted"), "{}", run.err());
    assert_eq!(fs::read_to_string(context.path("seen")).unwrap(), "");
}

#[test]
fn a_command_that_is_not_there_is_named_and_ends_as_in_a_shell() {
    for context in contexts() {
        let told = |program: &str| {
            let args = ["guard", "run", "--", program];
            // Of a directory that may not be looked into nobody knows what is in there.
            let call = context.fusebox(&args).env("PATH", "/usr/bin:/bin");
            call.run()
        };
        told("nosuchcmd")
            .expect(127)
            .says("cannot run nosuchcmd: No such file or directory");
        told("./CLAUDE.md")
            .expect(126)
            .says("cannot run ./CLAUDE.md: Permission denied");
    }
}

/// The agent may have written what they run.
#[test]
fn the_users_own_commands_are_behind_the_same_walls_as_the_agent() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    furnish(&context);
    if !has_walls(&context) {
        return;
    }
    let look =
        "ls $XDG_STATE_HOME/fusebox | wc -l >> ../seen; rm -f CLAUDE.md && echo gone >> ../seen";
    let script = format!("echo work >> a.txt; echo '{look}' > t.sh");
    let options = ["--sandbox=require", "--once", "--test", "sh t.sh"];
    context.supervise(&options, &script).run().expect(0);
    let seen = fs::read_to_string(context.path("seen")).unwrap();
    assert_eq!(seen.trim(), "0");
}
