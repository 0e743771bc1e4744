//! Entries that are written as rows: a list of values without their names.
//!
//! The state holds a hundred of them and is read and written for every call, so
//! that names would be most of it.

/// A struct whose JSON is the list of its fields.
macro_rules! row {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident { $($(#[$what:meta])* $field:ident: $kind:ty,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis struct $name {
            $($(#[$what])* $vis $field: $kind,)+
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                ($(self.$field,)+).serialize(to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let ($($field,)+) = <($($kind,)+)>::deserialize(from)?;
                Ok(Self { $($field,)+ })
            }
        }
    };
}

pub(super) use row;
