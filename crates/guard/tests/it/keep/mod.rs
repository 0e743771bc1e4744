//! Copies of what is protected: what is found to be lost, and how it comes back.

mod accounts;
mod bench;
mod copies;
mod losses;
