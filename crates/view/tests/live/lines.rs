//! The lines themselves.

use fusebox_core::circuit::State;
use fusebox_core::decision::{Denial, DeniedBy, Gate, Risk};
use fusebox_view::escape::columns;
use fusebox_view::glyphs::Glyphs;
use fusebox_view::live::{Activity, LiveView, Paint};
use proptest::prelude::*;

use crate::sample::{PLAIN, calls, working};

#[test]
fn what_matters_most_stays_at_every_width() {
    for (widths, expected) in [
        (
            &[120, 80][..],
            "\
◐ WATCHING · iteration 7 of 20 · 2 min 14 s · Claude Code · sonnet
  Bash cargo test --workspace --no-fail-fast
  risk MEDIUM · ▆█▅▂▁ · 1 file changed · last change in iteration 5
  88 of 100 calls left · $0.42 · 48.2k tokens",
        ),
        (
            &[60],
            "\
◐ WATCHING · iteration 7 of 20 · 2 min 14 s · Claude Code
  Bash cargo test --workspace --no-fail-fast
  risk MEDIUM · ▆█▅▂▁ · 1 file changed
  88 of 100 calls left · $0.42 · 48.2k tokens",
        ),
        (
            &[40],
            "\
◐ WATCHING · iteration 7 of 20 · sonnet
  Bash cargo test --workspace --no-fai…
  risk MEDIUM · ▆█▅▂▁ · 1 file changed
  88 of 100 calls left · $0.42",
        ),
    ] {
        for &width in widths {
            let lines = working().render(width, PLAIN).join("\n");
            assert_eq!(lines, expected, "{width} columns");
        }
    }
}

#[test]
fn without_unicode_the_shapes_are_letters() {
    let mut view = working();
    view.activity = Activity::Tool {
        name: "Write".into(),
        argument: "日本語.txt ".repeat(20),
    };
    let ascii = Paint {
        colour: false,
        glyphs: Glyphs::Ascii,
    };
    let lines = view.render(50, ascii);
    assert_eq!(
        lines.join("\n"),
        "\
! WATCHING | iteration 7 of 20 | 2 min 14 s
  Write ???.txt ???.txt ???.txt ???.~
  risk MEDIUM | *@+:. | 1 file changed
  88 of 100 calls left | $0.42 | 48.2k tokens"
    );
}

#[test]
fn calls_are_counted_down() {
    for (left, near, expected) in [
        (88, false, "  88 of 100 calls left"),
        (12, true, "  12 of 100 calls left, nearly used up"),
        (0, true, "  0 of 100 calls left, next in 12 min 34 s"),
    ] {
        let view = LiveView {
            calls: Some(calls(left, near)),
            micro_usd: None,
            tokens: None,
            ..working()
        };
        assert_eq!(view.render(80, PLAIN)[3], expected);
    }
}

#[test]
fn waiting_counts_down() {
    let view = LiveView {
        activity: Activity::Waiting {
            until_ms: 1_700_000_000_000 + 29 * 60_000,
            why: "the vendor's limit resets".into(),
        },
        ..working()
    };
    assert_eq!(
        view.render(80, PLAIN)[1],
        "  waiting until 22:42:20Z (in 29 min) · the vendor's limit resets"
    );
    let denied = Gate::Deny(Denial {
        by: DeniedBy::CallLimit,
        retry_at_ms: None,
    });
    let view = LiveView {
        gate: denied,
        ..view
    };
    let head = &view.render(80, PLAIN)[0];
    assert!(
        head.contains("waiting") && !head.contains("stopped"),
        "{head}"
    );
}

#[test]
fn a_plain_command_that_tells_nothing_takes_three_lines() {
    let view = LiveView {
        state: State::Closed,
        label: "CLOSED",
        of: None,
        activity: Activity::Starting,
        risk: Risk::Low,
        files: None,
        tokens: None,
        micro_usd: None,
        calls: None,
        scores: Vec::new(),
        last_change: None,
        agent: None,
        model: None,
        ..working()
    };
    assert_eq!(
        view.render(80, PLAIN),
        [
            "● CLOSED · iteration 7 · 2 min 14 s",
            "  starting",
            "  risk LOW · no change yet"
        ]
    );
}

#[test]
fn colours_come_on_top_of_the_same_words() {
    let view = LiveView {
        gate: Gate::AllowOnce,
        risk: Risk::High,
        ..working()
    };
    let coloured = Paint {
        colour: true,
        ..PLAIN
    };
    let painted = view.render(80, coloured).join("\n");
    assert!(
        painted.contains("\u{1b}[31mrisk HIGH\u{1b}[0m"),
        "{painted:?}"
    );
    let mut stripped = painted;
    for sequence in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[33m"] {
        stripped = stripped.replace(sequence, "");
    }
    assert_eq!(stripped, view.render(80, PLAIN).join("\n"));
}

proptest! {
    #[test]
    fn no_line_reaches_the_edge_or_acts_on_the_terminal(
        width in 0_usize..200,
        name in any::<String>(),
        argument in "(?s).{0,300}",
        scores in prop::collection::vec(any::<Option<i32>>(), 0..60),
        tokens in any::<u64>(),
    ) {
        let view = LiveView {
            agent: Some(name.clone()),
            activity: Activity::Tool { name, argument },
            scores,
            tokens: Some(tokens),
            ..working()
        };
        let lines = view.render(width, PLAIN);
        prop_assert!((2..=5).contains(&lines.len()));
        for line in lines {
            prop_assert!(columns(&line) < width.max(3), "{line:?} at {width}");
            prop_assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
}
