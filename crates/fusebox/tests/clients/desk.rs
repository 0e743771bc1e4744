//! Where a client works in a test: a home, a repository and a model.

use crate::client::Client;
use scripted_model::{Script, Server};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A loop of three iterations with the slowest client, which takes ten
/// seconds of a processor for each, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the clients are told to do: words that a careless way to hand them
/// over takes for a flag, or changes.
pub(crate) const TASK: &str = "--Do the \"next\" task.\nThen stop.";

/// Everything a client gets to see.
pub(crate) struct Desk {
    client: Client,
    clients: PathBuf,
    root: TempDir,
    pub(crate) model: Server,
}

/// What a client left behind when it had ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Desk {
    pub(crate) fn of(client: Client, clients: &Path, script: Script) -> Self {
        let desk = Self {
            client,
            clients: clients.to_owned(),
            root: tempfile::tempdir().unwrap(),
            model: Server::start(script).unwrap(),
        };
        for directory in [desk.home(), desk.work(), desk.temporary()] {
            fs::create_dir(directory).unwrap();
        }
        client.settle_in(&desk.home(), &desk.model.url());
        let initialised = desk.command("git").args(["init", "--quiet"]).status();
        assert!(initialised.unwrap().success());
        desk
    }

    /// The repository that the client works on.
    pub(crate) fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Clients leave reports of errors in the directory for temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// A command with nothing of our own environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        let programs = self.clients.join("node_modules/.bin");
        let system = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("TMPDIR", self.temporary())
            .env("PATH", format!("{}:{system}", programs.display()))
            .env("LANG", "C.UTF-8")
            .envs(self.client.environment(&self.model.url()))
            .current_dir(self.work())
            .stdin(Stdio::null());
        command
    }

    /// Has the client work on a prompt, to its own end.
    pub(crate) fn prompt(&self, prompt: &str) -> Ended {
        self.run(self.alone(prompt))
    }

    /// The client by itself.
    pub(crate) fn alone(&self, prompt: &str) -> Command {
        let mut command = self.command(self.client.program());
        command.args(self.client.arguments(prompt));
        command
    }

    /// A loop of fusebox around the client, which may do everything, with
    /// these options.
    pub(crate) fn supervised(&self, options: &[&str]) -> Command {
        let mut command = self.restrained(options);
        command.arg("--permissions=everything");
        command
    }

    /// The same around a client that may do what it may do by itself.
    pub(crate) fn restrained(&self, options: &[&str]) -> Command {
        let mut command = self.fusebox(&["run", "--json", "--agent", self.client.program()]);
        command.arg(format!("--prompt={TASK}")).args(options);
        command
    }

    /// The same around the command line that a person would type.
    pub(crate) fn typed(&self, options: &[&str]) -> Command {
        let mut command = self.fusebox(&["run", "--json"]);
        command.args(options).arg("--").arg(self.client.program());
        command.args(self.client.arguments("Do the next task."));
        command
    }

    pub(crate) fn fusebox(&self, words: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_fusebox"));
        command.args(words);
        command
    }

    /// What the command that was started last has said to people so far.
    pub(crate) fn told(&self) -> String {
        let told = fs::read(self.root.path().join("stderr")).unwrap();
        String::from_utf8_lossy(&told).into_owned()
    }

    /// Runs a command to its end. Its output goes to files: what a client
    /// leaves running must not keep us reading from a pipe.
    pub(crate) fn run(&self, command: Command) -> Ended {
        let child = self.start(command);
        self.end_of(child)
    }

    pub(crate) fn start(&self, mut command: Command) -> Child {
        let file = |name| File::create(self.root.path().join(name)).unwrap();
        let started = command
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn();
        started.unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// Waits for a command that was started here.
    pub(crate) fn end_of(&self, mut child: Child) -> Ended {
        let ended = within(PATIENCE, || child.try_wait().unwrap());
        let read = |name| fs::read(self.root.path().join(name)).unwrap();
        let stdout = String::from_utf8_lossy(&read("stdout")).into_owned();
        let stderr = String::from_utf8_lossy(&read("stderr")).into_owned();
        // What is still running then ends with the namespace.
        let Some(status) = ended else {
            panic!("no end after {PATIENCE:?}\n{stdout}\n{stderr}");
        };
        Ended {
            status,
            stdout,
            stderr,
        }
    }
}

/// Asks again and again, until there is an answer or patience ends.
pub(crate) fn within<T>(patience: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + patience;
    loop {
        let answer = ask();
        if answer.is_some() || Instant::now() >= deadline {
            return answer;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

impl Ended {
    /// The events that the client told, all of them JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:?}"));
        self.stdout.lines().map(parse).collect()
    }

    /// What a loop of fusebox says at its end.
    pub(crate) fn summary(&self) -> Value {
        let last = self.events().pop();
        let summary = last.filter(|event| event["event"] == "ended");
        summary.unwrap_or_else(|| panic!("{self:?}"))
    }
}
