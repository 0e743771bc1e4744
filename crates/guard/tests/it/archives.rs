//! Archives whose directory is plain to see: what is in them decides.

use std::fs;
use std::io::Write;

use crate::workspace::Workspace;
use flate2::Compression;
use flate2::write::GzEncoder;
use fusebox_guard::Decision;

/// A file in a tar file: its header, and what it holds.
fn tar_member(name: &str, kind: u8, content: &str) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = kind;
    header[257..263].copy_from_slice(b"ustar\0");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let mut member = header;
    member.extend(content.bytes());
    member.resize(member.len().div_ceil(512) * 512, 0);
    member
}

fn tar(members: &[Vec<u8>]) -> Vec<u8> {
    let mut archive = members.concat();
    archive.resize(archive.len() + 1_024, 0);
    archive
}

/// The directory of a zip file, with the names and the modes in it, and its end.
fn zip(entries: &[(&str, u32)]) -> Vec<u8> {
    let mut directory = Vec::new();
    for (name, mode) in entries {
        let mut entry = vec![0; 46];
        entry[..4].copy_from_slice(b"PK\x01\x02");
        entry[28] = u8::try_from(name.len()).expect("a short name");
        entry[38..42].copy_from_slice(&(mode << 16).to_le_bytes());
        entry.extend(name.bytes());
        directory.extend(entry);
    }
    let mut end = vec![0; 22];
    end[..4].copy_from_slice(b"PK\x05\x06");
    end[10] = u8::try_from(entries.len()).expect("few entries");
    end[12] = u8::try_from(directory.len()).expect("a short directory");
    directory.extend(end);
    directory
}

#[test]
fn what_is_in_an_archive_decides_where_that_can_be_read() {
    let workspace = Workspace::new();
    let root = workspace.path();
    let plain = || tar_member("src/main.c", b'0', "int x;");
    let own = || tar_member("CLAUDE.md", b'0', "x");
    let mut damaged = tar(&[plain()]);
    damaged[0] = b'x';
    for (name, content) in [
        ("plain.tar", tar(&[tar_member("src/", b'5', ""), plain()])),
        ("own.tar", tar(&[plain(), own()])),
        ("link.tar", tar(&[tar_member("x", b'2', ""), plain()])),
        (
            "long.tar",
            tar(&[tar_member("././@LongLink", b'L', ""), plain()]),
        ),
        (
            "above.tar",
            tar(&[tar_member("src/../CLAUDE.md", b'0', "x")]),
        ),
        ("root.tar", tar(&[tar_member("/x", b'0', "x")])),
        ("dot.tar", tar(&[tar_member("./specs/a.md", b'0', "x")])),
        ("other.tar", tar(&[tar_member("a.md", b'0', "x")])),
        ("cut.tar", plain()),
        ("damaged.tar", damaged),
        (
            "plain.zip",
            zip(&[("src/", 0o040_755), ("src/main.c", 0o100_644)]),
        ),
        (
            "own.zip",
            zip(&[("src/main.c", 0o100_644), ("CLAUDE.md", 0o100_644)]),
        ),
        ("link.zip", zip(&[("x", 0o120_777), ("x/a.md", 0o100_644)])),
        ("above.zip", zip(&[("../proj/CLAUDE.md", 0o100_644)])),
        ("empty.zip", Vec::new()),
    ] {
        fs::write(root.join("build").join(name), content).expect("an archive");
    }
    for (command, expected) in [
        ("tar xf build/plain.tar", Decision::Allow),
        ("tar xf build/own.tar", Decision::Deny),
        ("tar xf build/own.tar -C build", Decision::Allow),
        ("cd build && tar xf own.tar -C ..", Decision::Deny),
        ("tar xf build/link.tar", Decision::Deny),
        ("tar xf build/long.tar", Decision::Deny),
        ("tar xf build/above.tar", Decision::Deny),
        ("tar xf build/root.tar", Decision::Deny),
        ("tar xf build/dot.tar", Decision::Deny),
        ("tar xf build/other.tar", Decision::Allow),
        ("tar xf build/other.tar -C specs", Decision::Deny),
        ("tar xf build/other.tar -C build/dlink", Decision::Deny),
        (
            "tar xf build/other.tar --transform=s,^,specs/,",
            Decision::Deny,
        ),
        ("tar xf build/cut.tar", Decision::Deny),
        ("tar xf build/damaged.tar", Decision::Deny),
        ("tar xf build/nowhere.tar", Decision::Deny),
        ("tar xf - < build/plain.tar", Decision::Deny),
        // It may be another one by then.
        (
            "curl -o build/plain.tar x; tar xf build/plain.tar",
            Decision::Deny,
        ),
        (
            "cp build/own.tar build/plain.tar; tar xf build/plain.tar",
            Decision::Deny,
        ),
        ("unzip -o build/plain.zip", Decision::Allow),
        ("unzip -o build/own.zip", Decision::Deny),
        ("unzip -o build/own.zip -d build", Decision::Allow),
        ("unzip -o build/link.zip", Decision::Deny),
        ("unzip -o build/above.zip", Decision::Deny),
        ("unzip -o build/empty.zip", Decision::Deny),
        ("unzip -oj build/plain.zip", Decision::Deny),
    ] {
        let verdict = workspace.guard().judge_command(command.as_bytes(), root);
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}

fn zipped(archive: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(archive).expect("bytes");
    packed.finish().expect("a compressed archive")
}

/// Bytes that cannot be made shorter.
fn noise(length: usize) -> String {
    let mut state = 1_u64;
    let mut letter = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b' ' + u8::try_from(state >> 58).expect("six bits"))
    };
    (0..length).map(|_| letter()).collect()
}

#[test]
fn a_compressed_archive_is_read_so_far() {
    let workspace = Workspace::new();
    let root = workspace.path();
    let plain = |content: &str| tar(&[tar_member("src/main.c", b'0', content)]);
    let own = tar(&[tar_member("CLAUDE.md", b'0', "x")]);
    let mut both = plain("x");
    both.extend(zip(&[("CLAUDE.md", 0o100_644)]));
    let mut cut = zipped(&plain("x"));
    cut.truncate(cut.len() - 9);
    for (name, content) in [
        ("plain.tgz", zipped(&plain("x"))),
        ("own.tar.gz", zipped(&own)),
        ("cut.tgz", cut),
        ("text.gz", zipped(b"CLAUDE.md\n")),
        ("large.tgz", zipped(&plain(&"x".repeat(1 << 20)))),
        ("huge.tgz", zipped(&plain(&"x".repeat(2 << 20)))),
        ("dense.tgz", zipped(&plain(&noise(1_900_000)))),
        ("both.tar", both),
        (
            "some.zip",
            zip(&[("CLAUDE.md", 0o100_644), ("src/a.c", 0o100_644)]),
        ),
    ] {
        fs::write(root.join("build").join(name), content).expect("an archive");
    }
    for (command, expected) in [
        ("tar xzf build/plain.tgz", Decision::Allow),
        ("tar xf build/own.tar.gz", Decision::Deny),
        ("tar xf build/own.tar.gz -C src", Decision::Allow),
        ("tar xf build/cut.tgz", Decision::Deny),
        ("tar xf build/text.gz", Decision::Deny),
        ("tar xf build/large.tgz", Decision::Allow),
        ("tar xf build/huge.tgz", Decision::Deny),
        ("tar xf build/dense.tgz", Decision::Deny),
        ("cat build/plain.tgz | tar xz", Decision::Allow),
        ("zcat build/plain.tgz | tar x", Decision::Allow),
        ("cat build/own.tar.gz | tar xz", Decision::Deny),
        (
            "cat build/plain.tgz build/own.tar.gz | tar xzi",
            Decision::Deny,
        ),
        ("head -c 99 build/plain.tgz | tar xz", Decision::Deny),
        ("unzip -o build/both.tar", Decision::Deny),
        ("unzip -o build/some.zip 'src/*'", Decision::Allow),
        ("unzip -o build/some.zip 'none*'", Decision::Allow),
        ("unzip -o build/some.zip '*.MD'", Decision::Deny),
        ("unzip -o build/some.zip '*'", Decision::Deny),
        ("unzip -o build/some.zip \"$X\"", Decision::Deny),
        (
            "python3 -c \"import tarfile; tarfile.open('build/plain.tgz').extractall('.')\"",
            Decision::Allow,
        ),
        (
            "python3 -c \"import tarfile; tarfile.open('build/own.tar.gz').extractall('.')\"",
            Decision::Deny,
        ),
        (
            "python3 -c \"import shutil; shutil.unpack_archive('build/own.tar.gz', 'src')\"",
            Decision::Allow,
        ),
        (
            "python3 -c \"import tarfile; tarfile.open(x).extractall('.')\"",
            Decision::Deny,
        ),
    ] {
        let verdict = workspace.guard().judge_command(command.as_bytes(), root);
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}
