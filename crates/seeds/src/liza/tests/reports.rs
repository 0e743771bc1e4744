//! The report, as it is printed and as it is made.

use std::collections::BTreeSet;

use fusebox_core::patterns::{AnomalyKind, PatternRules, analyse};

use super::super::{Board, Finding, report};
use super::{BOARD, trigger};

const REPORT_TEXT: &str = r"# Circuit Breaker Report

**Triggered:** 2025-01-18T17:30:00Z
**Pattern:** retry_cluster
**Severity:** ARCHITECTURE_FLAW

## Trigger Evidence
| Task | Anomaly | Error Pattern |
|-------|---------|---------------|
| task-3 | retry_loop | serialization failure on nested entity |
| task-5 | retry_loop | serialization failure on nested entity |
| task-5 | retry_loop | serialization failure on nested entity |

**Common factor:** serialization failure on nested entity

## Affected Artifacts
| Artifact | Issue |
|----------|-------|
| `specs/data-model.md` | Silent on nesting |

## Recommended Actions
1. HALT current sprint (done)
2. CREATE ADR for serialization failure on nested entity
3. UPDATE specs/data-model.md
4. REASSESS affected tasks
5. RESUME after artifacts updated

Layer affected: How we're building. Remediation scope: Pause, new ADR, possible refactor.

## Human Decision Required
- [ ] Acknowledge report
- [ ] Confirm severity assessment
- [ ] Assign ADR creation
- [ ] Release checkpoint with decision logged
";

#[test]
fn req_002_062_to_067_and_d_014_the_report_has_the_printed_shape_and_invents_nothing() {
    let mut board = Board::read(BOARD).unwrap();
    board.anomalies.truncate(1);
    board.anomalies[0].details.spec_ref = Some("specs/data-model.md".into());
    board.anomalies[0].details.root_cause_hypothesis = Some("Silent on nesting".into());
    for n in 1..3 {
        let mut next = board.anomalies[0].clone();
        (next.task, next.at_ms) = ("task-5".into(), next.at_ms + n);
        board.anomalies.push(next);
    }
    let analysis = analyse(
        &board.anomalies,
        None,
        &BTreeSet::new(),
        &PatternRules::default(),
    );
    let finding = Finding {
        matches: analysis.matches(),
        judgement: None,
    };
    assert_eq!(report(&trigger(), &finding), REPORT_TEXT);
}

#[test]
fn req_002_088_every_pattern_stands_in_the_report_and_no_text_leaves_its_cell() {
    let mut board = Board::read(BOARD).unwrap();
    board.anomalies = vec![board.anomalies[2].clone(), board.anomalies[2].clone()];
    board.anomalies[0].details.assumption = Some("a | b\\| c\n# <b>`x`".into());
    board.anomalies[1].details.assumption = board.anomalies[0].details.assumption.clone();
    for task in ["t1", "t2"] {
        let mut blocked = board.anomalies[0].clone();
        blocked.task = task.into();
        blocked.kind = AnomalyKind::ExternalBlocker;
        blocked.details.blocker_service = Some("payments".into());
        board.anomalies.push(blocked);
    }
    let analysis = analyse(
        &board.anomalies,
        None,
        &BTreeSet::new(),
        &PatternRules::default(),
    );
    let finding = Finding {
        matches: analysis.matches(),
        judgement: None,
    };
    let text = report(&trigger(), &finding);
    assert!(
        text.contains("| external_service_outage | EXTERNAL_DEPENDENCY | 2 | payments |"),
        "{text}"
    );
    assert!(
        text.contains("**Common factor:** a \\| b\\\\\\| c # &lt;b>'x'\n"),
        "{text}"
    );
    let by_hand = Finding {
        matches: Vec::new(),
        judgement: Some("two exact and one alike"),
    };
    assert!(
        report(&trigger(), &by_hand)
            .contains("| - | triggered by a person | two exact and one alike |")
    );
}
