//! Class sizes that practice asks for.

/// A class size in common use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// Rows of the smallest class; the risk of a row is at most `1/k`.
    pub k: u64,
    /// Who uses it.
    pub source: &'static str,
}

/// From the mildest to the strictest. They are conventions, not laws: which one suits depends on who gets the data.
pub const COMMON: [Threshold; 3] = [
    Threshold {
        k: 5,
        source: "risk 0.2; the usual smallest cell for data given under contract (El Emam, Guide to the De-Identification of \
                 Personal Health Information, 2013)",
    },
    Threshold {
        k: 11,
        source: "risk 0.09; European Medicines Agency, policy 0070, and Health Canada, Public Release of Clinical \
                 Information; also the smallest cell of the US Centers for Medicare & Medicaid Services",
    },
    Threshold {
        k: 20,
        source: "risk 0.05; the strictest of the values in common use, for data anybody can get (El Emam 2013)",
    },
];
