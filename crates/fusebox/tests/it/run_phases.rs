//! Phases where `run` measures them itself.

use serde_json::json;

use crate::context::TestContext;
use crate::phases::Phased;

/// An agent that says which phase it is in; the suite passes as many tests as
/// the file says.
const IN_GREEN: &str = "printf -- '---PRP_PHASE_STATUS---\\nPHASE: GREEN\\nSTATUS: IN_PROGRESS\\n\
    EXIT_SIGNAL: false\\n---END_PRP_PHASE_STATUS---\\n'";

#[test]
fn req_001_046_to_047_and_109_a_run_measures_what_a_phase_gains() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let it = Phased { context };
    let run = |script: &str, most: &str| {
        let options = [
            "--preset",
            "prp",
            "--skip-preflight",
            "--max-iterations",
            most,
        ];
        let suite = ["--test", "cat ../suite; exit 1"];
        let script = format!("{script}; {IN_GREEN}");
        it.context
            .supervise(&[&options[..], &suite].concat(), &script)
            .run()
    };
    let gains = "echo \"==== $((9 - FUSEBOX_ITERATION)) failed, $FUSEBOX_ITERATION passed in 0.1s ====\" > ../suite";
    run(gains, "4").expect(45);
    let file = it.json();
    let green = &file["last_progress_metric"]["GREEN"];
    assert_eq!(
        (&file["state"], &green["tests_passing"]),
        (&json!("CLOSED"), &json!(4)),
        "{file}"
    );
    // Files change and the agent is full of hope, but no further test passes.
    let busy = "echo $FUSEBOX_ITERATION >> a.txt";
    run(busy, "9")
        .expect(43)
        .says("CIRCUIT OPEN: Execution halted after 2 no-progress iterations");
}

#[test]
fn req_001_053_and_087_and_109_only_what_the_phase_gains_is_called_progress() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--json", "--preset", "prp", "--max-iterations", "2"];
    let run = context.supervise(&options, "echo $FUSEBOX_ITERATION >> a.txt");
    let ended = run.run().expect(45).json_lines();
    let ended = ended.last().expect("how it ended");
    assert_eq!(
        (&ended["iterations"], &ended["with_progress"]),
        (&json!(2), &json!(0)),
        "{ended}"
    );
}
