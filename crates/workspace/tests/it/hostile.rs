//! Nothing that a repository says is ever carried out.
//!
//! Each vector plants a canary: a program that leaves a file behind if anything runs it.
//! The user's own git, run afterwards in the same place, shows that the canary is live.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::support::{Bench, id};

struct Vector {
    name: &'static str,
    plant: fn(&Bench, &str),
    /// Whether `git status` or `git diff` in the workspace falls for it.
    git_falls_for_it: bool,
}

const VECTORS: [Vector; 16] = [
    Vector {
        name: "core.fsmonitor",
        plant: |bench, canary| bench.git(&["config", "core.fsmonitor", canary]),
        git_falls_for_it: true,
    },
    Vector {
        name: "diff.external",
        plant: |bench, canary| bench.git(&["config", "diff.external", canary]),
        git_falls_for_it: true,
    },
    Vector {
        name: "textconv",
        plant: |bench, canary| {
            bench.write(".gitattributes", "*.txt diff=evil\n");
            bench.git(&["config", "diff.evil.textconv", canary]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "diff driver",
        plant: |bench, canary| {
            bench.write(".gitattributes", "*.txt diff=evil\n");
            bench.git(&["config", "diff.evil.command", canary]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "clean filter",
        plant: |bench, canary| {
            bench.write(".gitattributes", "*.txt filter=evil\n");
            bench.git(&["config", "filter.evil.clean", canary]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "process filter",
        plant: |bench, canary| {
            bench.write(".gitattributes", "*.txt filter=evil\n");
            bench.git(&["config", "filter.evil.process", canary]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "smudge filter",
        plant: |bench, canary| {
            bench.write(".gitattributes", "*.txt filter=evil\n");
            bench.git(&["config", "filter.evil.smudge", canary]);
        },
        git_falls_for_it: false,
    },
    Vector {
        name: "attribute macro",
        plant: |bench, canary| {
            bench.write(
                ".gitattributes",
                "[attr]harmless filter=evil\n*.txt harmless\n",
            );
            bench.git(&["config", "filter.evil.clean", canary]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "info/attributes",
        plant: |bench, canary| {
            bench.write(".git/info/attributes", "*.txt filter=evil\n");
            bench.git(&["config", "filter.evil.clean", canary]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "hooks in .git",
        plant: |bench, canary| {
            for hook in ["post-index-change", "reference-transaction", "pre-commit"] {
                let hook = format!(".git/hooks/{hook}");
                bench.write(&hook, format!("#!/bin/sh\nexec {canary}\n"));
                bench.make_executable(&hook);
            }
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "core.hooksPath",
        plant: |bench, canary| {
            bench.write(
                "hooks/post-index-change",
                format!("#!/bin/sh\nexec {canary}\n"),
            );
            bench.make_executable("hooks/post-index-change");
            bench.git(&["config", "core.hooksPath", "hooks"]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "include.path",
        plant: |bench, canary| {
            bench.write("settings", format!("[core]\n\tfsmonitor = {canary}\n"));
            bench.git(&["config", "include.path", "../settings"]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "nested repository",
        plant: |bench, canary| {
            bench.write("nested/file", "x\n");
            for arguments in [
                &["init", "-q"][..],
                &["add", "-A"],
                &["commit", "-qm", "all"],
                &["config", "core.fsmonitor", canary],
            ] {
                assert!(bench.git_in("nested", arguments).status.success());
            }
            bench.git(&["add", "nested"]);
        },
        git_falls_for_it: true,
    },
    Vector {
        name: "core.worktree",
        plant: |bench, _| bench.git(&["config", "core.worktree", "/"]),
        git_falls_for_it: false,
    },
    Vector {
        name: "alternates",
        plant: |bench, _| bench.write(".git/objects/info/alternates", "/proc/self\n"),
        git_falls_for_it: false,
    },
    Vector {
        name: "a program called git",
        plant: |bench, canary| {
            bench.write("git", format!("#!/bin/sh\nexec {canary}\n"));
            bench.make_executable("git");
        },
        git_falls_for_it: false,
    },
];

/// Writes the canary; answers its path and that of the file it leaves.
fn canary(bench: &Bench) -> (String, PathBuf) {
    let (program, ran) = (bench.home().join("canary"), bench.home().join("ran"));
    fs::write(&program, format!("#!/bin/sh\n: > {}\n", ran.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program.to_str().unwrap().to_owned(), ran)
}

/// Everything this crate does, on a file that changes under it.
fn measure(bench: &Bench) {
    let mut shadow = bench.shadow();
    shadow.freeze_ignores().unwrap();
    let before = id(&mut shadow);
    bench.write("file.txt", "edited twice\n");
    let after = id(&mut shadow);
    assert_eq!(shadow.compare(&before, &after).unwrap().total, 1);
    let mut patch = Vec::new();
    shadow
        .write_patch(&before, &after, &mut patch, 1 << 20)
        .unwrap();
    assert!(
        String::from_utf8(patch)
            .unwrap()
            .contains("+edited twice\n")
    );
    fusebox_workspace::head::read(&bench.root());
}

#[test]
fn no_vector_runs_anything() {
    for vector in VECTORS {
        let Some(bench) = Bench::new() else { return };
        let (canary, ran) = canary(&bench);
        bench.write("file.txt", "first content\n");
        bench.write("touched.txt", "same content\n");
        bench.git(&["init", "-q"]);
        bench.commit();
        (vector.plant)(&bench, &canary);
        bench.write("file.txt", "edited once.\n");
        // Planting may itself have run it.
        let _ = fs::remove_file(&ran);

        measure(&bench);
        assert!(!ran.exists(), "{} ran the canary", vector.name);

        // A touched file makes git write its index, which is what some hooks wait for.
        let touched = fs::File::options()
            .append(true)
            .open(bench.root().join("touched.txt"));
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        touched.unwrap().set_modified(long_ago).unwrap();
        bench.git_in("", &["status"]);
        bench.git_in("", &["diff"]);
        assert_eq!(
            ran.exists(),
            vector.git_falls_for_it,
            "{}: control",
            vector.name
        );
    }
    println!("proof: attacks {} vectors of git", VECTORS.len());
}

/// Runs itself again under an environment in which a careless caller of git would come to harm.
#[test]
fn the_callers_environment_does_not_reach_git() {
    const INSIDE: &str = "FUSEBOX_TEST_INSIDE";
    let Some(bench) = Bench::new() else { return };
    if std::env::var_os(INSIDE).is_some() {
        bench.write("file.txt", "first content\n");
        measure(&bench);
        return;
    }
    let (canary, ran) = canary(&bench);
    let inside = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "hostile::the_callers_environment_does_not_reach_git",
        ])
        .env(INSIDE, "1")
        .env("GIT_DIR", bench.root())
        .env("GIT_WORK_TREE", "/")
        .env("GIT_INDEX_FILE", "/dev/null")
        .env("GIT_OBJECT_DIRECTORY", bench.home().join("objects"))
        .env("GIT_EXTERNAL_DIFF", &canary)
        .env("GIT_CONFIG_COUNT", "2")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", &canary)
        .env("GIT_CONFIG_KEY_1", "diff.external")
        .env("GIT_CONFIG_VALUE_1", &canary)
        .env("GIT_EXEC_PATH", bench.home())
        .env("GIT_TRACE", bench.home().join("ran"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&inside.stdout);
    assert!(
        inside.status.success() && said.contains("1 passed"),
        "{said}"
    );
    assert!(!ran.exists());
    assert!(!bench.home().join("objects").exists());
}
