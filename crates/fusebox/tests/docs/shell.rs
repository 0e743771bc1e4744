//! A reader's shell, in an empty directory with a home of its own.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

pub(crate) struct Shell {
    top: TempDir,
}

pub(crate) struct Given {
    pub(crate) code: i32,
    /// What a reader would see: both streams, as they came.
    pub(crate) output: String,
}

impl Shell {
    pub(crate) fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir(top.path().join("home")).unwrap();
        fs::create_dir(top.path().join("work")).unwrap();
        fs::write(top.path().join("so-far"), "").unwrap();
        Self { top }
    }

    /// Puts a file into the directory, or beside it.
    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.top.path().join("work").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }

    /// Gives the reader a program of this name.
    pub(crate) fn stand_in(&self, name: &str, script: &str) {
        let path = format!("../bin/{name}");
        self.put(&path, &format!("#!/bin/sh\n{script}\n"));
        let path = self.top.path().join("work").join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Back to where the reader began.
    pub(crate) fn go_back(&self) {
        let begin = self.top.path().join("work");
        self.run(&format!("cd '{}'", begin.display()));
    }

    /// Executes a command as the next one that the reader types: where the last one went, and
    /// with what it exported.
    pub(crate) fn run(&self, command: &str) -> Given {
        let so_far = self.top.path().join("so-far");
        let script = format!(
            "exec 2>&1; . '{so_far}'\ntrap '{{ printf \"cd %q\\n\" \"$PWD\"; export -p; }} > \"{so_far}\"' EXIT\n{command}",
            so_far = so_far.display()
        );
        let program = Path::new(env!("CARGO_BIN_EXE_fusebox")).parent().unwrap();
        let path = format!(
            "{}:{}:{}",
            self.top.path().join("bin").display(),
            program.display(),
            env::var("PATH").unwrap()
        );
        let given = Command::new("bash")
            .args(["-c", &script])
            .current_dir(self.top.path().join("work"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.top.path().join("home"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Given {
            code: given.status.code().unwrap_or(-1),
            output: String::from_utf8_lossy(&given.stdout).into_owned(),
        }
    }
}
