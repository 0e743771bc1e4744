//! Stand-ins for agents: small scripts that print the events of a real one,
//! found on a PATH of the test's own.

use std::fs;

use crate::call::Call;
use crate::context::TestContext;

/// What every stand-in for Claude Code begins with: it writes down how it was
/// called and what it was told, and has words for the events it may print. Texts
/// stand in JSON strings as they are.
const CLAUDE: &str = r#"#!/bin/sh
cat > "../told-$FUSEBOX_ITERATION"
printf '%s\n' "$*" >> ../calls
calls=0
begin() {
    printf '{"type":"system","subtype":"init","session_id":"s-1","model":"stand-in","tools":["Bash"]}\n'
}
say() {
    printf '{"type":"assistant","message":{"id":"m-%s","content":[{"type":"text","text":"%s"}]}}\n' "$calls" "$1"
}
use() {
    calls=$((calls + 1))
    printf '{"type":"assistant","message":{"id":"m-%s","content":[{"type":"tool_use","id":"t-%s","name":"%s","input":{"command":"%s"}}]}}\n' "$calls" "$calls" "$1" "$2"
}
answer() {
    printf '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-%s","is_error":%s,"content":"%s"}]}}\n' "$calls" "$1" "$2"
}
succeed() { use Bash "$1"; answer false "fine"; }
fail() { use Bash "$1"; answer true "$2"; }
be_denied() {
    use "$1" "$2"
    printf '{"type":"system","subtype":"permission_denied","tool_name":"%s","tool_use_id":"t-%s","message":"not in this mode"}\n' "$1" "$calls"
    answer true "not in this mode"
}
finish() {
    printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s-1","num_turns":1,"total_cost_usd":0.25,"modelUsage":{"stand-in":{"inputTokens":1000,"outputTokens":50,"cacheReadInputTokens":200,"cacheCreationInputTokens":0,"costUSD":0.25}}}\n' "$1"
}
break_off() {
    printf '{"type":"assistant","error":"%s","message":{"model":"<synthetic>","content":[{"type":"text","text":"%s"}]}}\n' "$1" "$3"
    printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":%s,"result":"%s","session_id":"s-1","total_cost_usd":0,"usage":{}}\n' "$2" "$3"
    exit 1
}
begin
"#;

/// Does nothing, and says so.
pub(crate) const IDLE: &str = "finish 'Nothing to do.'";
/// Adds a line to a file of the repository.
pub(crate) const WORK: &str = "echo $FUSEBOX_ITERATION >> a.txt; finish 'One line more.'";

impl TestContext {
    /// With a repository, and a `claude` that does what `script` says.
    pub(crate) fn with_claude(script: &str) -> Option<Self> {
        let context = Self::with_repository()?;
        context.script("claude", &format!("{CLAUDE}{script}\n"));
        Some(context)
    }

    /// The search path with the stand-ins first.
    pub(crate) fn search_path(&self) -> String {
        let usual = std::env::var("PATH").unwrap_or_default();
        format!("{}:{usual}", self.path("bin").display())
    }

    /// A call of `fusebox` that finds the stand-ins.
    pub(crate) fn among_stand_ins(&self, args: &[&str]) -> Call {
        self.fusebox(args).env("PATH", self.search_path())
    }

    /// A call that supervises the stand-in for Claude Code.
    pub(crate) fn run_claude(&self, options: &[&str]) -> Call {
        let mut args = vec!["run", "--agent", "claude", "--prompt", "Do the task."];
        args.extend(options);
        self.among_stand_ins(&args)
    }

    /// The arguments of every call of the stand-in so far.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.path("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// The models that were asked for, call by call.
    pub(crate) fn models(&self) -> Vec<String> {
        let model = |call: &String| {
            let mut words = call.split(' ').skip_while(|word| *word != "--model");
            words.nth(1).unwrap_or("none").to_owned()
        };
        self.calls().iter().map(model).collect()
    }

    /// What the stand-in was told in an iteration.
    pub(crate) fn told(&self, iteration: u64) -> String {
        fs::read_to_string(self.path(&format!("told-{iteration}"))).unwrap()
    }

    /// What the latest run kept of an iteration under that name.
    #[track_caller]
    pub(crate) fn kept(&self, iteration: u64, name: &str) -> Vec<u8> {
        let runs = fs::read_dir(self.store().workspace.join("runs")).unwrap();
        let latest = runs.map(|entry| entry.unwrap().path()).max().unwrap();
        let path = latest.join(format!("{iteration:06}")).join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}
