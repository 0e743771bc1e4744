//! Whether an executable is static, read from the file itself.

use anyhow::{Context, Result, ensure};

const MAGIC_64_BIT_LITTLE_ENDIAN: &[u8] = b"\x7fELF\x02\x01";
const PROGRAM_HEADERS_OFFSET: usize = 0x20;
const PROGRAM_HEADER_SIZE: usize = 0x36;
const PROGRAM_HEADER_COUNT: usize = 0x38;

/// The program header that names a dynamic loader.
const PT_INTERP: [u8; 4] = 3u32.to_le_bytes();

/// Whether the kernel can start this executable without a dynamic loader.
pub(crate) fn is_static(file: &[u8]) -> Result<bool> {
    ensure!(
        file.starts_with(MAGIC_64_BIT_LITTLE_ENDIAN),
        "not a 64-bit little-endian ELF file"
    );
    let first = usize::try_from(u64::from_le_bytes(read(file, PROGRAM_HEADERS_OFFSET)?))?;
    let size = usize::from(u16::from_le_bytes(read(file, PROGRAM_HEADER_SIZE)?));
    let count = usize::from(u16::from_le_bytes(read(file, PROGRAM_HEADER_COUNT)?));
    for index in 0..count {
        let at = first.checked_add(index * size);
        let kind: [u8; 4] = read(file, at.context("program headers lie beyond any file")?)?;
        if kind == PT_INTERP {
            return Ok(false);
        }
    }
    Ok(true)
}

fn read<const N: usize>(file: &[u8], at: usize) -> Result<[u8; N]> {
    file.get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .context("the file ends inside its headers")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(header_kinds: &[u32]) -> Vec<u8> {
        let mut file = MAGIC_64_BIT_LITTLE_ENDIAN.to_vec();
        file.resize(0x40, 0);
        file[PROGRAM_HEADERS_OFFSET] = 0x40;
        file[PROGRAM_HEADER_SIZE] = 0x38;
        file[PROGRAM_HEADER_COUNT] = u8::try_from(header_kinds.len()).unwrap();
        for kind in header_kinds {
            file.extend(kind.to_le_bytes());
            file.resize(file.len() + 0x38 - 4, 0);
        }
        file
    }

    #[test]
    fn an_interpreter_makes_the_difference() {
        assert!(is_static(&executable(&[1, 2])).unwrap());
        assert!(!is_static(&executable(&[1, 2, 3])).unwrap());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_called_static() {
        let whole = executable(&[1, 2]);
        for file in [&b"#!/bin/sh\n"[..], &whole[..0x30], &whole[..0x50]] {
            assert!(is_static(file).is_err());
        }
    }
}
