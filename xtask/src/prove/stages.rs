//! The stages of a proof that are tests: which they are, and what they must tell of.

/// One target, or some of its tests.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    /// What it is called on the command line.
    pub(crate) part: &'static str,
    /// What its tests must tell of; a failed test counts against the first.
    pub(crate) figures: &'static [&'static str],
    pub(crate) target: &'static [&'static str],
    /// Which of its tests; each word must match some, and `--skip` leaves some out.
    pub(crate) filters: &'static [&'static str],
}

/// In the order in which they are run.
pub(crate) const STAGES: [Stage; 15] = [
    Stage {
        name: "the memory on a disk that fails",
        part: "disk",
        figures: &["faults", "power-cuts"],
        target: &["--package", "fusebox-store", "--lib"],
        filters: &[
            "tests::crash",
            "tests::power_cut",
            "tests::sealing",
            "tests::failures",
            "tests::restarting",
            "tests::retaining",
        ],
    },
    Stage {
        name: "the memory, byte for byte",
        part: "bytes",
        figures: &["damage"],
        target: &["--package", "fusebox-store", "--lib"],
        filters: &["tests::damage", "tests::leading_astray"],
    },
    Stage {
        name: "the program, killed, refused and damaged",
        part: "program",
        figures: &[
            "faults",
            "openings",
            "records",
            "damage",
            "releases",
            "processes",
        ],
        target: &["--package", "fusebox", "--test", "faults"],
        filters: &["--skip", "tampering", "--skip", "soak"],
    },
    Stage {
        name: "tampering",
        part: "tampering",
        figures: &["tampering", "openings"],
        target: &["--package", "fusebox", "--test", "faults"],
        filters: &["tampering"],
    },
    Stage {
        name: "tampering with a fleet",
        part: "tampering",
        figures: &["tampering"],
        target: &["--package", "fusebox", "--test", "it"],
        filters: &["fleet_forgotten::"],
    },
    Stage {
        name: "hostile repositories",
        part: "repositories",
        figures: &["attacks"],
        target: &["--package", "fusebox-workspace", "--test", "it"],
        filters: &["hostile", "limits"],
    },
    Stage {
        name: "hostile agents and texts",
        part: "agents",
        figures: &["attacks", "texts"],
        target: &["--package", "fusebox", "--test", "it"],
        filters: &[
            "hostile_agent::",
            "hostile_corpus::",
            "hostile_pipes::",
            "hostile_surfaces::",
            "hostile_text::",
            "disloyal_agent::",
            "astray::",
            "memory::",
        ],
    },
    Stage {
        name: "hostile texts elsewhere",
        part: "agents",
        figures: &["texts"],
        target: &["--package", "fusebox", "--test", "it"],
        filters: &[
            "report::hostile_text",
            "in_which_hostile_text_stays_text",
            "what_a_list_says_is_shown_escaped",
        ],
    },
    Stage {
        name: "hostile texts on a screen",
        part: "agents",
        figures: &["texts"],
        target: &["--package", "fusebox-top", "--lib"],
        filters: &["nothing_hostile_comes_through"],
    },
    Stage {
        name: "what is sent",
        part: "sent",
        figures: &["texts", "attacks"],
        target: &["--package", "fusebox-notify"],
        filters: &[],
    },
    Stage {
        name: "the dashboard's gate",
        part: "dashboard",
        figures: &["requests"],
        target: &["--package", "fusebox-serve", "--lib"],
        filters: &[],
    },
    Stage {
        name: "the dashboard, asked and looked at",
        part: "dashboard",
        figures: &["requests", "texts"],
        target: &["--package", "fusebox", "--test", "it"],
        filters: &["serve::", "serve_actions::", "browsing::hostile"],
    },
    Stage {
        name: "whose the memory is",
        part: "places",
        figures: &["places"],
        target: &["--package", "fusebox", "--test", "it"],
        // No machine of ours has a remote file system.
        filters: &[
            "memory_places::",
            "a_home_of_somebody_else",
            "two_users_in_one_directory",
            "--skip",
            "a_file_system_that_cannot_be_relied_on",
        ],
    },
    Stage {
        name: "every state of the breaker",
        part: "states",
        figures: &["states"],
        target: &["--package", "fusebox-core", "--test", "exploration"],
        filters: &[],
    },
    Stage {
        name: "soak",
        part: "soak",
        figures: &["iterations", "records"],
        target: &["--package", "fusebox", "--test", "faults"],
        filters: &["soak"],
    },
];
