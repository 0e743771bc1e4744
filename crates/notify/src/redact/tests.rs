use super::*;
use proptest::prelude::*;

#[test]
fn secrets_go_and_what_stands_around_them_stays() {
    for (text, safe) in [
        (
            "key sk-ant-api03-abcdefghijklmnopqrstuvwx done",
            "key [redacted] done",
        ),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345.", "[redacted]."),
        ("(AKIAIOSFODNN7EXAMPLE)", "([redacted])"),
        ("id=AKIAIOSFODNN7EXAMPLE,x", "id=[redacted],x"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
            "[redacted]",
        ),
        (
            "Authorization: Basic dXNlcjpwYXNz\nnext",
            "Authorization: [redacted]\nnext",
        ),
        (
            "{\"authorization\": \"Bearer x y z\", \"a\": 1}",
            "{\"authorization\": \"[redacted]\", \"a\": 1}",
        ),
        (
            "{\\\"api_key\\\":\\\"abcdefgh12\\\"}",
            "{\\\"api_key\\\":\\\"[redacted]\\\"}",
        ),
        ("sent bearer a1b2c3d4e5 ok", "sent bearer [redacted] ok"),
        ("Cookie: a=b; c=d", "Cookie: [redacted]"),
        (
            "https://user:p@ss@host/path@x",
            "https://user:[redacted]@host/path@x",
        ),
        (
            "git clone https://0123456789abcdef01@host/r",
            "git clone https://[redacted]@host/r",
        ),
        ("DB_PASSWORD=hunter2 x", "DB_PASSWORD=[redacted] x"),
        ("password: \"correct horse\"", "password: \"[redacted]\""),
        (
            "mysql --password hunter2 -h db",
            "mysql --password [redacted] -h db",
        ),
        ("--password=hunter2", "--password=[redacted]"),
        (
            "?access_token=0123abcdef&x=1",
            "?access_token=[redacted]&x=1",
        ),
        (
            "AWS_SECRET_ACCESS_KEY = wJalrXUtnFEMI/K7MDENG/bPx",
            "AWS_SECRET_ACCESS_KEY = [redacted]",
        ),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb",
            "a\n[redacted]\nb",
        ),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "[redacted]"),
        (
            "Authorization: \"=-----BEGIN PRIVATE KEY-----",
            "Authorization: \"[redacted]",
        ),
        (
            "://a[redacted]ghp_aa0aa0aaa0aaaaaa00a00aaa0a0aa/@",
            "://[redacted]@",
        ),
        (
            "https://hooks.slack.com/services/T000/B000/XXXXXXXX",
            "https://hooks.slack.com/services/[redacted]",
        ),
        (
            "https://discord.com/api/webhooks/123456789/abcdefgh-x ",
            "https://discord.com/api/webhooks/[redacted] ",
        ),
        (
            "größe ghp_0123456789abcdefghijABCDEFGHIJ012345 漢字",
            "größe [redacted] 漢字",
        ),
        ("-sk-ant-api03-abcdefghijklmnopqrstuvwx", "-[redacted]"),
        (
            "令牌ghp_0123456789abcdefghijABCDEFGHIJ012345。",
            "令牌[redacted]。",
        ),
        (
            "------BEGIN EC PRIVATE KEY-----\n-MIIE\n------END EC PRIVATE KEY-----\n+x",
            "-[redacted]\n+x",
        ),
        ("Authorization: a1b2c3d4e5f6", "Authorization: [redacted]"),
        ("X-Api-Key: a1b2c3d4e5f6", "X-Api-Key: [redacted]"),
        ("Set-Cookie: session=abc; Path=/", "Set-Cookie: [redacted]"),
        ("password: hunter2hunter2", "password: [redacted]"),
        ("passwd: Xk29dkfjw0vv", "passwd: [redacted]"),
        ("DB_PASS=hunter2 x", "DB_PASS=[redacted] x"),
        ("db_pass: Xk29dkfjw0", "db_pass: [redacted]"),
        (
            "machine api.example.com login bob password secretive",
            "machine api.example.com login bob password [redacted]",
        ),
        (
            "login bob\n  password s3cret",
            "login bob\n  password [redacted]",
        ),
        (
            "curl -u bob:Xk29 https://x",
            "curl -u bob:[redacted] https://x",
        ),
        ("curl --user 'bob:p@ss' x", "curl --user 'bob:[redacted]' x"),
        ("mysql -u bob -pXk29!? db", "mysql -u bob -p[redacted] db"),
        ("xoxc-123456789012-abcdefghij", "[redacted]"),
        ("d=xoxd-AbCd%2FeFgHiJ%3D;", "d=[redacted];"),
        (
            "AWS_SECRET_ACCESS_KEY wJalrXUtnFEMI/K7MDENG/bPx",
            "AWS_SECRET_ACCESS_KEY [redacted]",
        ),
        ("?sig=Xk29dkfjw0uuabcdef&se=1", "?sig=[redacted]&se=1"),
    ] {
        assert_eq!(redact(text), safe, "{text}");
        assert_eq!(redact(safe), safe, "{safe}, a second time");
    }
}

#[test]
fn what_is_no_secret_stays_as_it_is() {
    for text in [
        "",
        "let token = parser.next_token2();",
        "token: &'a str, password: String,",
        "tokens=12000 input_tokens: 48123456",
        "the password is wrong",
        "const PASSWORD_MIN: usize = 12;",
        "password := read_password1()",
        "if token == expected_token1 {",
        "sk-short and task-0123456789012345678901234",
        "https://host:8080/path and user@host",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "basic idea, bearer of news",
        "fn sweep(cookie: &Cookie) -> Swept {",
        "let cookie = Cookie::parse(args.next()?)?;",
        "authorization: Option<Header>, cookie: Cookie,",
        "Authorization: see the manual",
        "diff --git a/src/secret.rs b/src/secret.rs",
        "password must be at least 8 characters",
        "the password: field is required",
        "password: String, passwd: &str",
        "log in with login and password, or with sha256sums",
        "docker run -u 1000:1000 -p 8080:80 image2",
        "mkdir -p src/deep2/deeper3",
        "mysql -p db",
        "PWD=/home/user1/src2 OLDPWD=/home/user1",
        "pass=1200 fail=3, bypass=everything2now",
        "signature: fn(a1b2c3d4e5f6g7h8)",
        "TOKEN_LIMIT 20000 TOKENS_LEFT_2 many",
    ] {
        assert!(
            matches!(redact(text), Cow::Borrowed(_)),
            "{text} became {}",
            redact(text)
        );
    }
}

#[test]
fn time_is_linear_in_hostile_text() {
    for unit in [
        "eyJ.",
        "sk-",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY",
        "://",
        "://a:",
        "password=",
        "Bearer ",
        "token = (",
        "--secret ",
        "\"token\":\"",
        "a",
        "hooks.slack.com/services/",
        "Cookie:",
        "token=",
        "Cookie:[redacted]",
        "Bearer [redacted]",
        "password=(",
        "eyJ..",
        "-p",
        "-paaaa ",
        "-u a:",
        "login password ",
        "A_SECRET ",
    ] {
        let text = unit.repeat(150_000 / unit.len());
        let start = std::time::Instant::now();
        let _ = redact(&text);
        // Quadratic time would be a minute.
        assert!(
            start.elapsed().as_secs() < 10,
            "{unit:?}: {:?}",
            start.elapsed()
        );
    }
}

/// A token of a known service, of the shape that service uses.
fn token() -> impl Strategy<Value = String> {
    let prefixes = [
        "sk-",
        "sk-ant-",
        "ghp_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "AKIA",
        "AIza",
        "hf_",
        "npm_",
        "eyJ",
    ];
    (
        prop::sample::select(prefixes.to_vec()),
        "[A-Za-z0-9]{40,60}",
    )
        .prop_map(|(prefix, body)| prefix.to_owned() + &body)
}

proptest! {
    #[test]
    fn a_token_never_survives(before in "(?s).{0,60}", token in token(), after in "(?s).{0,60}") {
        let text = format!("{before} {token} {after}");
        let safe = redact(&text);
        prop_assert!(!safe.contains(&token), "{safe}");
    }

    #[test]
    fn redacting_twice_changes_nothing(text in "(?s)([a-z\"=: \\\\/@-]|password|token|Bearer |ghp_|-----BEGIN PRIVATE KEY-----|://|é|\\[redacted\\]|[a-z0-9]{8,40}|Authorization: ){0,30}") {
        let once = redact(&text).into_owned();
        let twice = redact(&once).into_owned();
        prop_assert_eq!(&twice, &once);
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        let _ = redact(&text);
    }
}
