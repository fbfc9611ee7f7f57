//! Words that can be written for a closed set of choices.

/// Gives an enum its words: `words!(Trust { Untrusted: "untrusted", Trusted: "trusted" });`
macro_rules! words {
    ($type:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl paravent_job::Named for $type {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(paravent_job::Named::name(*self))
            }
        }
    };
}

pub(crate) use words;
