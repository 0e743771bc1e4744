//! A line between a virtual machine and the server that can be cut.
//!
//! What is cut is cut as a network does it: nothing arrives any more, in either
//! direction, and nobody is told.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long a piece of data waits before it looks whether the line holds.
const LOOK: Duration = Duration::from_millis(20);

/// The line of one machine.
#[derive(Clone, Debug)]
pub(super) struct Proxy {
    pub(super) port: u16,
    cut: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Proxy {
    /// Listens on loopback and leads to `server`.
    pub(super) fn start(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let proxy = Self {
            port: listener.local_addr()?.port(),
            cut: Arc::new(AtomicBool::new(false)),
            over: Arc::new(AtomicBool::new(false)),
        };
        let ours = proxy.clone();
        thread::spawn(move || {
            while !ours.over.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((client, _)) => ours.lead(client, server),
                    Err(_) => thread::sleep(LOOK),
                }
            }
        });
        Ok(proxy)
    }

    pub(super) fn cut(&self, cut: bool) {
        self.cut.store(cut, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    fn lead(&self, client: TcpStream, server: SocketAddr) {
        let Ok(server) = TcpStream::connect(server) else {
            return;
        };
        let _ = (
            client.set_nonblocking(false),
            client.set_nodelay(true),
            server.set_nodelay(true),
        );
        let (Ok(client_too), Ok(server_too)) = (client.try_clone(), server.try_clone()) else {
            return;
        };
        self.copy(client, server);
        self.copy(server_too, client_too);
    }

    /// Carries bytes one way. What is under way when the line is cut waits for it.
    fn copy(&self, mut from: TcpStream, mut to: TcpStream) {
        let ours = self.clone();
        thread::spawn(move || {
            let mut piece = [0; 16 << 10];
            loop {
                let read = from.read(&mut piece).unwrap_or(0);
                while ours.cut.load(Ordering::Relaxed) && !ours.over.load(Ordering::Relaxed) {
                    thread::sleep(LOOK);
                }
                if read == 0 || to.write_all(&piece[..read]).is_err() {
                    let _ = to.shutdown(std::net::Shutdown::Both);
                    return;
                }
            }
        });
    }
}
