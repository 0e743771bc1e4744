//! What is going on, in a few lines that stay where they are.
//!
//! [`LiveView`] is what there is to know about a running loop and how it is
//! put into lines; it touches no terminal. [`StatusArea`] keeps such lines at
//! the bottom of one, below output that scrolls.

mod area;
mod colours;
mod line;
mod model;

pub use area::{Size, StatusArea};
pub use model::{Activity, LiveView, Paint};
