//! The attacks by name, with what each takes for granted.

/// An attack that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attack {
    /// All rows of a class share one sensitive value.
    Homogeneity,
    /// Values are ruled out until one is left.
    BackgroundKnowledge,
    /// A sensitive value is nearly certain in a class.
    PositiveDisclosure,
    /// A sensitive value is impossible in a class.
    NegativeDisclosure,
    /// A value is far more frequent in a class than in the table.
    Skewness,
    /// The values of a class differ, but mean the same.
    Similarity,
    /// The numbers of a class differ, but by little.
    Proximity,
    /// A table with names is joined with the release.
    Linking,
    /// Two releases are laid side by side.
    UnsortedMatching,
    /// The order of rows gives the source's order away.
    RowOrder,
    /// Releases of the same people are joined and intersected.
    Composition,
    /// Releases of the same people are subtracted.
    ReleaseDifference,
    /// Is a person in the table at all?
    Membership,
    /// Why was this class generalized?
    Minimality,
    /// Generalized cells are brought back to finer ones.
    Downcoding,
    /// Correlations learnt from all buckets undo the permutation in each.
    DeFinetti,
    /// A description that fits exactly one person.
    SinglingOut,
    /// Two halves of a record are put together.
    Linkability,
    /// A secret is guessed from what is known.
    Inference,
    /// Shared or dependent columns undo a slicing.
    Relinking,
    /// A noisy value is believed.
    NoiseInversion,
    /// Answers are added and subtracted.
    QueryDifferencing,
}

impl Attack {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Attack; 22] = [
        Attack::Linking,
        Attack::SinglingOut,
        Attack::Linkability,
        Attack::Homogeneity,
        Attack::BackgroundKnowledge,
        Attack::PositiveDisclosure,
        Attack::NegativeDisclosure,
        Attack::Skewness,
        Attack::Similarity,
        Attack::Proximity,
        Attack::Inference,
        Attack::Minimality,
        Attack::Downcoding,
        Attack::Membership,
        Attack::RowOrder,
        Attack::UnsortedMatching,
        Attack::Composition,
        Attack::ReleaseDifference,
        Attack::DeFinetti,
        Attack::Relinking,
        Attack::NoiseInversion,
        Attack::QueryDifferencing,
    ];

    /// Its name on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Attack::Homogeneity => "homogeneity",
            Attack::BackgroundKnowledge => "background-knowledge",
            Attack::PositiveDisclosure => "positive-disclosure",
            Attack::NegativeDisclosure => "negative-disclosure",
            Attack::Skewness => "skewness",
            Attack::Similarity => "similarity",
            Attack::Proximity => "proximity",
            Attack::Linking => "linking",
            Attack::UnsortedMatching => "unsorted-matching",
            Attack::RowOrder => "row-order",
            Attack::Composition => "composition",
            Attack::ReleaseDifference => "release-difference",
            Attack::Membership => "membership",
            Attack::Minimality => "minimality",
            Attack::Downcoding => "downcoding",
            Attack::DeFinetti => "definetti",
            Attack::SinglingOut => "singling-out",
            Attack::Linkability => "linkability",
            Attack::Inference => "inference",
            Attack::Relinking => "relinking",
            Attack::NoiseInversion => "noise-inversion",
            Attack::QueryDifferencing => "query-differencing",
        }
    }

    /// The attack of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Attack> {
        Attack::ALL.into_iter().find(|attack| attack.name() == name)
    }

    /// The question a data-protection officer would ask.
    #[must_use]
    pub fn question(self) -> &'static str {
        match self {
            Attack::Homogeneity => "Do all who look alike share one secret?",
            Attack::BackgroundKnowledge => "How much must one rule out to learn a secret?",
            Attack::PositiveDisclosure => "Is a secret nearly certain for somebody?",
            Attack::NegativeDisclosure => "Can a secret be ruled out for somebody?",
            Attack::Skewness => "Does somebody look far more affected than the average?",
            Attack::Similarity => "Do different secrets mean the same thing?",
            Attack::Proximity => "Are different numbers nearly the same?",
            Attack::Linking => "Can a list of names be joined with the release?",
            Attack::UnsortedMatching => "Can two releases be laid side by side?",
            Attack::RowOrder => "Does the order of rows tell where they came from?",
            Attack::Composition => "What do several releases say together?",
            Attack::ReleaseDifference => "Who came and who left between two releases?",
            Attack::Membership => "Can one tell that a person is in the table?",
            Attack::Minimality => "Does the amount of generalization itself tell a secret?",
            Attack::Downcoding => "Can generalized cells be made exact again?",
            Attack::DeFinetti => "Do patterns across buckets undo the shuffling?",
            Attack::SinglingOut => "Can a description be found that fits exactly one person?",
            Attack::Linkability => "Can two halves of a record be put together?",
            Attack::Inference => "Are secrets of people in the table easier to guess?",
            Attack::Relinking => "Do shared columns undo the slicing?",
            Attack::NoiseInversion => "Can a noisy value be believed?",
            Attack::QueryDifferencing => "Do answers together tell of a few people?",
        }
    }

    /// What the attacker is taken to know and to do.
    #[must_use]
    pub fn assumption(self) -> &'static str {
        match self {
            Attack::Homogeneity => {
                "The attacker knows that a person is in the table, and all quasi-identifiers of that person."
            }
            Attack::BackgroundKnowledge => {
                "The attacker finds the person's class and can rule out sensitive values for the person; the fewer it takes, the weaker the class."
            }
            Attack::PositiveDisclosure => {
                "The attacker finds the person's class and bets on its most frequent sensitive value."
            }
            Attack::NegativeDisclosure => {
                "The attacker finds the person's class and sees that a protected value does not occur there."
            }
            Attack::Skewness => {
                "The attacker knows how frequent each sensitive value is overall, and compares the person's class with that."
            }
            Attack::Similarity => {
                "The attacker is content with the group a sensitive value belongs to, such as \u{201c}some stomach disease\u{201d}."
            }
            Attack::Proximity => {
                "The attacker finds the person's class and is content with a narrow interval for the number."
            }
            Attack::Linking => {
                "The attacker has a table with names and the same quasi-identifiers, and joins it with the release."
            }
            Attack::UnsortedMatching => {
                "The attacker has two releases of one table and takes rows at the same position for the same person."
            }
            Attack::RowOrder => {
                "The attacker knows the order of the source, such as the order of admission, and looks for it in the release."
            }
            Attack::Composition => {
                "The attacker knows that a person is in both releases, whose sensitive values did not change in between."
            }
            Attack::ReleaseDifference => {
                "The attacker takes the newer release for the older one with rows added or removed, and subtracts."
            }
            Attack::Membership => {
                "The attacker knows everybody who might be in the table, with all quasi-identifiers, and asks who is."
            }
            Attack::Minimality => {
                "The attacker knows everybody's quasi-identifiers, the algorithm, and that it generalizes no more than it must."
            }
            Attack::Downcoding => {
                "The attacker knows how frequent the exact values are in the population, and that nothing was generalized without need."
            }
            Attack::DeFinetti => {
                "The attacker sees which values share a bucket and learns from all buckets together how they go with each other."
            }
            Attack::SinglingOut => {
                "The attacker reads descriptions off the release; each is tried on the original table, and on people outside it (or against a blind guess)."
            }
            Attack::Linkability => {
                "The attacker holds two lists about the same people with different columns, and uses the release to join them."
            }
            Attack::Inference => {
                "The attacker knows the quasi-identifiers and bets on the most frequent secret of the class; bets on people outside the table (or blind ones) are the control."
            }
            Attack::Relinking => {
                "The attacker knows which value of one column group goes with which value of the other, or sees a column in both."
            }
            Attack::NoiseInversion => "The attacker knows the noise and how frequent each value is.",
            Attack::QueryDifferencing => {
                "The attacker sees the answers to all queries, and adds and subtracts them."
            }
        }
    }

    /// Where the attack is described.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Attack::Homogeneity
            | Attack::BackgroundKnowledge
            | Attack::PositiveDisclosure
            | Attack::NegativeDisclosure => "Machanavajjhala et al., \u{2113}-Diversity, TKDD 2007",
            Attack::Skewness | Attack::Similarity => "Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007",
            Attack::Proximity => "Li, Tao and Xiao, Proximity Privacy, SIGMOD 2008",
            Attack::Linking | Attack::UnsortedMatching | Attack::RowOrder => {
                "Sweeney, k-Anonymity, IJUFKS 2002"
            }
            Attack::Composition | Attack::ReleaseDifference => {
                "Ganta, Kasiviswanathan and Smith, Composition Attacks, KDD 2008; Sweeney 2002"
            }
            Attack::Membership => {
                "Nergiz, Atzori and Clifton, Hiding the Presence of Individuals, SIGMOD 2007"
            }
            Attack::Minimality => "Wong, Fu, Wang and Pei, Minimality Attack, VLDB 2007",
            Attack::Downcoding => "Cohen, Attacks on Deidentification's Defenses, USENIX Security 2022",
            Attack::DeFinetti => "Kifer, Attacks on Privacy and deFinetti's Theorem, SIGMOD 2009",
            Attack::SinglingOut | Attack::Linkability | Attack::Inference => {
                "Giomi et al., Anonymeter, PoPETs 2023"
            }
            Attack::Relinking => "Li et al., Slicing, TKDE 2012",
            Attack::NoiseInversion => "Warner, Randomized Response, JASA 1965",
            Attack::QueryDifferencing => "Denning, Denning and Schwartz, The Tracker, TODS 1979",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for attack in Attack::ALL {
            assert_eq!(Attack::named(attack.name()), Some(attack));
        }
        assert_eq!(Attack::named("magic"), None);
        let distinct: std::collections::BTreeSet<Attack> = Attack::ALL.into_iter().collect();
        assert_eq!(distinct.len(), Attack::ALL.len());
    }
}
