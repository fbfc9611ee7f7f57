//! Noise that depends on another column: a response for each of its values.

use crate::exact::Ratio;
use crate::likelihood::{LikelihoodRatio, delta_of, ratio_of};
use crate::response::{DomainsDiffer, Response};

/// A response for every value of another column, all over the same values.
///
/// What a cell is shown as may then tell about the other column, too. So ε is taken over all rows of all matrices: it bounds what the cell tells about the
/// two together, whatever becomes of the other column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cases(Vec<Response>);

impl Cases {
    /// The responses, by the code of the other column. `None` where there is none.
    pub fn new(responses: Vec<Response>) -> Option<Result<Cases, DomainsDiffer>> {
        let first = responses.first()?.domain();
        let other = responses.iter().map(Response::domain).find(|domain| *domain != first);
        Some(match other {
            Some(second) => Err(DomainsDiffer { first, second }),
            None => Ok(Cases(responses)),
        })
    }

    /// The response where the other column has this code.
    pub fn at(&self, code: u32) -> Option<&Response> {
        self.0.get(code as usize)
    }

    /// All responses.
    pub fn all(&self) -> &[Response] {
        &self.0
    }

    fn rows(&self) -> Vec<Vec<(u32, Ratio)>> {
        let rows = self.0.iter().flat_map(|response| (0..response.domain()).map(|from| response.row(from)));
        rows.collect()
    }

    /// The worst ratio of likelihoods over values of both columns, from which ε follows.
    pub fn likelihood_ratio(&self) -> LikelihoodRatio {
        match self.0.as_slice() {
            [only] => only.likelihood_ratio(),
            _ => ratio_of(&self.rows()),
        }
    }

    /// The δ for an ε, over values of both columns.
    pub fn delta_at(&self, epsilon: &Ratio) -> Option<Ratio> {
        match self.0.as_slice() {
            [only] => only.delta_at(epsilon),
            _ => Some(delta_of(&self.rows(), &epsilon.exp_below()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::Distribution;
    use crate::exact::Probability;

    fn coin(p: &str) -> Response {
        Response::new(Probability::parse(p).unwrap(), Distribution::uniform(2).unwrap())
    }

    fn biased(p: &str, weights: [&str; 2]) -> Response {
        let weights = weights.map(|weight| Ratio::parse(weight).unwrap()).to_vec();
        Response::new(Probability::parse(p).unwrap(), Distribution::given(weights).unwrap())
    }

    #[test]
    fn one_case_is_the_response() {
        let cases = Cases::new(vec![coin("0.5")]).unwrap().unwrap();
        assert_eq!(cases.likelihood_ratio(), coin("0.5").likelihood_ratio());
        assert_eq!(cases.at(1), None);
    }

    /// The dearest case alone would be too little: an answer that is likely in one case and rare in the other tells the case.
    #[test]
    fn the_cost_covers_what_the_answer_tells_about_the_other_column() {
        let (one, other) = (biased("0.9", ["0.9", "0.1"]), biased("0.9", ["0.1", "0.9"]));
        let cases = Cases::new(vec![one.clone(), other.clone()]).unwrap().unwrap();
        let LikelihoodRatio::Finite(both) = cases.likelihood_ratio() else { panic!("finite") };
        let LikelihoodRatio::Finite(dearest) = one.likelihood_ratio() else { panic!("finite") };
        // By hand: shown as 0 with 0.91 where it is 0 in the first case, with 0.09 where it is 1 in the second.
        assert_eq!(both, Ratio::parse("91/9").unwrap());
        assert!(both > dearest);
        let worst = (0..2).flat_map(|from| (0..2).map(move |to| (from, to)));
        let all = worst.flat_map(|(from, to)| [one.probability(from, to), other.probability(from, to)]);
        assert!(all.clone().max().unwrap() == Ratio::parse("0.91").unwrap());
    }

    #[test]
    fn cases_over_different_values_are_refused() {
        let three = Response::new(Probability::parse("0.5").unwrap(), Distribution::uniform(3).unwrap());
        assert!(Cases::new(vec![coin("0.5"), three]).unwrap().is_err());
        assert!(Cases::new(vec![]).is_none());
    }
}
