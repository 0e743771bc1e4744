//! What happens before the first byte of a request over TLS.

use std::io::Read;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fusebox_notify::{Kind, Notice, SinkReport};

use crate::server::{notifier, quick};

fn sent_to(port: u16) -> SinkReport {
    let url = format!("https://localhost:{port}/hook");
    let notifier = notifier(url.parse().unwrap(), quick());
    notifier.send(&Notice::new(Kind::Tripped, "stopped", 0));
    notifier.flush(Duration::from_secs(3)).remove(0)
}

#[test]
fn nothing_is_said_before_the_receiver_has_proved_who_it_is() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = std::thread::spawn(move || {
        let mut first = [0; 3];
        listener.accept().unwrap().0.read_exact(&mut first).unwrap();
        first
    });
    let report = sent_to(port);
    assert_eq!(report.delivered, 0, "{report:?}");
    // A handshake record, and so not the beginning of `POST`.
    assert_eq!(seen.join().unwrap(), [0x16, 0x03, 0x01]);
}

/// A server whose certificate it has signed itself; gone when dropped.
struct SelfSigned {
    child: Child,
    port: u16,
    _dir: tempfile::TempDir,
}

impl SelfSigned {
    fn start() -> Option<Self> {
        if Command::new("openssl").arg("version").output().is_err() {
            eprintln!("SKIPPED: openssl is not installed");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let made = Command::new("openssl")
            .args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
            ])
            .args(["-nodes", "-days", "2", "-subj", "/CN=localhost"])
            .args(["-addext", "subjectAltName=DNS:localhost"])
            .args(["-keyout", "key.pem", "-out", "cert.pem"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let port = free_port();
        let child = Command::new("openssl")
            .args([
                "s_server", "-quiet", "-www", "-cert", "cert.pem", "-key", "key.pem",
            ])
            .args(["-accept", &format!("127.0.0.1:{port}")])
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self {
            child,
            port,
            _dir: dir,
        };
        server.wait_until_it_listens();
        Some(server)
    }

    fn wait_until_it_listens(&self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < deadline, "openssl does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for SelfSigned {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let Some(server) = SelfSigned::start() else {
        return;
    };
    let report = sent_to(server.port);
    let why = report.last_failure.unwrap_or_default();
    assert!(why.contains("certificate"), "{why}");
    assert_eq!(report.delivered, 0);
}
