//! Programs that only read what they are pointed at, or that do not take files at all.
//!
//! Build tools and test runners are here as well. They run code of the repository and could
//! do anything, but not because of a path they are given; what they do is verified afterwards.

/// Their names.
const READERS: &str = "\
    cat tac nl head tail less more most bat batcat wc grep egrep fgrep rg ag ack ugrep cut paste \
    join comm diff colordiff delta cmp diff3 vimdiff icdiff file stat ls dir vdir tree exa \
    eza lsd du df md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum \
    md5 base64 base32 od hexdump hexyl strings fold fmt pr expand unexpand tr rev column \
    look readlink realpath basename dirname test [ zcat bzcat xzcat zstdcat zless zgrep touch \
    mkdir mkfifo echo printf which type whereis man info help apropos sleep date id whoami \
    groups env printenv ps top htop kill pgrep pidof lsof fuser uname hostname uptime free \
    vmstat seq yes expr bc dc factor numfmt tput clear reset stty tty true false sync \
    inotifywait fswatch entr pytest py.test tox nox jest mocha vitest rspec phpunit ctest \
    cucumber behave bats shellcheck mypy pyright pylint flake8 bandit rubocop golangci-lint \
    hadolint yamllint jsonlint vale lychee aspell hunspell npm pnpm yarn bun cargo cmake \
    ninja meson gradle mvn ant pip pip3 poetry uv conda gem bundle rake composer mix dotnet \
    stack cabal sbt lein bazel buck task gh glab hub docker podman kubectl helm terraform \
    aws gcloud az ssh scp sftp ping dig nslookup host nc telnet open xdg-open code cursor pbcopy \
    xclip xsel wl-copy glow mdcat tokei cloc scc wdiff ctags cscope fusebox claude codex gemini \
    opencode copilot aider dcg getfacl lsattr getfattr namei find-up fzf pv tsort ptx cal dmesg \
    journalctl systemctl logger wall mktemp apt apt-get brew dnf yum pacman snap \
    col colrm ul hd rgrep pcregrep pcre2grep zdiff zcmp bzgrep xzgrep zstdgrep zegrep zfgrep \
    zmore bzless xzless bzmore b3sum xxhsum xxh64sum crc32 pygmentize highlight chardetect \
    uchardet enca jless fx difft diffstat lsdiff size readelf objdump addr2line c++filt locate \
    plocate rga semgrep csvlook csvstat xsv pdfinfo identify mediainfo sloccount \
    createdb dropdb createuser dropuser redis-cli mongosh mongo influx cqlsh clickhouse-client \
    cspell markdown-link-check mdl markdownlint-cli proselint alex write-good \
    linkinator htmlhint htmltest spectral commitlint textstat languagetool mdspell dead-link \
    actionlint checkov tflint kubeconform kubeval helm-lint cfn-lint ansible-lint gitleaks trivy";

pub(super) fn contains(name: &str) -> bool {
    READERS.split_ascii_whitespace().any(|own| own == name)
}
