//! The programs that build and run code, and how each is told what.

/// A program that builds and runs code.
pub(super) struct Builder {
    pub(super) names: &'static [&'static str],
    /// Words before what is run. Without one of them it must come first.
    pub(super) verbs: &'static [&'static str],
    /// Options whose value is code.
    pub(super) inline: &'static [&'static str],
    pub(super) valued: &'static [&'static str],
    /// How the names of its files end.
    pub(super) endings: &'static [&'static str],
}

const fn builder(
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    inline: &'static [&'static str],
    valued: &'static [&'static str],
    endings: &'static [&'static str],
) -> Builder {
    Builder {
        names,
        verbs,
        inline,
        valued,
        endings,
    }
}

const SCRIPTS: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx"];

pub(super) const BUILDERS: &[Builder] = &[
    builder(
        &["go", "gotip"],
        &["run", "test", "generate"],
        &[],
        GO_VALUED,
        &[".go"],
    ),
    builder(&["yaegi", "gorun"], &["run"], &["-e"], &[], &[".go"]),
    builder(
        &["rust-script", "cargo-eval"],
        &[],
        &["-e", "--expr", "-l", "--loop"],
        &["-d", "--dep", "-x", "--extern", "--toolchain", "-t"],
        &[".rs", ".ers"],
    ),
    builder(
        &["cargo"],
        &["run", "r", "script", "eval", "test", "t"],
        &[],
        &[
            "--bin",
            "--example",
            "-p",
            "--package",
            "--manifest-path",
            "-Z",
            "--features",
            "-F",
        ],
        &[".rs"],
    ),
    builder(
        &["java"],
        &[],
        &[],
        &[
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--source",
            "--add-modules",
        ],
        &[".java"],
    ),
    builder(
        &["jshell"],
        &[],
        &[],
        &["-R", "--class-path"],
        &[".jsh", ".java"],
    ),
    builder(
        &["jbang"],
        &["run"],
        &["-c", "--code"],
        &["--deps"],
        &[".java", ".kt", ".jsh"],
    ),
    builder(
        &["kotlin"],
        &[],
        &["-e"],
        &["-cp", "-classpath", "-howtorun"],
        &[".kts", ".kt"],
    ),
    builder(
        &["kotlinc"],
        &["-script"],
        &["-e"],
        &["-cp", "-classpath"],
        &[".kts", ".kt"],
    ),
    builder(&["kscript"], &[], &[], &[], &[".kts", ".kt"]),
    builder(
        &["scala", "scala-cli", "amm"],
        &["run"],
        &["-e", "-c"],
        &[],
        &[".scala", ".sc"],
    ),
    builder(
        &["swift"],
        &[],
        &["-e"],
        &["-I", "-L", "-F", "-module-name"],
        &[".swift"],
    ),
    builder(
        &["dotnet"],
        &["script", "run", "fsi"],
        &[],
        &["--file"],
        &[".csx", ".cs", ".fsx"],
    ),
    builder(
        &["csi", "csharp", "fsharpi", "dotnet-script"],
        &[],
        &["-e"],
        &[],
        &[".csx", ".cs", ".fsx"],
    ),
    builder(
        &["deno"],
        &["run", "test", "serve", "bench"],
        &[],
        &["-c", "--config"],
        SCRIPTS,
    ),
    builder(
        &["bun"],
        &["run", "test"],
        &[],
        &["-r", "--require", "--import", "--preload"],
        SCRIPTS,
    ),
    builder(
        &["tsx", "vite-node", "esno"],
        &["watch"],
        &[],
        &["-r", "--require", "--import", "--tsconfig"],
        SCRIPTS,
    ),
    builder(
        &["mix"],
        &["run"],
        &["-e", "--eval"],
        &["-r"],
        &[".exs", ".ex"],
    ),
    builder(&["dart"], &["run"], &[], &["-D"], &[".dart"]),
    builder(&["zig"], &["run"], &[], &["-O", "-target"], &[".zig", ".c"]),
    builder(&["tcc"], &["-run"], &[], &["-I", "-L", "-l"], &[".c"]),
    builder(&["crystal"], &["run"], &[], &[], &[".cr"]),
    builder(&["nim"], &["r", "e"], &[], &[], &[".nim", ".nims"]),
    builder(&["v"], &["run"], &[], &[], &[".v", ".vsh"]),
    builder(&["rdmd", "dub"], &["run"], &[], &[], &[".d"]),
    builder(
        &["runghc", "runhaskell"],
        &[],
        &[],
        &["-f"],
        &[".hs", ".lhs"],
    ),
    builder(&["ghc"], &[], &["-e"], &[], &[]),
    builder(&["ocaml"], &[], &["-e"], &["-I"], &[".ml"]),
];

const GO_VALUED: &[&str] = &[
    "-C",
    "-exec",
    "-toolexec",
    "-p",
    "-mod",
    "-modfile",
    "-tags",
    "-ldflags",
    "-gcflags",
    "-asmflags",
    "-overlay",
    "-pgo",
    "-buildmode",
    "-compiler",
    "-pkgdir",
    "-run",
    "-count",
    "-timeout",
    "-coverprofile",
    "-bench",
    "-cpu",
];
