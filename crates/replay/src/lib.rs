//! Recorded sessions, judged as if they happened now.
//!
//! A breaker is worth what its verdicts are worth, and anybody can find out on
//! the sessions they have: when would it have warned and stopped, was that
//! right, and what would it have saved?
//!
//! ```text
//! file ──▶ lines ──▶ reader ──▶ Heard ──▶ CallEvent ──▶ Follower
//!          (file)    (readers)  (desk)    (conversation)
//! ```
//!
//! A reader for each format turns lines into what was [`Heard`]; the desk sorts
//! it into sessions; a conversation makes of it the events of
//! [`fusebox_core::calls`], the same ones that are made when an agent is
//! listened to live; and a [`Follower`] judges them or keeps them. Files are read
//! in pieces and never whole, so that their size does not matter.
//!
//! Nothing here prints, and nothing decides but the detector itself.

mod conversation;
mod desk;
mod edits;
mod file;
mod folds;
mod follow;
mod format;
mod frontier;
mod heard;
mod hooked;
mod inject;
mod knobs;
mod labels;
mod lines;
mod peers;
mod plot;
mod readers;
mod score;
mod share;
mod strip;
mod supervisor;
mod survey;
mod tally;
mod times;
mod tune;

pub use conversation::Conversation;
pub use desk::{Oddity, Told};
pub use file::{FileReport, read_from};
pub use folds::{Fold, Folds, fold};
pub use follow::{Follower, Judging, Point, Recording, Verdicts};
pub use format::Format;
pub use frontier::{MOST_POLICIES, Range, Trial, combinations};
pub use heard::{Answered, Called, Heard, Identity, Listener};
pub use hooked::{call_id, hooked, said_before};
pub use inject::{IN_TIME, Injected, Noticed, ROUNDS, Trouble, inject, notice};
pub use knobs::{NoSetting, NoSuchNumber, Setting, numbers, with};
pub use labels::{Group, Labels};
pub use peers::Peer;
pub use plot::{Mark, plot};
pub use readers::stream::heard;
pub use score::{Case, Found, Score, find_in, judge, score};
pub use share::Share;
pub use strip::{Strip, Tick};
pub use supervisor::{NoLabel, Opinion, Supervisor};
pub use survey::{Progress, Surveyed, find, survey};
pub use tally::{Savings, Tally};
pub use tune::{Proposal, Tolerance, Tuning, tune};
