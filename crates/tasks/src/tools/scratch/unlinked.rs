//! On the disk, without a name.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicU32, Ordering};

/// Names that are tried before it is given up.
const TRIES: u32 = 1_000;

static MADE: AtomicU32 = AtomicU32::new(0);

pub(in crate::tools) fn file() -> io::Result<File> {
    let (directory, process) = (std::env::temp_dir(), std::process::id());
    for _ in 0..TRIES {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("fusebox-{process}-{number}"));
        // A name that is taken, even by a link, is passed over.
        let made = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path);
        match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                let made = made?;
                fs::remove_file(&path)?;
                return Ok(made);
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn it_has_no_name_and_keeps_what_is_written() {
        let (mut one, other) = (file().unwrap(), file().unwrap());
        for file in [&one, &other] {
            let about = file.metadata().unwrap();
            assert_eq!((about.nlink(), about.mode() & 0o777), (0, 0o600));
        }
        assert_ne!(
            one.metadata().unwrap().ino(),
            other.metadata().unwrap().ino()
        );
        one.write_all(b"said").unwrap();
        one.rewind().unwrap();
        let mut said = String::new();
        one.read_to_string(&mut said).unwrap();
        assert_eq!(said, "said");
    }
}
