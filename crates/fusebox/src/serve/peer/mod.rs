//! Who is at the other end of a connection on this machine.
//!
//! A token shows that somebody was told it, or has read it somewhere, which an agent
//! of the same user could. What an agent cannot change is where its processes come
//! from. So whoever asks for something to be done is looked up: the system knows
//! which socket the other end is, and which processes hold it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(super) use linux::holders;
#[cfg(target_os = "macos")]
pub(super) use macos::holders;

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_other_end_is_found_and_is_this_very_process() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (_stream, peer) = listener.accept().unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        let server = listener.local_addr().unwrap();
        assert!(holders(peer, server).contains(&own));
        let nobody = "127.0.0.1:1".parse().unwrap();
        assert!(holders(nobody, server).is_empty());
        // A connection from the same address to somewhere else is another one.
        #[cfg(target_os = "linux")]
        assert!(holders(peer, nobody).is_empty());
    }
}
