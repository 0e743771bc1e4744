//! The guard through the command line: nothing is executed, everything is answered.

use std::fs;

use crate::context::TestContext;

#[test]
fn req_004_071_to_073_a_command_is_judged_and_not_run() {
    let context = TestContext::new();
    let root = context.work();
    fs::create_dir_all(root.join("specs")).unwrap();
    fs::write(root.join("specs/a.md"), "a").unwrap();
    let check = |command: &str| context.fusebox(&["guard", "check", command]).run();
    check("rm -rf build").expect(0);
    check("D=spe; rm -rf ${D}cs").expect(5);
    let told = context
        .fusebox(&["guard", "explain", "--json", "rm -rf build specs"])
        .run()
        .expect(5)
        .json();
    assert_eq!(told["verdict"], "block");
    assert_eq!(told["affected"].as_array().map(Vec::len), Some(2));
    assert_eq!(told["protected"][0]["rule"], "specs");
    assert!(root.join("specs/a.md").exists());
    context.fusebox(&["guard", "check"]).run().expect(2);
}

#[test]
fn a_table_is_judged_line_by_line() {
    let context = TestContext::new();
    fs::write(context.work().join("CLAUDE.md"), "x").unwrap();
    let table = context.work().join("cases.tsv");
    fs::write(
        &table,
        "block\trm CLAUDE.md\tn\nallow\tls\\nls\tn\nblock\tls\tn\n",
    )
    .unwrap();
    let table = table.to_str().unwrap();
    let judged = context
        .fusebox(&["guard", "check", "--batch", table])
        .run()
        .expect(0);
    assert_eq!(
        String::from_utf8_lossy(&judged.stdout),
        "block\trm CLAUDE.md\nallow\tls\\nls\nallow\tls\nblock 1/2 allow 1/1\n"
    );
}
