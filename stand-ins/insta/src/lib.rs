//! Nothing. `brush-parser` names its tool for tests among what it needs to run, where it is never
//! called; with this in its place, that tool and what it brings along are neither built nor
//! shipped.
