//! The words that patterns and severities carry.

use fusebox_core::patterns::Pattern::{
    AssumptionCascade, DebtAccumulation, ExternalServiceOutage, RetryCluster, SpecGapCluster,
    WorkaroundPattern,
};
use fusebox_core::patterns::{Pattern, PatternRules, Severity};

#[test]
fn req_002_038_and_050_to_056_patterns_and_severities_carry_their_words() {
    for (pattern, name, condition, description, severity) in [
        (
            RetryCluster,
            "retry_cluster",
            "count(type=retry_loop, similar(error_pattern)) >= 3",
            "Same error type recurring across tasks",
            "ARCHITECTURE_FLAW",
        ),
        (
            DebtAccumulation,
            "debt_accumulation",
            "count(type=trade_off, debt_created=true) >= 3",
            "Multiple trade-offs creating debt",
            "SCOPE_FLAW",
        ),
        (
            AssumptionCascade,
            "assumption_cascade",
            "count(type=assumption_violated, same(assumption)) >= 2",
            "Same assumption failing across tasks",
            "SPEC_FLAW",
        ),
        (
            WorkaroundPattern,
            "workaround_pattern",
            "count(type IN [workaround, trade_off], similar(root_cause)) >= 2",
            "Multiple workarounds for similar issues",
            "ARCHITECTURE_FLAW",
        ),
        (
            SpecGapCluster,
            "spec_gap_cluster",
            "count(type=spec_ambiguity, same(spec_ref)) >= 2",
            "Multiple tasks hitting spec ambiguity",
            "SPEC_FLAW",
        ),
        (
            ExternalServiceOutage,
            "external_service_outage",
            "count(type=external_blocker, same(blocker_service)) >= 2",
            "Same external service blocking multiple tasks",
            "EXTERNAL_DEPENDENCY",
        ),
    ] {
        let usual = PatternRules::default().threshold(pattern);
        assert_eq!(pattern.condition(usual), condition);
        assert_eq!((pattern.name(), pattern.description()), (name, description));
        assert_eq!(pattern.severity().name(), severity);
        assert_eq!(serde_json::to_value(pattern).unwrap(), name);
    }
    let rows: Vec<_> = Severity::ALL
        .iter()
        .map(|s| (s.name(), s.layer(), s.scope()))
        .collect();
    assert_eq!(
        rows,
        [
            (
                "VISION_FLAW",
                "Why we're building",
                "Stop, revisit goal and brief"
            ),
            (
                "SCOPE_FLAW",
                "What we're building (MVP)",
                "Pause, revise PRD/requirements"
            ),
            ("SPEC_FLAW", "Requirements detail", "Pause, update specs"),
            (
                "ARCHITECTURE_FLAW",
                "How we're building",
                "Pause, new ADR, possible refactor"
            ),
            (
                "TECH_STACK_FLAW",
                "Tools/frameworks",
                "Spike needed, possible tech pivot"
            ),
            (
                "EXTERNAL_DEPENDENCY",
                "External services",
                "Halt sprint — external issue, not agent problem; wait or escalate"
            ),
        ]
    );
    let by_rule: Vec<Severity> = Pattern::ALL.map(Pattern::severity).to_vec();
    assert!(
        !by_rule.contains(&Severity::VisionFlaw) && !by_rule.contains(&Severity::TechStackFlaw)
    );
    for severity in Severity::ALL {
        assert_eq!(serde_json::to_value(severity).unwrap(), severity.name());
    }
}
