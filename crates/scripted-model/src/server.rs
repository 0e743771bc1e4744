//! The server: a listener on loopback, and a thread for each connection.

use crate::answer::{Answer, Model};
use crate::http::{self, Incoming};
use crate::playback::Playback;
use crate::{Request, Script};
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A client on loopback that has not finished its request by then never will.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a connection that waits may outlive its server or its client.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A model on loopback; it ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    model: Model,
    stopped: AtomicBool,
}

impl Server {
    /// Starts on a port of the system's choice.
    ///
    /// # Errors
    ///
    /// If there is no loopback interface to listen on.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_on(0, script)
    }

    /// Starts on this port.
    ///
    /// # Errors
    ///
    /// If the port is taken, or there is no loopback interface.
    pub fn start_on(port: u16, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            model: Model::following(Playback::of(script)),
            stopped: AtomicBool::new(false),
        });
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.accept(&listener)
        });
        Ok(Self {
            address,
            shared,
            listening: Some(listening),
        })
    }

    /// Where clients find it: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far; of very many requests, the first.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.model.log.requests()
    }

    /// How many steps of the script were asked for, also beyond its end.
    pub fn steps_taken(&self) -> usize {
        self.shared.model.log.steps_taken()
    }

    /// Waits until so many steps were asked for, and says whether they were.
    pub fn wait_for_steps(&self, count: usize, patience: Duration) -> bool {
        self.shared.model.log.wait_for_steps(count, patience)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // Wakes the listener, which otherwise waits for the next client.
        TcpStream::connect(self.address).ok();
        if let Some(listening) = self.listening.take() {
            listening.join().ok();
        }
    }
}

impl Shared {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        for connection in listener.incoming() {
            if self.is_stopped() {
                return;
            }
            let Ok(connection) = connection else { continue };
            let shared = Arc::clone(&self);
            // What goes wrong on a connection is for its client to notice,
            // and clients that go away in the middle are daily business.
            thread::spawn(move || shared.serve(connection).ok());
        }
    }

    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.set_write_timeout(Some(PATIENCE))?;
        let mut reader = BufReader::new(connection.try_clone()?);
        let Some(incoming) = Incoming::read(&mut reader)? else {
            return Ok(());
        };
        match self.model.answer(&incoming) {
            Answer::Document {
                delay,
                status,
                headers,
                body,
            } => {
                self.pause(delay);
                http::write_head(&mut connection, status, "application/json", headers.iter())?;
                if incoming.method != "HEAD" {
                    connection.write_all(body.to_string().as_bytes())?;
                }
            }
            Answer::Stream {
                delay,
                headers,
                events,
            } => {
                self.pause(delay);
                http::write_head(&mut connection, 200, "text/event-stream", headers.iter())?;
                for event in events {
                    connection.write_all(event.to_wire().as_bytes())?;
                }
            }
            Answer::Hang => self.hang(&connection)?,
            Answer::Drop => {}
        }
        Ok(())
    }

    fn pause(&self, delay: Duration) {
        let until = Instant::now() + delay;
        while Instant::now() < until && !self.is_stopped() {
            thread::sleep(POLL_INTERVAL.min(until.saturating_duration_since(Instant::now())));
        }
    }

    /// Says nothing until the client has gone.
    fn hang(&self, connection: &TcpStream) -> io::Result<()> {
        connection.set_nonblocking(true)?;
        while !self.is_stopped() {
            match connection.peek(&mut [0]) {
                Ok(0) => break,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Ok(_) | Err(_) => thread::sleep(POLL_INTERVAL),
            }
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
