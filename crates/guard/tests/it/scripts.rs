//! Programs in files that were there before. They are longer than what a command spells out
//! and name much that they only look at, so that less is believed of them.

use std::fs;

use crate::workspace::Workspace;
use fusebox_guard::Decision;

/// The name of a script, what it holds, how it is run, and what is expected.
const SCRIPTS: &[(&str, &str, &str, Decision)] = &[
    (
        "wipe.py",
        "import shutil\ndef wipe(d):\n    shutil.rmtree(d)\nwipe('specs')\n",
        "python3 build/wipe.py",
        Decision::Deny,
    ),
    (
        "wipe.py",
        "import shutil\ndef wipe(d):\n    shutil.rmtree(d)\nwipe('build/specs')\n",
        "python3 build/wipe.py",
        Decision::Allow,
    ),
    (
        "argument.py",
        "import argparse, shutil\nap = argparse.ArgumentParser()\nap.add_argument('dir')\n\
         shutil.rmtree(ap.parse_args().dir)\n",
        "python3 build/argument.py specs",
        Decision::Deny,
    ),
    (
        "argument.py",
        "import argparse, shutil\nap = argparse.ArgumentParser()\nap.add_argument('dir')\n\
         shutil.rmtree(ap.parse_args().dir)\n",
        "python3 build/argument.py build/specs",
        Decision::Allow,
    ),
    (
        "list.py",
        "import shutil\nTARGETS = [\n    'build/x.o',\n    'specs',\n]\nfor t in TARGETS:\n    shutil.rmtree(t)\n",
        "python3 build/list.py",
        Decision::Deny,
    ),
    (
        "write.js",
        "const fs = require('fs');\nconst put = (p, s) => fs.writeFileSync(p, s);\nput('CLAUDE.md', '');\n",
        "node build/write.js",
        Decision::Deny,
    ),
    // What is read stays what is read, and what is named has a place of its own.
    (
        "build.py",
        "from pathlib import Path\nout = Path('build/all.md')\n\
         text = [p.read_text() for p in Path('specs').glob('*.md')]\nout.write_text(''.join(text))\n",
        "python3 build/build.py",
        Decision::Allow,
    ),
    (
        "copy.js",
        "const fs = require('fs');\nconst all = fs.readFileSync('CLAUDE.md', 'utf8');\n\
         fs.writeFileSync('build/copy.md', all);\nfs.rmSync('build/x.o');\n",
        "node build/copy.js",
        Decision::Allow,
    ),
    // Programs that are built first.
    (
        "wipe.go",
        "package main\n\nimport \"os\"\n\nfunc wipe(d string) {\n\tos.RemoveAll(d)\n}\n\n\
         func main() {\n\twipe(\"specs\")\n}\n",
        "go run build/wipe.go",
        Decision::Deny,
    ),
    (
        "wipe.go",
        "package main\n\nimport \"os\"\n\nfunc main() {\n\tos.RemoveAll(\"build/specs\")\n}\n",
        "go run build/wipe.go",
        Decision::Allow,
    ),
    (
        "wipe.go",
        "package main\n\nimport (\n\t\"flag\"\n\t\"os\"\n)\n\nfunc main() {\n\tflag.Parse()\n\t\
         os.RemoveAll(flag.Arg(0))\n}\n",
        "go run build/wipe.go specs",
        Decision::Deny,
    ),
    (
        "wipe.go",
        "package main\n\nimport \"os\"\n\nfunc main() {\n\tp := \"specs\"\n\tos.RemoveAll(p)\n}\n",
        "go run ./build",
        Decision::Deny,
    ),
    (
        "wipe.go",
        "package main\n\nimport \"os/exec\"\n\nfunc main() {\n\t\
         exec.Command(\"git\", \"clean\", \"-fdx\").Run()\n}\n",
        "cd build && go run .",
        Decision::Allow,
    ),
    (
        "wipe.go",
        "package main\n\nimport \"os/exec\"\n\nfunc main() {\n\t\
         exec.Command(\"rm\", \"-rf\", \"../specs\").Run()\n}\n",
        "cd build && go run . -v",
        Decision::Deny,
    ),
    // Of a package only that counts which a call names outright.
    (
        "wipe.go",
        "package main\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n)\n\nvar known = []string{\n\t\"CLAUDE.md\",\n}\n\n\
         func drop(d string) {\n\tos.RemoveAll(d)\n\tos.Remove(d + \"/specs\")\n\t\
         exec.Command(\"git\", \"clean\", \"-fdx\", d).Run()\n}\n",
        "go run ./build specs",
        Decision::Allow,
    ),
    (
        "wipe_test.go",
        "package main\n\nimport \"os\"\n\nfunc init() {\n\tos.RemoveAll(\"specs\")\n}\n",
        "go run ./build; go test ./build",
        Decision::Allow,
    ),
    (
        "wipe.ts",
        "import { rmSync } from 'node:fs';\nrmSync('specs', { recursive: true });\n",
        "deno run -A build/wipe.ts",
        Decision::Deny,
    ),
    (
        "wipe.rs",
        "fn main() {\n    std::fs::remove_dir_all(\"specs\").unwrap();\n}\n",
        "rust-script build/wipe.rs",
        Decision::Deny,
    ),
    (
        "Wipe.java",
        "class Wipe {\n  public static void main(String[] words) {\n    \
         new java.io.File(\"CLAUDE.md\").delete();\n  }\n}\n",
        "java build/Wipe.java",
        Decision::Deny,
    ),
    // What it could be is not known, and nothing protected is named.
    (
        "unknown.py",
        "import os, sys\nfor line in sys.stdin:\n    os.remove(line.strip() + '.json')\n",
        "python3 build/unknown.py",
        Decision::Allow,
    ),
];

#[test]
fn a_script_that_was_there_is_judged_by_what_is_protected_in_it() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    for (name, code, command, expected) in SCRIPTS {
        let path = workspace.path().join("build").join(name);
        fs::write(path, code).expect("a script");
        let verdict = guard.judge_command(command.as_bytes(), workspace.path());
        assert_eq!(verdict.decision, *expected, "{code}{}", verdict.why);
    }
}
