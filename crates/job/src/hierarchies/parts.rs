//! `parts = { separator = "/" }`: the last part of a path goes on each level

use super::{HierarchyBuilder, Site};
use crate::keys::{Key, Takes, key};
use crate::problem::Problems;
use crate::render_toml::table;
use crate::suggest::quoted;
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{Hierarchy, TableHierarchy, TableRow};
use paravent_core::values::ValueType;
use std::collections::BTreeSet;

pub(super) const KEY: Key =
    key("parts", Takes::Table(KEYS), "The last part goes on each level, as of Europe/Italy/Rome or 10.0.3.7");
pub(super) const EXAMPLE: &str = "{ separator = \"/\" }";

const KEYS: &[Key] = &[key("separator", Takes::Text, "What stands between parts; / by default")];

/// As many levels as a hierarchy can have.
const MOST_PARTS: usize = u8::MAX as usize;

/// What every value is shown as in the end.
const TOP: &str = "*";

/// Values that are paths, from the general to the special.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// What stands between parts; not empty.
    pub separator: String,
}

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Parts> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
    let separator = match section.get(walk, "separator", "\"/\"") {
        Some(item) => item.name(walk)?.to_owned(),
        None => "/".to_owned(),
    };
    Some(Parts { separator })
}

impl Parts {
    /// The first `parts` parts of a value; the whole value where it has no more.
    fn beginning<'a>(&self, value: &'a str, parts: usize) -> &'a str {
        match value.match_indices(&self.separator).nth(parts - 1) {
            Some((end, _)) => &value[..end],
            None => value,
        }
    }

    fn count(&self, value: &str) -> usize {
        value.matches(&self.separator).count() + 1
    }

    /// Parts of the longest path.
    fn most<'a>(&self, values: impl Iterator<Item = &'a str>) -> usize {
        values.map(|value| self.count(value)).max().unwrap_or(1)
    }

    /// A line per value. Equal beginnings have equal shorter ones, so the levels are nested.
    fn lines(&self, values: &[Option<&str>]) -> Vec<TableRow> {
        let values: BTreeSet<&str> = values.iter().copied().flatten().collect();
        let most = self.most(values.iter().copied());
        let line = |value: &str| {
            // What begins with a separator has nothing before it; an empty label would be a missing cell.
            let shown = |label: &str| if label.is_empty() { TOP.to_owned() } else { label.to_owned() };
            let shorter = (1..most).rev().map(|parts| shown(self.beginning(value, parts)));
            TableRow { value: Some(value.to_owned()), labels: shorter.chain([TOP.to_owned()]).collect() }
        };
        values.into_iter().map(line).collect()
    }
}

impl HierarchyBuilder for Parts {
    fn text(&self) -> String {
        table([Some(("separator", quoted(&self.separator)))])
    }

    fn build(&self, site: &Site<'_>, values: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        if values.iter().all(Option::is_none) {
            let problem = site.problem("parts", "the column has no values that could be taken apart");
            return Err(problem.advise("Leave the hierarchy out, or write it into a file").into());
        }
        // A line for each value with so many labels would be long.
        let most = self.most(values.iter().copied().flatten());
        if most > MOST_PARTS {
            let message =
                format!("a value has {most} parts, and a hierarchy has at most {MOST_PARTS} levels");
            let advice = "Name the separator of the paths, as in parts = { separator = \"/\" }";
            return Err(site.problem("parts", message).advise(advice).into());
        }
        let made = TableHierarchy::new(self.lines(values)).map(Hierarchy::Table);
        made.map_err(|error| site.problem("parts", error.to_string()).into())
    }

    fn needs_values(&self) -> bool {
        true
    }

    // The longest path decides on which level the others lose a part.
    fn depends_on_other_values(&self, _: bool) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(separator: &str, values: &[&str]) -> Vec<String> {
        let values: Vec<Option<&str>> = values.iter().map(|value| Some(*value)).chain([None]).collect();
        let hierarchy =
            TableHierarchy::new(Parts { separator: separator.to_owned() }.lines(&values)).unwrap();
        let lines = (0..).map_while(|at| hierarchy.lines().get(at));
        let told = lines.map(|line| {
            let labels: Vec<&str> = line.labels().collect();
            format!("{} {}", line.value().unwrap_or_default(), labels.join(" "))
        });
        told.collect()
    }

    #[test]
    fn a_part_goes_on_each_level() {
        assert_eq!(
            lines("/", &["Europe/Italy/Rome", "Europe/Italy", "Asia", "Europe/Italy/Milan"]),
            [
                "Asia Asia Asia *",
                "Europe/Italy Europe/Italy Europe *",
                "Europe/Italy/Milan Europe/Italy Europe *",
                "Europe/Italy/Rome Europe/Italy Europe *",
            ]
        );
        assert_eq!(lines(".", &["10.0.3.7", "10.0.4.1"])[0], "10.0.3.7 10.0.3 10.0 10 *");
        assert_eq!(lines(" > ", &["a > b"]), ["a > b a *"]);
        // Values of one part have nothing but the top above them.
        assert_eq!(lines("/", &["b", "a"]), ["a *", "b *"]);
        assert_eq!(lines("/", &["/etc", "/usr/bin"]), ["/etc /etc * *", "/usr/bin /usr * *"]);
    }
}
