//! Connections, one request each.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::gate::Gate;
use crate::request::{Method, Request};
use crate::response::{Response, Status};
use crate::token::Token;

/// The most connections at once: fifty viewers, and what they ask besides.
const CONNECTIONS: usize = 96;
/// What one of them may keep on its stack.
const STACK: usize = 512 * 1024;
/// What the system says when this process, or all together, have too many files
/// open: `EMFILE` and `ENFILE`.
const TOO_MANY_FILES: [i32; 2] = [24, 23];
/// How long a read or a write may stand still.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that is bound and not yet listened to.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    gate: Gate,
    /// The longest body; 0 where none is taken.
    most_body: usize,
    /// What whoever asks for something is told where none is taken, as JSON.
    taking_none: Option<Vec<u8>>,
}

impl Server {
    /// Binds to a port of loopback; 0 is any that is free.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn bind(port: u16, token: Token) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            gate: Gate::of(address, token),
            most_body: 0,
            taking_none: None,
        })
    }

    /// Lets requests bring so many bytes along, and ask for something to be done
    /// with [`Method::Post`]. Everything about who is answered stays as it is, and
    /// such a request is always for those with the token.
    #[must_use]
    pub fn taking_bodies(mut self, most: usize) -> Self {
        self.most_body = most;
        self
    }

    /// Says in words of its own that nothing can be asked for here.
    #[must_use]
    pub fn taking_none(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.taking_none = Some(body.into());
        self
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests, for ever. `open` is what anybody on this machine may
    /// have: the frame of the page, in which there is nothing yet. Everything else
    /// is `guarded` by the token. `None` is not found.
    ///
    /// # Errors
    /// When connections can no longer be taken.
    pub fn run(
        &self,
        open: &(dyn Fn(&Request) -> Option<Response> + Sync),
        guarded: &(dyn Fn(&Request) -> Option<Response> + Sync),
    ) -> io::Result<()> {
        let busy = AtomicUsize::new(0);
        thread::scope(|scope| {
            loop {
                let mut stream = match self.listener.accept() {
                    Ok((stream, _)) => stream,
                    Err(error) if passes(&error) => {
                        thread::sleep(Duration::from_millis(20));
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if busy.fetch_add(1, Ordering::AcqRel) >= CONNECTIONS {
                    let _ = Response::refused(Status::Busy).write(&mut stream, false);
                    busy.fetch_sub(1, Ordering::AcqRel);
                    continue;
                }
                let busy = &busy;
                let serve = move || {
                    // Whoever went away does not want to hear about it.
                    let _ = self.serve(&mut stream, open, guarded);
                    busy.fetch_sub(1, Ordering::AcqRel);
                };
                let thread = thread::Builder::new().stack_size(STACK);
                if thread.spawn_scoped(scope, serve).is_err() {
                    busy.fetch_sub(1, Ordering::AcqRel);
                }
            }
        })
    }

    fn serve(
        &self,
        stream: &mut TcpStream,
        open: &dyn Fn(&Request) -> Option<Response>,
        guarded: &dyn Fn(&Request) -> Option<Response>,
    ) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let (response, head_only) = match Request::read(stream, self.most_body) {
            Ok(mut request) => {
                request.peer = stream.peer_addr().ok();
                request.own = stream.local_addr().ok();
                let head_only = request.method == Method::Head;
                (self.answer(&request, open, guarded), head_only)
            }
            Err(status) => match &self.taking_none {
                Some(body) if status == Status::MethodNotAllowed => {
                    (Response::told(status, body.clone()), false)
                }
                _ => (Response::refused(status), false),
            },
        };
        response.write(stream, head_only)?;
        stream.flush()?;
        stream.shutdown(Shutdown::Write)
    }

    fn answer(
        &self,
        request: &Request,
        open: &dyn Fn(&Request) -> Option<Response>,
        guarded: &dyn Fn(&Request) -> Option<Response>,
    ) -> Response {
        if let Err(status) = self.gate.admit(request) {
            return Response::refused(status);
        }
        if request.method != Method::Post
            && let Some(response) = open(request)
        {
            return response;
        }
        match self.gate.identify(request) {
            Ok(()) => guarded(request).unwrap_or_else(|| Response::refused(Status::NotFound)),
            Err(status) => Response::refused(status),
        }
    }
}

/// Trouble of one connection, or of a moment, is not the server's end.
fn passes(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    ) || error
        .raw_os_error()
        .is_some_and(|code| TOO_MANY_FILES.contains(&code))
}
