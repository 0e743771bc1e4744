//! A real browser, driven over the pipe that it offers for that.
//!
//! Chromium reads commands from file 3 and writes answers to file 4, each a JSON
//! object that ends with a zero byte. That is all there is to it, so no driver has to
//! be installed that fits the browser.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

use crate::call::AGES;
use crate::context::TestContext;

/// Without these it looks for its makers' servers, or for a user that is not root.
const FLAGS: [&str; 14] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    // A name of somebody else that leads here, as after a rebinding.
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
];

/// How the window is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) name: &'static str,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
}

/// A browser with one page; both end with it.
pub(crate) struct Browser {
    child: Child,
    commands: File,
    answers: Receiver<Value>,
    session: String,
    count: u64,
    /// What the page complained about, and what it tried to show.
    pub(crate) complaints: Vec<String>,
}

impl Browser {
    /// `None`, with a word about it, where there is no browser.
    pub(crate) fn start(context: &TestContext) -> Option<Self> {
        let program = ["chromium", "chromium-browser", "google-chrome"]
            .into_iter()
            .find(|name| is_on_path(name));
        let Some(program) = program else {
            eprintln!("SKIPPED: no Chromium is installed; `cargo xtask test` installs it");
            return None;
        };
        let (inward, outward) = (context.path("to-browser"), context.path("from-browser"));
        for path in [&inward, &outward] {
            let made = Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        }
        let profile = format!("--user-data-dir={}", context.path("browser").display());
        let script = r#"i=$1 o=$2; shift 2; exec "$@" 3<"$i" 4>"$o""#;
        let child = Command::new("sh")
            .args(["-c", script, "sh"])
            .args([&inward, &outward])
            .arg(program)
            .args(FLAGS)
            .args(["--remote-debugging-pipe", &profile, "about:blank"])
            .env("HOME", context.path("home"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = File::options().write(true).open(&inward).unwrap();
        let answers = listen(File::open(&outward).unwrap());
        let mut browser = Self {
            child,
            commands,
            answers,
            session: String::new(),
            count: 0,
            complaints: Vec::new(),
        };
        browser.take_page();
        Some(browser)
    }

    fn take_page(&mut self) {
        let made = self.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": made["targetId"], "flatten": true});
        let attached = self.call("Target.attachToTarget", &attach);
        self.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
    }

    /// Sends a command and waits for its answer.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.count += 1;
        let mut command = json!({"id": self.count, "method": method, "params": params});
        if !self.session.is_empty() {
            command["sessionId"] = json!(self.session);
        }
        self.commands
            .write_all(format!("{command}\0").as_bytes())
            .unwrap();
        loop {
            let answer = self.answers.recv_timeout(AGES).unwrap();
            if answer["id"] == self.count {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.hear(&answer);
        }
    }

    /// Keeps what a page should never say.
    fn hear(&mut self, event: &Value) {
        let params = &event["params"];
        let complaint = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => &params["exceptionDetails"],
            "Log.entryAdded" if params["entry"]["level"] == "error" => &params["entry"],
            "Page.javascriptDialogOpening" => params,
            _ => return,
        };
        self.complaints.push(complaint.to_string());
    }

    pub(crate) fn resize(&mut self, window: Window) {
        let scheme = if window.dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", &media);
        let metrics = json!({"width": window.width, "height": window.height,
            "deviceScaleFactor": 1, "mobile": window.width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    pub(crate) fn open(&mut self, address: &str) {
        self.call("Page.navigate", &json!({"url": address}));
    }

    /// What an expression comes to in the page.
    #[track_caller]
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let came = self.call("Runtime.evaluate", &params);
        let thrown = &came["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        came["result"]["value"].clone()
    }

    /// Waits until an expression is true in the page.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.eval(&format!("Boolean({expression})")) != true {
            if begun.elapsed() > AGES {
                let page = self.eval("document.body.innerText");
                panic!(
                    "{expression} never came about: {page}; {:?}",
                    self.complaints
                );
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub(crate) fn wait_to_see(&mut self, text: &str) {
        let text = json!(text);
        self.wait_for(&format!("document.body?.innerText.includes({text})"));
    }

    /// Goes to a page of ours and waits until it stands there.
    #[track_caller]
    pub(crate) fn visit(&mut self, hash: &str) {
        let went = format!(
            "document.getElementById('view').replaceChildren(); location.hash === {0} ? dispatchEvent(new Event('hashchange')) : location.hash = {0};",
            json!(hash)
        );
        self.eval(&went);
        self.wait_for("document.querySelector('main h1')");
    }

    /// Types into a field and presses a button of the form that holds it.
    #[track_caller]
    pub(crate) fn fill(&mut self, name: &str, text: &str) {
        let field = format!("document.querySelector('main [name=\"{name}\"]')");
        self.wait_for(&field);
        self.eval(&format!("{field}.focus(); {field}.value = ''"));
        self.call("Input.insertText", &json!({"text": text}));
    }

    #[track_caller]
    pub(crate) fn press(&mut self, button: &str) {
        let found = format!(
            "[...document.querySelectorAll('main button')].find((one) => one.textContent === {})",
            json!(button)
        );
        self.wait_for(&found);
        self.eval(&format!("{found}.click()"));
    }

    /// A picture of the whole page, for whoever wants to see it.
    pub(crate) fn picture(&mut self, path: &Path) {
        let params = json!({"format": "png", "captureBeyondViewport": true});
        let taken = self.call("Page.captureScreenshot", &params);
        let bytes = base64::prelude::BASE64_STANDARD
            .decode(taken["data"].as_str().unwrap())
            .unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// What a check of accessibility finds wrong with the page; `None` where there is
    /// no such check.
    pub(crate) fn accessibility(&mut self) -> Option<Vec<String>> {
        let source = std::fs::read_to_string(axe()?).ok()?;
        if self.eval("typeof axe") == "undefined" {
            self.eval(&format!("{source}; 0"));
        }
        let found = self.eval(
            "axe.run().then((found) => found.violations.map((one) => \
             `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).slice(0, 3).join(' ')}`))",
        );
        let found = found.as_array().unwrap().iter();
        Some(found.map(|one| one.as_str().unwrap().to_owned()).collect())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(answers: File) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut answers = BufReader::new(answers);
        let mut bytes = Vec::new();
        while answers
            .read_until(0, &mut bytes)
            .is_ok_and(|count| count > 0)
        {
            bytes.pop();
            let answer = serde_json::from_slice(&bytes).unwrap();
            if sender.send(answer).is_err() {
                return;
            }
            bytes.clear();
        }
    });
    receiver
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// Where `cargo xtask test` puts the check.
fn axe() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = set("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&set("HOME")?).join(".cache")))?;
    let file = cache.join("fusebox-browser/node_modules/axe-core/axe.min.js");
    if file.is_file() {
        return Some(file);
    }
    eprintln!("skipped in part: no axe-core at {}", file.display());
    None
}
