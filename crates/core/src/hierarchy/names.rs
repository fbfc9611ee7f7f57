//! Choices with the names they are written with.

/// Gives an enum its names: `names!(Side { Left: "left", Right: "right" });`
///
/// The `match` has no `_` arm, so a variant without a name does not compile.
macro_rules! names {
    ($type:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $type {
            /// All choices, in the order in which they are listed to users.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// How the choice is written in job files and `transform.json`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
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
