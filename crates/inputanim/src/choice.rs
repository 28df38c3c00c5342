//! Enumerations whose values have names: a layout, a space, the shape of a table.

use std::fmt;

/// Declares an enumeration, and gives it `ALL`, `name`, `Display` and `FromStr`. Names are parsed in any case. A name
/// after `|` is parsed too.
///
/// ```
/// inputanim::named_enum! {
///     /// A direction.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum Direction: "direction" {
///         /// Upwards.
///         Up => "up",
///         /// Downwards.
///         Down => "down" | "below",
///     }
/// }
/// assert_eq!("Below".parse(), Ok(Direction::Down));
/// let error = "left".parse::<Direction>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown direction \"left\"; expected up, down or below");
/// ```
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        pub enum $type:ident: $kind:literal {
            $($(#[$variant_meta:meta])* $variant:ident => $name:literal $(| $alias:literal)*),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        pub enum $type { $($(#[$variant_meta])* $variant),+ }

        impl $type {
            /// Every value.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            /// Parses a name. Case does not matter.
            fn from_str(text: &str) -> ::std::result::Result<$type, $crate::UnknownName> {
                const NAMES: &[(&str, $type)] =
                    &[$(($name, $type::$variant), $(($alias, $type::$variant),)*)+];
                let mut names = NAMES.iter();
                let found = names.find(|(name, _)| name.eq_ignore_ascii_case(text));
                found.map(|&(_, value)| value).ok_or_else(|| {
                    let names = NAMES.iter().map(|&(name, _)| name);
                    $crate::UnknownName::new($kind, text, names)
                })
            }
        }
    };
}

/// A string that is not one of the names of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// The kind of name, such as `layout`.
    pub kind: &'static str,
    /// The string.
    pub name: String,
    /// The known names.
    pub expected: Vec<&'static str>,
}

impl UnknownName {
    /// Returns the error of a string that names nothing of a kind.
    pub fn new(
        kind: &'static str,
        name: &str,
        expected: impl IntoIterator<Item = &'static str>,
    ) -> UnknownName {
        UnknownName {
            kind,
            name: name.to_owned(),
            expected: expected.into_iter().collect(),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} \"{}\"; expected ", self.kind, self.name)?;
        let last = self.expected.len().saturating_sub(1);
        for (index, name) in self.expected.iter().enumerate() {
            let separator = match index {
                0 => "",
                _ if index == last => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{name}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownName {}
