//! What is said of a file that cannot be read.

use super::{file, told, variables};
use crate::config::layer::Source;

#[test]
fn everything_that_is_wrong_is_told_at_once_with_the_place_and_a_way_out() {
    let text = "presett = \"native\"\n\
                [stagnation]\n\
                treshold = 3\n\
                threshold = 100\n\
                [signals.no_progres]\n\
                trip = 3\n\
                [signals]\n\
                drift = 7\n\
                [limits.calls]\n\
                window = 60\n\
                [recovery]\n\
                timeout = \"5m\"\n\
                probes = 2.5\n";
    let expected = "\
error: `presett` is not a key of this file
 --> user.toml:1:1
  |
1 | presett = \"native\"
  | ^^^^^^^
hint: did you mean `preset`?
error: `treshold` is not a key of `[stagnation]`
 --> user.toml:3:1
  |
3 | treshold = 3
  | ^^^^^^^^
hint: did you mean `threshold`?
error: `stagnation.threshold` must be a whole number from 1 to 99
 --> user.toml:4:13
  |
4 | threshold = 100
  |             ^^^
error: `no_progres` is not a key of `[signals]`
 --> user.toml:5:10
  |
5 | [signals.no_progres]
  |          ^^^^^^^^^^
hint: did you mean `no_progress`?
error: `signals.drift` is a table, not an integer
 --> user.toml:8:9
  |
8 | drift = 7
  |         ^
error: `limits.calls.window` must be a time in quotes, such as \"90s\", \"30m\" or \"2h\"
  --> user.toml:10:10
   |
10 | window = 60
   |          ^^
error: `timeout` is not a key of `[recovery]`
  --> user.toml:12:1
   |
12 | timeout = \"5m\"
   | ^^^^^^^
hint: did you mean `run.timeout`?
error: `recovery.probes` must be a whole number from 1 to 1000
  --> user.toml:13:10
   |
13 | probes = 2.5
   |          ^^^";
    let told = told(&file(Source::User, text).unwrap_err());
    assert_eq!(told, expected, "{told}");
}

#[test]
fn each_kind_of_value_says_what_it_wants() {
    for (source, text, what) in [
        (
            Source::User,
            "preset = \"nativ\"",
            "`preset` must be one of \"native\", \"cub\", \"prp\", \"liza\", \"bmad\", \"superkit\"",
        ),
        (
            Source::User,
            "operator_key_sha256 = \"12\"",
            "`operator_key_sha256` must be 64 hexadecimal digits in quotes",
        ),
        (
            Source::Project,
            "operator_key_sha256 = \"12\"",
            "`operator_key_sha256` may not be set by a repository",
        ),
        (
            Source::User,
            "stagnation.action = \"shrug\"",
            "`stagnation.action` must be one of \"alert\", \"escalate\", \"pause\", \"abort\"",
        ),
        (
            Source::User,
            "signals.drift.enabled = 1",
            "`signals.drift.enabled` must be true or false",
        ),
        (
            Source::User,
            "limits.money.limit_usd = -1.5",
            "`limits.money.limit_usd` must be an amount of US dollars, such as 5 or 2.50",
        ),
        (
            Source::User,
            "retention.bytes = \"1MB\"",
            "`retention.bytes` must be a size in quotes, such as \"64MB\" or \"1GB\", of at least 16MB",
        ),
        (
            Source::User,
            "state_dir = \"/tmp\"",
            "`state_dir` is not a key of this file",
        ),
        (
            Source::Project,
            "run.command = \"rm\"",
            "`command` is not a key of `[run]`",
        ),
    ] {
        assert_eq!(file(source, text).unwrap_err().what, what);
    }
    let wrong = variables(&[("FUSEBOX_TIMEOUT", "soon")]).unwrap_err();
    assert_eq!(
        told(&wrong),
        "error: FUSEBOX_TIMEOUT is `soon`, and must be a time, such as 90s, 30m or 2h"
    );
}

#[test]
fn a_file_that_is_not_toml_is_shown_where_it_stops_to_be() {
    let broken = file(Source::User, "[stagnation]\nthreshold = \naction \n").unwrap_err();
    let told = told(&broken);
    assert!(told.contains("user.toml:2:13"), "{told}");
    assert!(told.contains("user.toml:3:8"), "{told}");
    let twice = file(Source::User, "preset = \"cub\"\npreset = \"cub\"\n").unwrap_err();
    assert_eq!(twice.what, "duplicate key");
}

#[test]
fn hostile_text_is_bounded_in_depth_and_in_complaints() {
    let deep = format!("x = {}", "[".repeat(30_000));
    assert!(file(Source::Project, &deep).is_err());
    let dots = format!("{}x = 1", "a.".repeat(20_000));
    assert!(file(Source::Project, &dots).is_err());
    let many: String = (0..5_000).map(|n| format!("k{n} = 1\n")).collect();
    let failure = file(Source::Project, &many).unwrap_err();
    assert_eq!(failure.also.len(), 20);
    assert_eq!(
        failure.also[19].what,
        "4980 more complaints about the same file are not shown"
    );
}
