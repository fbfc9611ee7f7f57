//! What the made-up patients are made of. Weights are relative frequencies.

/// Common first names of women.
pub(super) const FEMALE_NAMES: [&str; 24] = [
    "Anna",
    "Maria",
    "Julia",
    "Laura",
    "Lena",
    "Sarah",
    "Lisa",
    "Katharina",
    "Sophie",
    "Emma",
    "Hannah",
    "Mia",
    "Ursula",
    "Monika",
    "Petra",
    "Sabine",
    "Renate",
    "Helga",
    "Karin",
    "Brigitte",
    "Claudia",
    "Susanne",
    "Andrea",
    "Heike",
];

/// Common first names of men.
pub(super) const MALE_NAMES: [&str; 24] = [
    "Peter",
    "Michael",
    "Thomas",
    "Andreas",
    "Wolfgang",
    "Klaus",
    "Juergen",
    "Stefan",
    "Christian",
    "Uwe",
    "Werner",
    "Horst",
    "Frank",
    "Dieter",
    "Martin",
    "Paul",
    "Lukas",
    "Jonas",
    "Leon",
    "Felix",
    "Maximilian",
    "Jan",
    "Tim",
    "David",
];

/// Common last names.
pub(super) const LAST_NAMES: [&str; 30] = [
    "Mueller",
    "Schmidt",
    "Schneider",
    "Fischer",
    "Weber",
    "Meyer",
    "Wagner",
    "Becker",
    "Schulz",
    "Hoffmann",
    "Schaefer",
    "Koch",
    "Bauer",
    "Richter",
    "Klein",
    "Wolf",
    "Schroeder",
    "Neumann",
    "Schwarz",
    "Zimmermann",
    "Braun",
    "Krueger",
    "Hofmann",
    "Hartmann",
    "Lange",
    "Werner",
    "Krause",
    "Lehmann",
    "Koehler",
    "Maier",
];

/// Postal codes of two regions, each with its hospitals, nearest first.
pub(super) const ZIP_CODES: [(&str, u32); 20] = [
    ("01067", 14),
    ("01069", 13),
    ("01097", 12),
    ("01099", 11),
    ("01127", 8),
    ("01129", 7),
    ("01139", 6),
    ("01157", 5),
    ("01445", 5),
    ("01454", 4),
    ("01705", 4),
    ("01723", 3),
    ("10115", 12),
    ("10117", 10),
    ("10119", 9),
    ("10245", 8),
    ("10247", 7),
    ("10405", 6),
    ("12043", 5),
    ("12045", 4),
];

/// Insurers; the hierarchy file groups them. Weights for the young, the middle-aged and the old.
pub(super) const INSURERS: [(&str, [u32; 3]); 8] = [
    ("Elbe Fund", [26, 30, 38]),
    ("City Fund", [28, 20, 10]),
    ("Trade Fund", [10, 12, 16]),
    ("Craft Fund", [8, 10, 14]),
    ("Rail Fund", [10, 8, 6]),
    ("Aurum", [6, 9, 7]),
    ("Meridian", [5, 6, 5]),
    ("Polaris", [7, 5, 4]),
];

/// A diagnosis and who gets it.
pub(super) struct Diagnosis {
    pub(super) name: &'static str,
    /// How often women and men are admitted with it.
    pub(super) weights: [u32; 2],
    /// Ages, from and to.
    pub(super) ages: (u32, u32),
    /// Days in hospital, from and to, for the young.
    pub(super) stay: (u32, u32),
    /// How much more often in winter than in summer.
    pub(super) winter: u32,
}

/// Twelve groups of diagnoses, named like the chapters of the ICD-10.
pub(super) const DIAGNOSES: [Diagnosis; 12] = [
    Diagnosis { name: "I10 hypertension", weights: [10, 10], ages: (35, 92), stay: (1, 6), winter: 1 },
    Diagnosis { name: "I21 heart attack", weights: [6, 12], ages: (38, 94), stay: (4, 14), winter: 2 },
    Diagnosis { name: "I50 heart failure", weights: [11, 11], ages: (50, 96), stay: (5, 16), winter: 2 },
    Diagnosis { name: "J18 pneumonia", weights: [9, 10], ages: (18, 96), stay: (4, 15), winter: 4 },
    Diagnosis { name: "J44 chronic lung disease", weights: [6, 8], ages: (42, 90), stay: (4, 12), winter: 3 },
    Diagnosis { name: "J45 asthma", weights: [7, 5], ages: (18, 75), stay: (2, 7), winter: 2 },
    Diagnosis { name: "E11 diabetes", weights: [9, 10], ages: (30, 90), stay: (3, 10), winter: 1 },
    Diagnosis { name: "E66 obesity", weights: [6, 4], ages: (20, 65), stay: (3, 8), winter: 1 },
    Diagnosis { name: "F10 alcohol dependence", weights: [4, 11], ages: (20, 72), stay: (5, 21), winter: 1 },
    Diagnosis { name: "F32 depression", weights: [12, 7], ages: (18, 82), stay: (10, 40), winter: 2 },
    Diagnosis { name: "C34 lung cancer", weights: [5, 8], ages: (45, 88), stay: (3, 14), winter: 1 },
    Diagnosis { name: "C50 breast cancer", weights: [13, 0], ages: (32, 88), stay: (2, 9), winter: 1 },
];
