//! What keys do, and that every window can be drawn into.

use fusebox_core::machine::{self, Claim};
use fusebox_core::observation::{ErrorReport, FileChanges};
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};
use fusebox_view::glyphs::Glyphs;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::board::{Action, Board, Page, Question, Wish};
use crate::draw::{Paint, draw};
use crate::keys::Key;
use crate::picture::{Detail, Fleet, Iteration, Known, Loop, Standing, Worker};

const HOSTILE: &str = "\u{1b}[2J\u{202e}\u{7}one\ntwo";

/// A loop that stood still until it was stopped, with hostile words all over.
fn stuck(id: &str) -> (Loop, Detail) {
    let policy = Policy::native();
    let (mut circuit, mut iterations) = (Circuit::default(), Vec::new());
    let mut now = Moment::default();
    for minute in 1..=3 {
        now = Moment {
            wall_ms: minute * 60_000,
            boot_ms: minute.unsigned_abs() * 60_000,
            boot: BootId(1),
        };
        let facts = Observation {
            task: Some(HOSTILE.into()),
            files: Fact::Measured(FileChanges::default()),
            errors: Fact::Measured(vec![ErrorReport {
                message: HOSTILE.into(),
                ..ErrorReport::default()
            }]),
            ..Observation::default()
        };
        let step = machine::record(&circuit, &policy, facts, Claim::default(), &now);
        circuit = step.circuit;
        iterations.extend(circuit.rows.last().map(|row| Iteration {
            at_ms: now.wall_ms,
            row: row.clone(),
            task: Some(HOSTILE.into()),
            duration_ms: Some(1),
            micro_usd: Some(u64::MAX),
            state: circuit.state(),
            opened: circuit.core.phase.opening().cloned(),
        }));
    }
    let known = Known {
        decision: machine::status(&circuit, &policy, &now),
        policy,
        circuit,
        now_ms: now.wall_ms,
    };
    let one = Loop {
        id: id.into(),
        root: format!("/{HOSTILE}/{id}"),
        circuit: "default".into(),
        live: false,
        run: None,
        paused: false,
        standing: Standing::Known(Box::new(known)),
    };
    (one, Detail { iterations })
}

fn board() -> Board {
    let (known, detail) = stuck("a");
    let other = |id: &str, standing| Loop {
        id: id.into(),
        root: format!("/{id}"),
        standing,
        ..known.clone()
    };
    let busy = other("b", Standing::Busy);
    let unreadable = other("c", Standing::Unreadable(HOSTILE.into()));
    let mut board = Board::default();
    board.renew(vec![busy, unreadable, known]);
    board.detail = detail;
    board.changes = vec![format!("+{HOSTILE}"), "-gone".into(), String::new()];
    board.fleet = Some(fleet());
    board
}

/// A fleet of many, each with hostile words all over.
fn fleet() -> Fleet {
    let worker = Worker {
        host: HOSTILE.into(),
        repository: HOSTILE.into(),
        agent: Some(HOSTILE.into()),
        seen_ms: 200_000,
        tasks: vec![HOSTILE.into(), HOSTILE.into()],
    };
    Fleet {
        address: HOSTILE.into(),
        trouble: None,
        halts: vec![HOSTILE.into()],
        present: 40,
        workers: vec![worker; 40],
        rest: vec![("budget", HOSTILE.into()), ("lease", HOSTILE.into())],
    }
}

fn shown(board: &Board, columns: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    let paint = Paint {
        glyphs: Glyphs::Unicode,
        colour: true,
        now_ms: 240_000,
    };
    terminal.draw(|frame| draw(board, frame, paint)).unwrap();
    let buffer = terminal.backend().buffer();
    buffer.content().iter().map(|cell| cell.symbol()).collect()
}

#[test]
fn every_window_can_be_drawn_into_and_nothing_hostile_comes_through() {
    let mut board = board();
    let questions = [
        None,
        Some(Question::TripReason(HOSTILE.repeat(30))),
        Some(Question::Answer),
    ];
    let mut shown_with = 0;
    for page in [Page::Overview, Page::Detail, Page::Changes, Page::Fleet] {
        for question in &questions {
            board.page = page.clone();
            board.question.clone_from(question);
            for (columns, rows) in [
                (1, 1),
                (39, 30),
                (40, 8),
                (41, 9),
                (76, 12),
                (80, 24),
                (300, 90),
            ] {
                let screen = shown(&board, columns, rows);
                let hostile = |c: char| c.is_control() || c == '\u{202e}';
                assert!(!screen.contains(hostile), "{page:?} {columns}×{rows}");
                shown_with += 1;
            }
        }
    }
    println!("proof: texts {shown_with} on a screen");
    for empty in [Page::Overview, Page::Detail, Page::Changes, Page::Fleet] {
        let mut board = Board::default();
        board.page = empty;
        shown(&board, 80, 24);
    }
}

#[test]
fn what_needs_somebody_stands_on_top_and_stays_selected() {
    let mut board = board();
    let order: Vec<&str> = board.loops.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(order, ["a", "c", "b"]);
    assert_eq!(board.press(Key::Down), Wish::Look);
    assert_eq!(board.selected().map(|one| one.id.as_str()), Some("c"));
    // Another loop comes in, and one goes: the choice stays.
    let mut loops = board.loops.clone();
    loops.retain(|one| one.id != "a");
    loops.push(stuck("0").0);
    board.renew(loops);
    assert_eq!(board.selected().map(|one| one.id.as_str()), Some("c"));
    board.press(Key::PageDown);
    board.press(Key::PageDown);
    assert_eq!(board.index(), 2);
}

#[test]
fn keys_ask_for_what_they_say_and_only_after_a_confirmation() {
    let act = |action| Wish::Act(action);
    let reason = || "r".to_owned();
    let table: [(&[Key], Wish); 14] = [
        (&[Key::Char('t'), Key::Leave], Wish::Quit),
        (&[Key::Char('q')], Wish::Quit),
        (&[Key::Char('p')], act(Action::Pause)),
        (&[Key::Char('c')], act(Action::Resume)),
        (&[Key::Char('s')], Wish::Nothing),
        (&[Key::Char('s'), Key::Char('n')], Wish::Nothing),
        (&[Key::Char('s'), Key::Char('y')], act(Action::Skip)),
        (&[Key::Char('x'), Key::Char('y')], act(Action::Stop)),
        (&[Key::Char('t'), Key::Enter], Wish::Nothing),
        (
            &[Key::Char('t'), Key::Char('r'), Key::Enter],
            act(Action::Trip { reason: reason() }),
        ),
        (
            &[Key::Char('r'), Key::Char('r'), Key::Enter],
            act(Action::Reset { reason: reason() }),
        ),
        (
            &[Key::Char('a'), Key::Char('c'), Key::Char('r'), Key::Enter],
            act(Action::Reset { reason: reason() }),
        ),
        (
            &[Key::Char('t'), Key::Char('q'), Key::Escape],
            Wish::Nothing,
        ),
        (&[Key::Enter, Key::Char('d')], Wish::Changes),
    ];
    for (keys, expected) in table {
        let mut board = board();
        let mut wish = Wish::Nothing;
        for key in keys {
            wish = board.press(*key);
        }
        assert_eq!(wish, expected, "{keys:?}");
    }
    let mut nothing = Board::default();
    for key in "pctrsax".chars() {
        assert_eq!(nothing.press(Key::Char(key)), Wish::Nothing);
        assert_eq!(nothing.question, None);
    }
}

#[test]
fn every_page_has_a_way_back() {
    let mut board = board();
    board.press(Key::Enter);
    board.press(Key::Down);
    assert_eq!(board.iteration().map(|one| one.row.iteration), Some(2));
    board.press(Key::Char('d'));
    assert_eq!(board.page, Page::Changes);
    board.press(Key::PageDown);
    assert_eq!(board.scroll, 2);
    for page in [Page::Detail, Page::Overview, Page::Overview] {
        board.press(Key::Escape);
        assert_eq!(board.page, page);
    }
}

#[test]
fn a_fleet_leaves_room_for_the_loops_and_can_be_read_to_its_end() {
    let mut board = board();
    let screen = shown(&board, 80, 24);
    for here in ["fleet HALTED", "SEEN", "40 s", "OPEN", "where"] {
        assert!(screen.contains(here), "{here} in {screen}");
    }
    // What is wrong is said first.
    board.fleet.as_mut().unwrap().trouble = Some("not reachable since noon".into());
    assert!(shown(&board, 80, 24).contains("fleet not reachable since noon"));
    assert_eq!(board.press(Key::Char('f')), Wish::Nothing);
    assert_eq!(board.page, Page::Fleet);
    // Nothing there is asked of the loop that is selected behind it.
    for key in "ptrsaxc".chars() {
        assert_eq!(board.press(Key::Char(key)), Wish::Nothing);
        assert_eq!(board.question, None);
    }
    assert!(shown(&board, 80, 24).contains("budget"));
    for _ in 0..9 {
        board.press(Key::PageDown);
    }
    assert_eq!(board.scroll, 41);
    assert!(!shown(&board, 80, 24).contains("budget"));
    board.press(Key::Escape);
    assert_eq!(board.page, Page::Overview);
    board.fleet = None;
    board.press(Key::Char('f'));
    assert_eq!(board.page, Page::Overview);
}

#[test]
fn a_run_that_rests_is_not_shown_as_one_at_work() {
    let (mut one, _) = stuck("a");
    let told = "paused since 2026-03-01T12:00:00Z, waiting for `fusebox resume`";
    for (live, paused, run, sign) in [
        (true, false, None, "yes"),
        (true, true, Some(told), "||"),
        (false, false, Some("died without saying why"), "no"),
    ] {
        (one.live, one.paused) = (live, paused);
        one.run = run.map(str::to_owned);
        let mut board = Board::default();
        board.renew(vec![one.clone()]);
        let screen = shown(&board, 80, 24);
        assert!(screen.contains(&format!(" {sign} ")), "{screen}");
        assert_eq!(screen.contains("run     "), run.is_some(), "{screen}");
        assert!(run.is_none_or(|run| screen.contains(run)), "{screen}");
    }
}
