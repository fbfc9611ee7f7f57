//! Enums whose variants have a name in the job file.

/// A closed set of choices, each with the name it is written with.
pub trait Named: Copy + 'static {
    /// All choices, in the order in which they are listed to users.
    const ALL: &'static [Self];
    /// How the choice is written.
    fn name(self) -> &'static str;
}

/// Gives an enum its names: `names!(Side { Left: "left", Right: "right" });`
///
/// The `match` has no `_` arm, so a variant without a name does not compile.
macro_rules! names {
    ($type:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $type {
            /// All choices, in the order in which they are listed to users.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// How the choice is written in the job file.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl $crate::names::Named for $type {
            const ALL: &'static [Self] = Self::ALL;
            fn name(self) -> &'static str {
                self.name()
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(super) use names;
