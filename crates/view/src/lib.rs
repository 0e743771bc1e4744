//! Words for people.
//!
//! Everything a person reads is made here, and everything that comes from
//! outside is [escaped](escape) on its way.

#![forbid(unsafe_code)]

pub mod answer;
pub mod chart;
pub mod document;
pub mod escape;
pub mod glyphs;
pub mod html;
pub mod live;
pub mod phrase;
pub mod prometheus;
pub mod sparkline;
