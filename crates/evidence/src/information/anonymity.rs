//! Who did it? The degree of anonymity.

use super::entropy::{NotProbabilities, entropy};
use serde::Serialize;

/// What an observer who gives every user a probability does not know.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Anonymity {
    /// Users, those with probability 0 included.
    pub users: usize,
    /// `H = −Σ p log₂ p`, in bits.
    pub entropy: f64,
    /// `d = H / log₂ n`: 1 if all users are equally likely, 0 if one is certain, and 0 if there is only one.
    pub degree: f64,
    /// `2^H`: the number of equally likely users that would be as anonymous.
    pub effective_users: f64,
}

/// The degree of anonymity of Díaz, Seys, Claessens & Preneel ("Towards measuring anonymity", PET 2002): `p_i` is the probability,
/// after the observation, that user `i` did it.
///
/// # Errors
/// If the numbers are not probabilities that sum to 1.
///
/// ```
/// # use paravent_evidence::information::anonymity::degree_of_anonymity;
/// let found = degree_of_anonymity(&[0.5, 0.25, 0.125, 0.125])?;
/// assert_eq!((found.entropy, found.degree), (1.75, 0.875));
/// # Ok::<(), paravent_evidence::information::NotProbabilities>(())
/// ```
pub fn degree_of_anonymity(probabilities: &[f64]) -> Result<Anonymity, NotProbabilities> {
    let (users, entropy) = (probabilities.len(), entropy(probabilities)?);
    let degree = if users < 2 { 0.0 } else { (entropy / (users as f64).log2()).min(1.0) };
    Ok(Anonymity { users, entropy, degree, effective_users: entropy.exp2() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_the_literature() {
        let cases: [(&[f64], f64, f64); 5] = [
            (&[0.25; 4], 2.0, 1.0),
            (&[0.5, 0.25, 0.125, 0.125], 1.75, 0.875),
            (&[0.7, 0.1, 0.1, 0.1], 1.35678, 0.67839),
            (&[1.0, 0.0, 0.0, 0.0], 0.0, 0.0),
            (&[1.0], 0.0, 0.0),
        ];
        for (probabilities, entropy, degree) in cases {
            let found = degree_of_anonymity(probabilities).unwrap();
            assert!(
                (found.entropy - entropy).abs() < 1e-6 && (found.degree - degree).abs() < 1e-6,
                "{probabilities:?}"
            );
        }
    }

    #[test]
    fn users_without_a_chance_still_count() {
        assert_eq!(degree_of_anonymity(&[0.5, 0.5, 0.0, 0.0]).unwrap().degree, 0.5);
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for wrong in [&[][..], &[0.5, 0.6], &[1.5, -0.5], &[f64::NAN, 1.0]] {
            assert!(degree_of_anonymity(wrong).is_err(), "{wrong:?}");
        }
    }
}
