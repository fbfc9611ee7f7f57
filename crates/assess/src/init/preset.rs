//! What a release is for.

/// Where the release goes decides how careful the first proposal is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Nothing is said.
    #[default]
    General,
    /// Health data for partners under a contract: dates no finer than years, postcodes of three digits, ages instead of dates of birth, as the
    /// HIPAA Privacy Rule's safe harbour has it, 45 CFR 164.514(b)(2).
    Health,
    /// For research under an agreement: measured values are kept, in intervals.
    Research,
    /// For everybody, for good: like health, with classes of twenty.
    OpenData,
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 4] = [Preset::General, Preset::Health, Preset::Research, Preset::OpenData];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Preset::General => "general",
            Preset::Health => "health",
            Preset::Research => "research",
            Preset::OpenData => "open-data",
        }
    }

    /// The smallest class that suits it.
    pub fn k(self) -> u32 {
        match self {
            Preset::General | Preset::Health | Preset::Research => 5,
            Preset::OpenData => 20,
        }
    }

    /// In plain language.
    pub fn describe(self) -> &'static str {
        match self {
            Preset::General => "k = 5; measured values are left out, dates and codes may be fine",
            Preset::Health => {
                "k = 5; years instead of dates, ages instead of dates of birth, three digits of postcodes; measured values are left out"
            }
            Preset::Research => {
                "k = 5; measured values are kept in intervals, for recipients who are bound by an agreement"
            }
            Preset::OpenData => {
                "k = 20; years instead of dates, ages instead of dates of birth, three digits of postcodes; measured values are left out"
            }
        }
    }
}
