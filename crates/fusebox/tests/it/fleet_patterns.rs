//! The thresholds of a fleet's patterns, in a directory and on a server.

use serde_json::json;

use crate::context::{KEY, TestContext};
use crate::fleet_views::prepared;

#[test]
fn thresholds_of_patterns_are_shown_and_set_and_only_a_person_relaxes_them() {
    let context = TestContext::new();
    context.hold_key();
    let directory = context.path("fleet");
    let local = format!("file://{}", directory.display());
    context
        .fusebox(&["fleet", "init", "--fleet", &local])
        .run()
        .expect(0);
    let mut urls = vec![local];
    urls.extend(prepared(&context));
    for url in &urls {
        let pattern = |args: &[&str]| {
            let args = [&["fleet", "pattern", "--fleet", url], args].concat();
            context.fusebox(&args)
        };
        let all = pattern(&[]).run().expect(0).out();
        assert_eq!(all.lines().count(), 8, "{all}");
        assert!(
            all.contains("error_cluster            3 within 1 d, halts the repository"),
            "{all}"
        );
        let tighter = ["error_cluster", "--threshold", "2", "--within", "2d"];
        pattern(&tighter)
            .run()
            .expect(0)
            .says("error_cluster: 2 within 2 d, halts the repository");
        let data = pattern(&["error_cluster", "--json"]).run().expect(0).json();
        assert_eq!(
            (&data[0]["threshold"], &data[0]["span_ms"]),
            (&json!(2), &json!(172_800_000))
        );
        // To see less is to let more through.
        for looser in [
            &["error_cluster", "--threshold", "3"][..],
            &["error_cluster", "--within", "1h"],
            &["error_cluster", "--halts", "false"],
        ] {
            pattern(looser).run().expect(5);
            pattern(looser)
                .env("FUSEBOX_OPERATOR_KEY", KEY)
                .run()
                .expect(0);
        }
        let told = pattern(&["error_cluster"]).run().expect(0).out();
        assert!(told.contains("3 within 1 h, halts nobody"), "{told}");
        pattern(&["no_such"]).run().expect(2).says("retry_cluster");
        pattern(&["error_cluster", "--within", "90d"])
            .run()
            .expect(2);
        pattern(&["error_cluster", "--threshold", "1"])
            .run()
            .expect(2);
    }
}
