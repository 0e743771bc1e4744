//! Changing the settings of other programs and nothing else in them.
//!
//! A settings file belongs to a person. It has comments, an order, an indentation and perhaps
//! keys that nobody here has heard of, and reading it into a value and writing the value back
//! loses all of that. So each format here keeps the text as it is and changes it in places:
//! bytes go in, bytes come out, and every byte that was not asked about is the same.
//!
//! One module for each format; JSON has two, because a settings file has comments and a record of
//! work has none. Nothing here opens a file.

pub mod json;
pub mod key_value;
pub mod splice;
pub mod yaml;
