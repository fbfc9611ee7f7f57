//! The phases of a run; every message belongs to one.

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Agreeing on keys, counting the people that parties have in common, and putting values together.
    Agree,
    /// Encrypting and handing over the parts.
    Encrypt,
    /// Putting the parts together.
    Integrate,
    /// Looking for the best node.
    Search,
    /// Bringing the release home, layers and made-up rows removed.
    Release,
    /// Turning tokens into labels.
    Decode,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 6] =
        [Phase::Agree, Phase::Encrypt, Phase::Integrate, Phase::Search, Phase::Release, Phase::Decode];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Agree => "agree",
            Phase::Encrypt => "encrypt",
            Phase::Integrate => "integrate",
            Phase::Search => "search",
            Phase::Release => "release",
            Phase::Decode => "decode",
        }
    }
}
