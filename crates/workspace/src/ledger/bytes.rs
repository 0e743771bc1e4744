//! The ledger's form on disk: little-endian numbers and length-prefixed bytes.

use super::{Content, DIGEST, Entry, Ledger};
use crate::ignore::FrozenIgnores;
use crate::stamp::{Kind, Moment, Stamp};
use crate::unhashed::Unhashed;

const MAGIC: &[u8] = b"fusebox ledger 1\n";
const KINDS: [Kind; 3] = [Kind::File, Kind::Executable, Kind::Symlink];
/// Content tags below this are kinds of `Unhashed`.
const HASHED: u8 = 255;

pub(super) fn encode(ledger: &Ledger) -> Vec<u8> {
    let mut out = Writer(MAGIC.to_vec());
    out.bytes(ledger.tree.as_ref().map_or("", |id| id.as_str()).as_bytes());
    out.ignores(ledger.ignores.as_ref());
    out.number(ledger.entries.len() as u64);
    for entry in &ledger.entries {
        out.entry(entry);
    }
    out.0
}

/// `None` if the bytes are not a ledger of this version.
pub(super) fn decode(bytes: &[u8]) -> Option<Ledger> {
    let mut input = Reader(bytes.strip_prefix(MAGIC)?);
    let tree = match input.bytes()? {
        b"" => None,
        id => Some(std::str::from_utf8(id).ok()?.parse().ok()?),
    };
    let ignores = input.ignores()?;
    let count = input.number()?;
    let entries = (0..count)
        .map(|_| input.entry())
        .collect::<Option<Vec<_>>>()?;
    // A pass goes through both the tree and these in order: where they are not, what is there
    // would be taken for deleted.
    let in_order = entries.is_sorted_by(|one: &Entry, next| one.path <= next.path);
    (in_order && input.0.is_empty()).then_some(Ledger {
        tree,
        ignores,
        entries,
    })
}

struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn moment(&mut self, moment: Moment) {
        self.0.extend_from_slice(&moment.0.to_le_bytes());
        self.number(moment.1);
    }

    fn ignores(&mut self, ignores: Option<&FrozenIgnores>) {
        self.byte(ignores.is_some().into());
        let Some(ignores) = ignores else { return };
        let directories = ignores.directories();
        self.number(directories.len() as u64);
        for (path, restarts, texts) in directories {
            self.bytes(path);
            self.byte(restarts.into());
            self.number(texts.len() as u64);
            texts.iter().for_each(|text| self.bytes(text));
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let stamp = &entry.stamp;
        self.bytes(&entry.path);
        self.byte(stamp.kind as u8);
        self.number(stamp.size);
        self.moment(stamp.modified);
        self.moment(stamp.changed);
        self.number(stamp.inode);
        self.byte(entry.settled.into());
        match &entry.content {
            Content::Hashed(digest) => {
                self.byte(HASHED);
                self.0.extend_from_slice(digest);
            }
            Content::Unhashed(why) => self.byte(*why as u8),
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn moment(&mut self) -> Option<Moment> {
        let seconds = self.array().map(i64::from_le_bytes)?;
        Some(Moment(seconds, self.number()?))
    }

    fn ignores(&mut self) -> Option<Option<FrozenIgnores>> {
        if !self.flag()? {
            return Some(None);
        }
        let mut ignores = FrozenIgnores::default();
        for _ in 0..self.number()? {
            let path = self.bytes()?.to_vec();
            let restarts = self.flag()?;
            let texts = (0..self.number()?)
                .map(|_| self.bytes().map(<[u8]>::to_vec))
                .collect::<Option<Vec<_>>>()?;
            ignores.insert(path, restarts, texts);
        }
        Some(Some(ignores))
    }

    fn entry(&mut self) -> Option<Entry> {
        Some(Entry {
            path: self.bytes()?.into(),
            stamp: Stamp {
                kind: *KINDS.get(usize::from(self.byte()?))?,
                size: self.number()?,
                modified: self.moment()?,
                changed: self.moment()?,
                inode: self.number()?,
            },
            settled: self.flag()?,
            content: match self.byte()? {
                HASHED => Content::Hashed(self.array::<DIGEST>()?),
                why => Content::Unhashed(*Unhashed::ALL.get(usize::from(why))?),
            },
        })
    }
}

/// A door for the fuzzer: what is read is written and read as the same, one that was cut is
/// none, and the list of what was not hashed is read back.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_body(bytes: &[u8]) {
    let Some(ledger) = decode(bytes) else {
        return;
    };
    let again = decode(&encode(&ledger)).expect("it was written just now");
    assert_eq!(encode(&again), encode(&ledger));
    assert_eq!((again.tree, &again.entries), (ledger.tree, &ledger.entries));
    for length in [bytes.len() - 1, bytes.len() / 2] {
        assert!(decode(&bytes[..length]).is_none(), "cut to {length}");
    }
    let named = |entry: &&Entry| !entry.path.is_empty() && !entry.path.contains(&0);
    let named: Vec<Entry> = ledger.entries.iter().filter(named).cloned().collect();
    let listed = crate::unhashed::read_list(&crate::unhashed::write_list(&named));
    let listed = listed.expect("it was written just now");
    for entry in named {
        let is_unhashed = matches!(entry.content, Content::Unhashed(_));
        assert_eq!(listed.contains_key(&*entry.path), is_unhashed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Loaded;
    use std::fs;

    fn sample() -> Ledger {
        let mut ignores = FrozenIgnores::default();
        ignores.insert(Vec::new(), true, vec![b"*.o\n".to_vec(), Vec::new()]);
        ignores.insert(b"deep/er".to_vec(), false, vec![b"!x\n".to_vec()]);
        let contents = Unhashed::ALL.map(Content::Unhashed);
        let contents = contents.into_iter().chain([Content::Hashed([7; DIGEST])]);
        let entry = |(at, content): (usize, Content)| Entry {
            path: format!("file {at}\n").into_bytes().into(),
            stamp: Stamp {
                kind: KINDS[at % KINDS.len()],
                size: at as u64,
                modified: Moment(-1, 999_999_999),
                changed: Moment(i64::MAX, 0),
                inode: u64::MAX,
            },
            settled: at % 2 == 0,
            content,
        };
        Ledger {
            tree: Some("0123456789abcdef0123456789abcdef01234567".parse().unwrap()),
            ignores: Some(ignores),
            entries: contents.enumerate().map(entry).collect(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let before = sample();
        let after = decode(&encode(&before)).unwrap();
        assert_eq!(after.tree, before.tree);
        assert_eq!(after.entries, before.entries);
        assert_eq!(encode(&after), encode(&before));
    }

    #[test]
    fn entries_out_of_order_were_not_written_here() {
        let mut ledger = sample();
        ledger.entries.swap(0, 1);
        assert!(decode(&encode(&ledger)).is_none());
    }

    #[test]
    fn every_cut_and_every_flip_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("ledger");
        assert!(matches!(Ledger::load(&path), Loaded::Missing));
        sample().save(&path).unwrap();
        assert!(matches!(Ledger::load(&path), Loaded::Ledger(_)));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            fs::write(&path, &whole[..at]).unwrap();
            assert!(
                matches!(Ledger::load(&path), Loaded::Damaged),
                "cut at {at}"
            );
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            fs::write(&path, flipped).unwrap();
            assert!(
                matches!(Ledger::load(&path), Loaded::Damaged),
                "flip at {at}"
            );
            // Even behind a valid digest, a shortened body does not decode.
            if at < whole.len() - DIGEST {
                assert!(decode(&whole[..at]).is_none(), "body cut at {at}");
            }
        }
    }
}
