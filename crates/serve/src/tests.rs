//! What is let in, what is not, and that nothing grows without end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use crate::request::Request;
use crate::response::Status;
use crate::{Content, Feed, Response, Server, Token};

/// A server with one open and one guarded page, and one with events. It ends with
/// the test's process.
fn server() -> (u16, String, Feed) {
    let token = Token::random().unwrap();
    let server = Server::bind(0, token.clone()).unwrap();
    let (port, feed) = (server.address().port(), Feed::default());
    let events = feed.clone();
    thread::spawn(move || {
        let open = |request: &Request| {
            let is_frame = request.path.is_empty();
            is_frame.then(|| Response::ok(Content::Html, "the frame"))
        };
        let guarded = |request: &Request| match request.path[0].as_str() {
            "secret" => Some(Response::ok(Content::Json, "\"the secret\"")),
            "events" => Some(Response::events(events.subscribe())),
            _ => None,
        };
        server.run(&open, &guarded)
    });
    (port, token.reveal().to_owned(), feed)
}

fn ask(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn only_those_with_the_token_and_the_right_host_and_origin_are_let_in() {
    let (port, token, _) = server();
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let wrong = format!("Authorization: Bearer {}0\r\n", &token[1..]);
    let host = format!("127.0.0.1:{port}");
    let local = format!("localhost:{port}");
    let mut refused = 0;
    for (target, host, headers, status) in [
        ("/", host.as_str(), "", 200),
        ("/", &local, "", 200),
        ("/secret", &host, "", 401),
        ("/secret", &host, wrong.as_str(), 401),
        (
            "/secret",
            &host,
            &format!("Authorization: Basic {token}\r\n"),
            401,
        ),
        ("/secret", &host, &bearer, 200),
        ("/secret/", &local, &bearer, 200),
        ("/nothing", &host, &bearer, 404),
        ("/nothing", &host, "", 401),
        // A name that was pointed at loopback, with and without our port.
        ("/", "evil.example", "", 403),
        ("/", &format!("evil.example:{port}"), "", 403),
        ("/", "127.0.0.1", "", 403),
        ("/", "", "", 403),
        (
            "/secret",
            &host,
            &format!("{bearer}Origin: http://{host}\r\n"),
            200,
        ),
        (
            "/secret",
            &host,
            &format!("{bearer}Origin: http://{local}\r\n"),
            403,
        ),
        (
            "/secret",
            &host,
            &format!("{bearer}Origin: https://{host}\r\n"),
            403,
        ),
        (
            "/secret",
            &host,
            &format!("{bearer}Origin: http://evil.example\r\n"),
            403,
        ),
        ("/secret", &host, &format!("{bearer}Origin: null\r\n"), 403),
        ("/", &host, "Sec-Fetch-Site: same-origin\r\n", 200),
        ("/", &host, "Sec-Fetch-Site: none\r\n", 200),
        ("/", &host, "Sec-Fetch-Site: cross-site\r\n", 403),
        ("/", &host, "Sec-Fetch-Site: same-site\r\n", 403),
        ("/", &host, "Host: evil.example\r\n", 400),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n");
        let answer = ask(port, &request);
        let expected = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expected), "{request}: {answer}");
        assert!(answer.contains("frame-ancestors 'none'"), "{answer}");
        assert!(
            !answer.to_lowercase().contains("access-control"),
            "{answer}"
        );
        assert_eq!(
            answer.contains("the secret"),
            status == 200 && target != "/"
        );
        refused += usize::from(matches!(status, 401 | 403));
    }
    println!("proof: requests {refused} without the token, or from elsewhere");
}

#[test]
fn nothing_can_be_done_and_nothing_brought_along() {
    let (port, token, _) = server();
    let head = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
    for (request, status) in [
        (format!("POST /secret HTTP/1.1\r\n{head}\r\n"), 405),
        (format!("DELETE / HTTP/1.1\r\n{head}\r\n"), 405),
        (format!("OPTIONS / HTTP/1.1\r\n{head}\r\n"), 405),
        (
            format!("GET / HTTP/1.1\r\n{head}Content-Length: 5\r\n\r\nhello"),
            413,
        ),
        (
            format!("GET / HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n"),
            413,
        ),
        (format!("GET http://evil/ HTTP/1.1\r\n{head}\r\n"), 400),
        (format!("GET /%zz HTTP/1.1\r\n{head}\r\n"), 400),
        (format!("GET /%ff HTTP/1.1\r\n{head}\r\n"), 400),
        ("nonsense\r\n\r\n".to_owned(), 400),
        (
            format!("GET / HTTP/1.1\r\n{head}X: {}\r\n\r\n", "x".repeat(40_000)),
            431,
        ),
        (
            format!("GET / HTTP/1.1\r\n{head}{}\r\n", "A: b\r\n".repeat(100)),
            431,
        ),
    ] {
        let answer = ask(port, &request);
        // A connection that is closed while it still sends may lose the answer.
        let expected = format!("HTTP/1.1 {status} ");
        let shown: String = request.chars().take(60).collect();
        assert!(
            answer.starts_with(&expected) || (status == 431 && answer.is_empty()),
            "{shown}: {answer}"
        );
    }
    let head_only = ask(port, &format!("HEAD /secret HTTP/1.1\r\n{head}\r\n"));
    assert!(
        head_only.contains("Content-Length: 12") && head_only.ends_with("\r\n\r\n"),
        "{head_only}"
    );
}

#[test]
fn events_reach_all_viewers_and_whoever_does_not_read_is_let_go() {
    let (port, token, feed) = server();
    let request = format!(
        "GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    let mut viewers: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_secs(20)))
                .unwrap();
            read_until(&mut stream, ": here");
            stream
        })
        .collect();
    feed.tell("{\"n\":1}");
    for stream in &mut viewers {
        read_until(stream, "data: {\"n\":1}\n\n");
    }
    drop(viewers);
    let quiet = Feed::default();
    drop(quiet.subscribe());
    assert!(
        !quiet.is_watched(),
        "who left before anything was told is gone"
    );
    let idle = feed.subscribe();
    for _ in 0..1_000 {
        feed.tell("x");
    }
    drop(idle);
    for _ in 0..1_000 {
        feed.tell("more");
        if !feed.is_watched() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("viewers that are gone are still told");
}

fn read_until(stream: &mut TcpStream, text: &str) {
    let mut seen = String::new();
    let mut chunk = [0; 1024];
    while !seen.contains(text) {
        let count = stream.read(&mut chunk).unwrap();
        assert!(count > 0, "closed after {seen}");
        seen += &String::from_utf8_lossy(&chunk[..count]);
    }
}

#[test]
fn any_bytes_are_a_request_or_not_and_nothing_else() {
    let whole = b"GET /a%20b/c?x=1&y=%26+&x=2 HTTP/1.1\r\nHost: h\r\n\r\n";
    let request = Request::parse(whole, 0).unwrap().unwrap();
    assert_eq!(request.path, ["a b", "c"]);
    assert_eq!(
        (request.asked("x"), request.asked("y")),
        (Some("2"), Some("& "))
    );
    for end in 0..whole.len() {
        assert_eq!(Request::parse(&whole[..end], 0), Ok(None), "{end}");
    }
    for place in 0..whole.len() {
        for byte in [0, b'\n', b'%', b' ', 0xff] {
            let mut bytes = whole.to_vec();
            bytes[place] = byte;
            // Whatever it is, it is answered and not panicked over.
            let _ = Request::parse(&bytes, 0);
        }
    }
    assert_eq!(
        Request::parse(b"GET / HTTP/9.9\r\n\r\n", 0),
        Err(Status::BadRequest)
    );
}

#[test]
fn a_server_that_takes_bodies_takes_short_ones_from_those_with_the_token() {
    let token = Token::random().unwrap();
    let server = Server::bind(0, token.clone()).unwrap().taking_bodies(64);
    let port = server.address().port();
    thread::spawn(move || {
        // What anybody may have is never what is asked to be done.
        let open = |_: &Request| Some(Response::ok(Content::Html, "the frame"));
        let guarded = |request: &Request| {
            assert!(request.peer.is_some());
            assert_eq!(request.own.map(|own| own.port()), Some(port));
            let said = format!("{:?} {}", request.method, request.may_be_json());
            Some(Response::ok(
                Content::Text,
                [said.as_bytes(), &request.body].concat(),
            ))
        };
        server.run(&open, &guarded)
    });
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let key = format!("{host}Authorization: Bearer {}\r\n", token.reveal());
    let json = "Content-Type: application/json; charset=utf-8\r\n";
    let far = "9".repeat(40);
    for (head, length, body, status, said) in [
        (format!("{key}{json}"), "2", "{}", 200, "Post true{}"),
        (format!("{key}{json}"), "0", "", 200, "Post true"),
        (key.clone(), "2", "hi", 200, "Post truehi"),
        (
            format!("{key}Content-Type: text/plain\r\n"),
            "2",
            "hi",
            200,
            "Post falsehi",
        ),
        (host, "2", "{}", 401, "Unauthorized"),
        (
            format!("{key}Origin: http://evil.example\r\n"),
            "2",
            "{}",
            403,
            "Forbidden",
        ),
        (key.clone(), "65", &"x".repeat(65), 413, "Too Large"),
        (key.clone(), "+2", "{}", 400, "Bad Request"),
        (key.clone(), far.as_str(), "", 400, "Bad Request"),
    ] {
        let request = format!("POST /do HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n{body}");
        let answer = ask(port, &request);
        let fits = answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(said);
        assert!(fits, "{request}: {answer}");
    }
    let looked = ask(port, &format!("GET /do HTTP/1.1\r\n{key}\r\n"));
    assert!(looked.ends_with("the frame"), "{looked}");
}
