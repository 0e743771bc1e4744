//! What calls do in the languages that agents write one-liners in.

/// Calls that take files away.
pub(super) const DELETING: &[&str] = &[
    "rmtree",
    "unlink",
    "unlinkSync",
    "rmSync",
    "rmdirSync",
    "rmdir",
    "removedirs",
    "os.remove",
    "removeSync",
    "remove_tree",
    "rm_rf",
    "rm_r",
    "rm_f",
    "FileUtils.rm",
    "File.delete",
    "Dir.delete",
    "Dir.rmdir",
    "fs.rm",
    "fsp.rm",
    "promises.rm",
    "rimraf",
    "emptyDirSync",
    "delete_if_exists",
    "deleteTree",
    "os.RemoveAll",
    "Deno.remove",
    "Deno.removeSync",
    "Remove-Item",
    "os.unlink",
    "file.remove",
    "unlinkat",
    "send2trash",
    "remove_entry",
    "Path.rm",
    "rm(",
    "remove_dir",
    "remove_file",
    "remove_entry_secure",
    "deleteDir",
    "delete-file",
    "delete-directory",
    "move-file-to-trash",
];

/// Calls that give files another name.
pub(super) const RENAMING: &[&str] = &[
    "os.rename",
    "os.renames",
    "os.replace",
    ".rename",
    "renameSync",
    "rename",
    "shutil.move",
    "moveSync",
    "FileUtils.mv",
    "File.rename",
    "Deno.rename",
    "move(",
    "mv(",
    "Move-Item",
    "rename-file",
];

/// Calls that replace what files hold.
pub(super) const WRITING: &[&str] = &[
    "write_text",
    "write_bytes",
    "writeFileSync",
    "writeFile",
    "createWriteStream",
    "truncate",
    "truncateSync",
    "ftruncate",
    "copyfile",
    "copyFileSync",
    "copyFile",
    "shutil.copy",
    "copy2",
    "copytree",
    "cpSync",
    "symlinkSync",
    "os.symlink",
    "File.write",
    "IO.write",
    "FileUtils.cp",
    "file_put_contents",
    "Bun.write",
    "Deno.writeTextFile",
    "Deno.writeFile",
    "Set-Content",
    "Out-File",
    "Clear-Content",
    "outputFileSync",
    "spurt",
    "io.output",
    "writeLines",
    "fileinput",
    "spew",
    "O_TRUNC",
    "O_WRONLY",
    "copy(",
    "cp(",
    "urlretrieve",
    "savetxt",
    "to_csv",
    "to_json",
    "$^I",
    "$-i",
    "write-region",
    "write-file",
    "with-temp-file",
    "save-buffer",
    "copy-file",
];

/// Those of them that are told first what they write to, and then perhaps what.
pub(super) const NAMED_FIRST: &[&str] = &[
    "writeFileSync",
    "writeFile",
    "createWriteStream",
    "truncateSync",
    "File.write",
    "IO.write",
    "file_put_contents",
    "Bun.write",
    "Deno.writeTextFile",
    "Deno.writeFile",
    "outputFileSync",
    "savetxt",
    "to_csv",
    "to_json",
];

/// Those of them that write to what they are called on.
pub(super) const WRITING_ITSELF: &[&str] = &["write_text", "write_bytes"];

/// What `remove` and `delete` are called on where it is files that go.
pub(super) const HANDLES: &[&str] = &[
    "os",
    "fs",
    "fsp",
    "fse",
    "promises",
    "File",
    "Files",
    "Dir",
    "Path",
    "Pathname",
    "FileUtils",
    "Deno",
    "file",
    "path",
    "rimraf",
    "filesystem",
];

/// Those of them that take what they write from a file named first.
pub(super) const COPYING: &[&str] = &[
    "copyfile",
    "copyFileSync",
    "copyFile",
    "shutil.copy",
    "copy2",
    "copytree",
    "cpSync",
    "FileUtils.cp",
    "copy(",
    "cp(",
    "urlretrieve",
];

/// Calls that unpack an archive.
pub(super) const EXTRACTING: &[&str] = &["extractall", "unpack_archive", "extractAllTo"];

/// Calls whose argument is only read.
pub(super) const READING: &[&str] = &[
    "readFileSync(",
    "readFile(",
    "File.read(",
    "IO.read(",
    "file_get_contents(",
    "slurp(",
    "readTextFile(",
    "Bun.file(",
    "File.readlines(",
    "readlines(",
    "exists(",
    "existsSync(",
    "isfile(",
    "isdir(",
    "getsize(",
    "statSync(",
    "os.stat(",
    "accessSync(",
    "load(",
    "require(",
    "__import__(",
    "import_module(",
    "import(",
];

/// Calls that open a file to write, by the mode they are given.
pub(super) const OPENING: &[&str] = &[
    "open",
    "fopen",
    "openSync",
    "File.open",
    "io.open",
    "File.new",
    "sysopen",
    "basicConfig",
    "FileHandler",
];

/// Calls that start another program.
pub(super) const STARTING: &[&str] = &[
    "system",
    "popen",
    "Popen",
    "subprocess",
    "check_call",
    "check_output",
    "execSync",
    "exec",
    "spawnSync",
    "spawn",
    "execFile",
    "execFileSync",
    "qx",
    "shell_exec",
    "passthru",
    "proc_open",
    "os.execute",
    "execvp",
    "execv",
    "execl",
    "execlp",
    "call",
    "getoutput",
    "Open3",
    "IO.popen",
    "os.spawnlp",
    "posix_spawn",
    "pcntl_exec",
    "run",
    "sh",
    "Bun.$",
    "$`",
    "%x",
];

/// Calls that list files, so that a name stands for everything beneath it.
pub(super) const LISTING: &[&str] = &[
    "listdir",
    "glob",
    "rglob",
    "iglob",
    "walk",
    "scandir",
    "iterdir",
    "readdirSync",
    "readdir",
    "Dir[",
    "Dir.glob",
    "Dir.children",
    "opendir",
    "globSync",
    "expand(",
    "os.walk",
    "<*",
];

/// Those of some names that code has at all.
pub(super) fn present(code: &str, names: &[&'static str]) -> Vec<&'static str> {
    let here = names.iter().filter(|name| code.contains(**name));
    here.copied().collect()
}

/// The names in these tables that a program has at all, so that a long one is not searched
/// for each of them again and again.
pub(super) struct Tables {
    pub(super) deleting: Vec<&'static str>,
    pub(super) perhaps_deleting: Vec<&'static str>,
    pub(super) renaming: Vec<&'static str>,
    pub(super) replacing: Vec<&'static str>,
    pub(super) writing: Vec<&'static str>,
    pub(super) opening: Vec<&'static str>,
    pub(super) listing: Vec<&'static str>,
}

impl Tables {
    pub(super) fn of(code: &str) -> Self {
        Self {
            deleting: present(code, DELETING),
            perhaps_deleting: present(code, &["remove", "delete", "discard"]),
            renaming: present(code, RENAMING),
            replacing: present(code, &["replace"]),
            writing: present(code, WRITING),
            opening: present(code, OPENING),
            listing: present(code, LISTING),
        }
    }
}
