//! `breaks`: numbers between free points, open at both ends.

use super::Kind;
use crate::types::Type;
use num_bigint::BigInt;

use super::TOP;
use crate::VerifyError;
use crate::decimal::Decimal;
use crate::json::Node;

/// The labels of every level from 1, written out; `*` follows.
pub(crate) struct Breaks {
    levels: Vec<Vec<String>>,
}

impl Breaks {
    pub(super) fn parse(node: &Node<'_>, _: Type) -> Result<Breaks, VerifyError> {
        let grid = node.get("grid")?;
        let is_whole = match grid.str()? {
            "integer" => true,
            "decimal" => false,
            _ => return Err(grid.bad("must be integer or decimal")),
        };
        let list = node.get("levels")?;
        let mut levels = Vec::new();
        let mut below: Option<Vec<Decimal>> = None;
        for level in list.items()? {
            let at = level.get("at")?;
            let points: Vec<Decimal> = at.items()?.map(|item| item.decimal()).collect::<Result<_, _>>()?;
            if points.is_empty() || points.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(at.bad("must ascend"));
            }
            if is_whole && points.iter().any(|point| point.scale() > 0) {
                return Err(at.bad("must be whole numbers"));
            }
            if below.as_ref().is_some_and(|below| points.iter().any(|point| !below.contains(point))) {
                return Err(at.bad("must be points of the level below"));
            }
            levels.push(match level.optional("labels") {
                Some(labels) => {
                    let names = labels.items()?.map(|item| item.str().map(str::to_owned));
                    let names: Vec<String> = names.collect::<Result<_, _>>()?;
                    if names.len() != points.len() + 1 {
                        return Err(labels.bad("must be one more than points"));
                    }
                    names
                }
                None => spelled(&points, is_whole),
            });
            below = Some(points);
        }
        if levels.is_empty() { Err(list.bad("must not be empty")) } else { Ok(Breaks { levels }) }
    }

    pub(super) fn height(&self) -> u64 {
        self.levels.len() as u64 + 1
    }

    pub(super) fn admits_value(&self, text: &str) -> bool {
        Decimal::parse(text).is_some()
    }

    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        if level == self.height() {
            return text == TOP;
        }
        let labels = level.checked_sub(1).and_then(|index| self.levels.get(usize::try_from(index).ok()?));
        labels.is_some_and(|labels| labels.iter().any(|label| label == text))
    }
}

impl Kind for Breaks {
    fn height(&self) -> u64 {
        Breaks::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Breaks::admits_label(self, level, text)
    }

    fn admits_value(&self, text: &str, kind: Type) -> bool {
        kind.fits(text) && Breaks::admits_value(self, text)
    }
}

fn spelled(points: &[Decimal], is_whole: bool) -> Vec<String> {
    let mut labels = vec![format!("<{}", points[0])];
    for pair in points.windows(2) {
        let negative = pair[0].to_string().starts_with('-');
        labels.push(match is_whole && !negative {
            true => {
                let last: BigInt = pair[1].scaled_to(0).unwrap_or_default() - 1;
                let first = pair[0].to_string();
                if first == last.to_string() { first } else { format!("{first}-{last}") }
            }
            false => format!("[{}, {})", pair[0], pair[1]),
        });
    }
    labels.push(format!(">={}", points[points.len() - 1]));
    labels
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use crate::types::Type;
    use serde_json::json;

    #[test]
    fn only_the_intervals_of_a_level_are_its_labels() {
        let levels = json!([{ "at": ["18", "19", "65"] }, { "at": ["18"], "labels": ["minor", "adult"] }]);
        let age = hierarchy(json!({ "kind": "breaks", "levels": levels, "grid": "integer" }), Type::Integer);
        assert_eq!(age.height(), 3);
        assert_labels(&age, 1, &["<18", "18", "19-64", ">=65"], &["<19", "18-64", "18-18", ">65", "17", "*"]);
        assert_labels(&age, 2, &["minor", "adult"], &["<18", "*"]);
        assert_labels(&age, 3, &["*"], &["minor"]);
        assert!(age.admits(0, Some("400"), Type::Integer) && !age.admits(0, Some("old"), Type::Integer));
        let levels = json!([{ "at": ["-1.5", "2"] }]);
        let bmi = hierarchy(json!({ "kind": "breaks", "levels": levels, "grid": "decimal" }), Type::Decimal);
        assert_labels(&bmi, 1, &["<-1.5", "[-1.5, 2)", ">=2"], &["[-1.5, 2]"]);
    }

    #[test]
    fn levels_that_do_not_nest_are_refused() {
        for levels in [
            json!([]),
            json!([{ "at": [] }]),
            json!([{ "at": ["2", "1"] }]),
            json!([{ "at": ["1"] }, { "at": ["2"] }]),
            json!([{ "at": ["0.5"] }]),
        ] {
            assert!(
                try_hierarchy(
                    json!({ "kind": "breaks", "levels": levels, "grid": "integer" }),
                    Type::Integer
                )
                .is_err()
            );
        }
    }
}
