//! Which address an open socket has, from a `socket_fdinfo`.

use std::net::{Ipv4Addr, SocketAddrV4};

use crate::bytes::i32_at;

/// The size of the answer.
pub(crate) const SIZE: usize = 792;

const KIND: usize = 256;
const LOCAL_PORT: usize = 268;
const VERSIONS: usize = 288;
const LOCAL_ADDRESS: usize = 324;

const TCP: i32 = 2;
const IPV4: u8 = 1;

/// The socket's own address; `None` if it is none of TCP over IPv4.
pub(crate) fn local_address(answer: &[u8]) -> Option<SocketAddrV4> {
    let answer = answer.get(..SIZE)?;
    if i32_at(answer, KIND)? != TCP || answer[VERSIONS] & IPV4 == 0 {
        return None;
    }
    // Ports and addresses stand there as they do on the wire.
    let port = [answer[LOCAL_PORT], answer[LOCAL_PORT + 1]];
    let address: [u8; 4] = *answer[LOCAL_ADDRESS..].first_chunk()?;
    Some(SocketAddrV4::new(
        Ipv4Addr::from(address),
        u16::from_be_bytes(port),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: i32, versions: u8) -> Vec<u8> {
        let mut answer = vec![0x5a; SIZE];
        answer[256..260].copy_from_slice(&kind.to_ne_bytes());
        answer[268..272].copy_from_slice(&[0x1f, 0x90, 0, 0]);
        answer[288] = versions;
        answer[324..328].copy_from_slice(&[127, 0, 0, 1]);
        answer
    }

    #[test]
    fn only_tcp_over_ipv4_has_such_an_address() {
        let expected = "127.0.0.1:8080".parse().ok();
        assert_eq!(local_address(&answer(2, 1)), expected);
        assert_eq!(local_address(&answer(2, 3)), expected);
        assert_eq!(local_address(&answer(1, 1)), None);
        assert_eq!(local_address(&answer(2, 2)), None);
        assert_eq!(local_address(&answer(2, 1)[..SIZE - 1]), None);
    }
}
