//! What kind of file a linker has made for a Mac.

use std::fmt;

use anyhow::{Context, Result, ensure};

const MAGIC: u32 = 0xfeed_facf;
const ARM: u32 = 0x0100_000c;
const INTEL: u32 = 0x0100_0007;
const EXECUTABLE: u32 = 2;

/// A program for one of Apple's processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Arm,
    Intel,
}

impl Kind {
    pub(super) fn is_for(self, target: &str) -> bool {
        match self {
            Self::Arm => target.starts_with("aarch64-"),
            Self::Intel => target.starts_with("x86_64-"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Arm => "Mach-O 64-bit arm64 executable",
            Self::Intel => "Mach-O 64-bit x86_64 executable",
        })
    }
}

/// Reads the head of a file.
pub(super) fn kind(file: &[u8]) -> Result<Kind> {
    let number = |at: usize| {
        let bytes = file.get(at..at + 4).and_then(<[u8]>::first_chunk);
        bytes.map(|bytes| u32::from_le_bytes(*bytes))
    };
    let field = |at| number(at).context("it has no head");
    ensure!(field(0)? == MAGIC, "it is no 64-bit Mach-O file");
    ensure!(field(12)? == EXECUTABLE, "it is no program");
    match field(4)? {
        ARM => Ok(Kind::Arm),
        INTEL => Ok(Kind::Intel),
        other => anyhow::bail!("it is for the unknown processor {other:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(numbers: [u32; 4]) -> Vec<u8> {
        numbers.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn programs_are_told_by_processor_and_anything_else_is_none() {
        let arm = kind(&head([MAGIC, ARM, 0, EXECUTABLE])).expect("a program");
        assert!(arm.is_for("aarch64-apple-darwin") && !arm.is_for("x86_64-apple-darwin"));
        let intel = kind(&head([MAGIC, INTEL, 3, EXECUTABLE])).expect("a program");
        assert!(intel.is_for("x86_64-apple-darwin") && !intel.is_for("aarch64-apple-darwin"));
        for (file, why) in [
            (b"\x7fELF0123456789ab".to_vec(), "no 64-bit Mach-O"),
            (head([MAGIC, ARM, 0, 1]), "no program"),
            (head([MAGIC, 7, 0, EXECUTABLE]), "unknown processor"),
            (b"\xcf\xfa".to_vec(), "no head"),
        ] {
            let error = kind(&file).expect_err(why).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
