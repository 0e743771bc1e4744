//! The screen with all loops: what it shows, and what its keys do.

use std::fs;

use crate::call::wait_for;
use crate::context::TestContext;
use crate::terminal::Terminal;

/// A moment later than all that the loops below have lived through.
const TOP: &str = "FUSEBOX_NOW=2026-03-01T12:00:00Z $SETTABLE top";

/// Three loops with a past that never changes.
fn three_loops() -> TestContext {
    let context = TestContext::new();
    for name in ["api", "docs", "site"] {
        fs::create_dir_all(context.path(name)).unwrap();
        fs::write(context.path(name).join("fusebox.toml"), "").unwrap();
    }
    let stuck = r#"{"task": "T-12 fix the serializer", "files_changed": 0, "duration_ms": 65000,
        "tests": {"passed": 3, "failed": 2}, "usage": {"input_tokens": 1000, "cost_usd": 0.4},
        "errors": [{"type": "TypeError", "message": "x is undefined", "file": "src/a.js", "line": 42}]}"#;
    for (minute, code) in [(40, 0), (45, 0), (50, 42)] {
        let at = format!("2026-03-01T11:{minute}:00Z");
        let call = context
            .at(&at, &["record", "-"])
            .inside(context.path("api"));
        call.input(stuck).run().expect(code);
    }
    for (hour, files) in [("08", "1"), ("09", "3"), ("10", "2")] {
        let at = format!("2026-03-01T{hour}:00:00Z");
        let record = ["record", "--files-changed", files, "--no-errors"];
        context
            .at(&at, &record)
            .inside(context.path("docs"))
            .run()
            .expect(0);
    }
    let record = ["record", "--files-changed", "0", "--circuit", "nightly"];
    context
        .at("2026-02-27T12:00:00Z", &record)
        .inside(context.path("site"))
        .run()
        .expect(0);
    context
}

/// The screen without what differs from machine to machine.
fn seen(context: &TestContext, screen: &str) -> String {
    let place = context.path("").display().to_string();
    let screen = screen.replace(place.trim_end_matches('/'), "/PLACE");
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

#[test]
fn all_loops_stand_on_one_screen_of_80_by_24() {
    let context = three_loops();
    let Some(terminal) = Terminal::open_sized(&context, TOP, (80, 24)) else {
        return;
    };
    terminal.wait_for("q quit");
    let overview = "\
fusebox top · 3 loops · 0 running · 1 open · 2026-03-01T12:00:00Z
  STATE        RISK   RUN ITER   CHANGE SCORE    ERR CALLS     COST    LOOP
▶ ✖ OPEN       HIGH   no  3      none   █▁▁      1   100/100   $1.20   api
  ● CLOSED     LOW    no  3      2 h    ▄▄▄      0   100/100   -       docs
  ● CLOSED     MEDIUM no  1      none   ▄        ?   100/100   -       site:nigh










────────────────────────────────────────────────────────────────────────────────
where   /PLACE/api · circuit default
task    T-12 fix the serializer
why     No progress for 3 iterations
next    one trial iteration is allowed at 2026-03-01T12:20:00Z (in 20 min)
next    or a person investigates and runs `fusebox reset --reason …` in a separ…
error   TypeError: x is undefined
alert   no file modified in 3 or more iterations
up/down  enter open  p pause  c go on  t trip  r reset  s skip  a answer  q quit";
    assert_eq!(seen(&context, &terminal.visible()), overview);
    terminal.press("Enter");
    terminal.wait_for("TESTS");
    let detail = "\
fusebox top · 3 loops · 0 running · 1 open · 2026-03-01T12:00:00Z
✖ OPEN · /PLACE/api
No progress for 3 iterations
no progress          ██████████ 3 of 3  tripped
score                ██████████ -13 of -4  warning
repeated error       ██████░░░░ 3 of 5  warning
failed tasks         █████░░░░░ 1 of 2
task loops           █░░░░░░░░░ 3 of 20
unproven completion  ░░░░░░░░░░ 0 of 3
  iteration 1: no file changed
  iteration 2: no file changed
  iteration 3: no file changed
────────────────────────────────────────────────────────────────────────────────
  ITER   TIME         SCORE FILES TESTS     TOOK       COST     WHAT
▶ 3      11:50:00Z ✖  -5    0     3+ 2-     1 min 5 s  $0.40    No progress for
  2      11:45:00Z ◐  -5    0     3+ 2-     1 min 5 s  $0.40    TypeError: x is
  1      11:40:00Z ●  -3    0     3+ 2-     1 min 5 s  $0.40    TypeError: x is






up/down iteration  d changes  p c t r s a x as in the list  esc back  q quit";
    assert_eq!(seen(&context, &terminal.visible()), detail);
    terminal.press("q");
    terminal.wait_for("[exit 0]");
}

#[test]
fn req_004_049_to_051_calls_are_counted_down_to_the_next_one() {
    let context = three_loops();
    let take = |calls: &str| {
        let args = ["limit", "take", calls];
        let call = context.at("2026-03-01T11:59:59Z", &args);
        call.inside(context.path("docs")).run().expect(0);
    };
    take("85");
    let Some(terminal) = Terminal::open_sized(&context, TOP, (80, 24)) else {
        return;
    };
    terminal.wait_for("15/100!   -       docs");
    take("15");
    terminal.wait_for("in 59 min -       docs");
}

#[test]
fn it_fits_any_window_and_needs_no_colour() {
    let context = three_loops();
    let top = format!("{TOP} --color never");
    let Some(terminal) = Terminal::open_sized(&context, &top, (80, 24)) else {
        return;
    };
    terminal.wait_for("q quit");
    for (columns, rows, shown) in [
        (50, 14, "✖ OPEN       HIGH   no  3      none   api"),
        (30, 6, "terminal too small: 40 by 8"),
        (20, 5, "least; q quits"),
        (
            160,
            60,
            "runs `fusebox reset --reason …` in a separate terminal",
        ),
        (80, 24, "▶ ✖ OPEN       HIGH   no  3"),
    ] {
        terminal.resize(columns, rows);
        wait_for("the screen to fit", || {
            let screen = terminal.visible();
            let fits = screen
                .lines()
                .all(|line| line.chars().count() <= usize::from(columns));
            fits && screen.contains(shown)
        });
    }
    let dressed = terminal.dressed();
    for colour in ["31", "32", "33", "36"] {
        assert!(!dressed.contains(&format!("[{colour}m")), "{dressed}");
    }
}

#[test]
fn keys_trip_a_loop_and_nothing_happens_without_a_reason() {
    let context = three_loops();
    let Some(terminal) = Terminal::open_sized(&context, TOP, (80, 24)) else {
        return;
    };
    terminal.wait_for("q quit");
    terminal.press("Down");
    terminal.wait_for("▶ ● CLOSED     LOW");
    terminal.press("t");
    terminal.wait_for("open the breaker, because: _");
    terminal.press("Enter");
    terminal.press("Escape");
    terminal.wait_for("q quit");
    terminal.press("t");
    terminal.enter("--help me");
    terminal.wait_for("2 open");
    let asked = ["events", "--json"];
    let events = context.fusebox(&asked).inside(context.path("docs")).run();
    let last = events.expect(0).json_lines().pop().unwrap();
    assert_eq!(
        (&last["event"], &last["reason"]),
        (&"tripped".into(), &"--help me".into())
    );
    // What is not running cannot be paused, and says so.
    terminal.press("p");
    terminal.wait_for("no loop is running on circuit `default` here");
}

#[test]
fn a_running_loop_is_paused_and_its_changes_are_shown() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "printf 'three\\033[2J\\n' >> a.txt; touch ../started; while [ ! -e ../go ]; do sleep 0.05; done";
    let mut run = context
        .supervise(&["--max-iterations", "5", "--task", "T-7"], script)
        .start();
    wait_for("the agent to start", || context.path("started").exists());
    let Some(terminal) = Terminal::open_sized(&context, "$FUSEBOX top", (80, 24)) else {
        return;
    };
    terminal.wait_for("1 running");
    terminal.press("p");
    terminal.wait_for("will pause after this iteration");
    fs::write(context.path("go"), "").unwrap();
    run.wait_to_say("paused by request from another terminal");
    terminal.press("Enter");
    terminal.wait_for("T-7");
    terminal.press("d");
    // What the agent wrote into the file is shown, not obeyed.
    let screen = terminal.wait_for(r"+three\x1b[2J");
    assert!(screen.contains("iteration 1 · line 1 of"), "{screen}");
    terminal.press("Escape");
    terminal.press("x");
    terminal.wait_for("end the run after this iteration? y/n");
    terminal.press("y");
    run.finish().expect(143);
    terminal.wait_for("0 running");
}

#[test]
fn there_must_be_a_terminal() {
    let context = TestContext::new();
    context.fusebox(&["top"]).run().expect(6).complains_once();
}
