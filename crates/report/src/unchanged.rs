//! What is released as it is, and the colours of a verdict.

use paravent_evidence::risk::unchanged::TOLERATED_ONE_IN;
use schemars::JsonSchema;
use serde::Serialize;

/// The columns that are no quasi-identifiers, as they are in the release.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnchangedFacts {
    /// People released, or rows where people are not counted.
    pub people: u64,
    /// Those whose cells in all of these columns, taken together, are nobody else's.
    pub singled_out: u64,
    /// Column by column.
    pub columns: Vec<UnchangedColumn>,
}

/// A column that is released as it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnchangedColumn {
    /// Its name.
    pub column: String,
    /// People whose cell in it is nobody else's.
    pub singled_out: u64,
    /// What it seems to identify people by, although the job lets it pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks: Option<&'static str>,
}

impl UnchangedFacts {
    /// Whether more people are singled out than a green verdict allows.
    pub fn too_many(&self) -> bool {
        u128::from(self.singled_out) * u128::from(TOLERATED_ONE_IN) > u128::from(self.people)
    }

    /// The share of the people who are singled out.
    pub fn share(&self) -> f64 {
        self.singled_out as f64 / self.people.max(1) as f64
    }

    /// Names of the columns that single somebody out, those that tell most first; of all where only their combination does.
    pub fn most_telling(&self) -> Vec<&str> {
        let mut columns: Vec<&UnchangedColumn> = self.columns.iter().collect();
        columns.sort_by_key(|column| std::cmp::Reverse(column.singled_out));
        if columns.iter().any(|column| column.singled_out > 0) {
            columns.retain(|column| column.singled_out > 0);
        }
        columns.into_iter().map(|column| column.column.as_str()).collect()
    }
}

/// What a traffic light would show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Light {
    /// Every promise holds, and what is released as it is singles out few.
    Green,
    /// Every promise holds, but columns that no promise speaks of single people out, a promise is worth little, or something is not known.
    Yellow,
    /// A promise is broken, alone or together with earlier releases, or nothing is promised.
    Red,
}

/// The verdict and why.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct VerdictFacts {
    /// The colour.
    pub light: Light,
    /// What keeps it from being green, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// Whether a reason of a verdict is that columns single people out.
pub fn tells_of_singled_out(reason: &str) -> bool {
    reason.contains("are singled out by what is released as it is")
}

/// The figure in words; see [`tells_of_singled_out`].
pub fn singled_out(unchanged: &UnchangedFacts) -> String {
    const MOST_NAMES: usize = 4;
    let names = unchanged.most_telling();
    let shown = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{} of {} people ({:.1} %) are singled out by what is released as it is: {shown}{more}",
        unchanged.singled_out,
        unchanged.people,
        unchanged.share() * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(singled_out: u64, people: u64) -> UnchangedFacts {
        let column =
            |column: &str, singled_out| UnchangedColumn { column: column.into(), singled_out, looks: None };
        UnchangedFacts { people, singled_out, columns: vec![column("ward", 0), column("lab", singled_out)] }
    }

    #[test]
    fn one_in_ten_is_the_limit_and_still_green() {
        assert!(!facts(0, 10).too_many() && !facts(10, 100).too_many() && !facts(0, 0).too_many());
        assert!(facts(11, 100).too_many() && facts(1, 9).too_many());
    }

    #[test]
    fn the_most_telling_column_comes_first() {
        let told = singled_out(&facts(86, 100));
        assert_eq!(told, "86 of 100 people (86.0 %) are singled out by what is released as it is: lab");
        assert!(tells_of_singled_out(&told));
    }
}
