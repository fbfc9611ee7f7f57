//! `paravent hierarchy show`: the levels at a glance.

use std::fmt;

use paravent_core::hierarchy::{Hierarchy, LadderError};

/// Labels shown of each level.
const SAMPLE: usize = 5;

/// A hierarchy, level by level.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Values that have a place.
    pub values: usize,
    /// Values that have none.
    pub without_place: usize,
    /// From level 0 up.
    pub levels: Vec<ShownLevel>,
}

/// One level. Sizes are numbers of values in a group.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownLevel {
    /// Level, 0 being the values themselves.
    pub level: u8,
    /// Number of groups.
    pub groups: usize,
    /// Size of the smallest group.
    pub smallest: usize,
    /// Average size.
    pub average: f64,
    /// Size of the largest group.
    pub largest: usize,
    /// Some of the labels, evenly spread over the values; none of level 0.
    pub sample: Vec<String>,
}

/// Whether labels may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// They were written down by someone: a hierarchy file, intervals.
    Shown,
    /// They are made of cells (masked texts, dates, groups of neighbours), and nobody asked to see cells.
    Hidden,
}

/// The levels over the values given, each once; a table over its own lines if there are none.
///
/// # Errors
/// If a value is given twice.
pub fn show(hierarchy: &Hierarchy, values: &[Option<&str>], labels: Labels) -> Result<Shown, LadderError> {
    let values = match hierarchy {
        Hierarchy::Table(table) if values.is_empty() => {
            table.lines().iter().map(|line| line.value()).collect()
        }
        _ => values.to_vec(),
    };
    let placed: Vec<_> = values.iter().copied().filter(|value| hierarchy.label(*value, 0).is_ok()).collect();
    let ladder = hierarchy.ladder(&placed)?;
    let levels = (0..).zip(ladder.rungs()).map(|(level, rung)| {
        let groups = rung.labels.len();
        let mut sizes = vec![0; groups];
        rung.group_of.iter().for_each(|group| sizes[*group as usize] += 1);
        let sample = if level == 0 || labels == Labels::Hidden { Vec::new() } else { sample(&rung.labels) };
        ShownLevel {
            level,
            groups,
            smallest: sizes.iter().copied().min().unwrap_or(0),
            average: if groups == 0 { 0.0 } else { placed.len() as f64 / groups as f64 },
            largest: sizes.iter().copied().max().unwrap_or(0),
            sample,
        }
    });
    let levels = levels.collect();
    Ok(Shown { values: placed.len(), without_place: values.len() - placed.len(), levels })
}

fn sample(labels: &[Option<String>]) -> Vec<String> {
    let shown = labels.len().min(SAMPLE);
    let spread = |i: usize| if shown < 2 { i } else { i * (labels.len() - 1) / (shown - 1) };
    let label = |i: usize| labels[spread(i)].clone().unwrap_or_else(|| "(missing)".to_owned());
    (0..shown).map(label).collect()
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = ["level", "groups", "smallest", "average", "largest"];
        write!(
            f,
            "{:>5}  {:>8}  {:>8}  {:>8}  {:>8}",
            titles[0], titles[1], titles[2], titles[3], titles[4]
        )?;
        if self.levels.iter().any(|level| !level.sample.is_empty()) {
            write!(f, "  labels")?;
        }
        for ShownLevel { level, groups, smallest, average, largest, sample } in &self.levels {
            write!(f, "\n{level:>5}  {groups:>8}  {smallest:>8}  {average:>8.1}  {largest:>8}")?;
            if !sample.is_empty() {
                let more = if *groups > sample.len() { ", …" } else { "" };
                write!(
                    f,
                    "  {}{more}",
                    sample.iter().map(|label| one_line(label)).collect::<Vec<_>>().join(", ")
                )?;
            }
        }
        match self.without_place {
            0 => Ok(()),
            1 => write!(f, "\n1 value has no place in the hierarchy"),
            several => write!(f, "\n{several} values have no place in the hierarchy"),
        }
    }
}

/// Without characters that would break the table or the terminal.
fn one_line(label: &str) -> String {
    const LONGEST: usize = 40;
    let cut = label.chars().count() > LONGEST;
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    label.chars().take(LONGEST).map(visible).chain(cut.then_some('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchies::{FileOptions, HierarchyLines};

    fn table(text: &str) -> Hierarchy {
        let lines =
            HierarchyLines::parse(text.as_bytes(), "a.csv".as_ref(), &FileOptions::default()).unwrap();
        Hierarchy::Table(lines.table().unwrap())
    }

    #[test]
    fn a_table_is_shown_over_its_own_lines() {
        let shown = show(&table("34;20-60;*\n45;20-60;*\n66;61-99;*\n"), &[], Labels::Shown).unwrap();
        let expected = "\
level    groups  smallest   average   largest  labels
    0         3         1       1.0         1
    1         2         1       1.5         2  20-60, 61-99
    2         1         3       3.0         3  *";
        assert_eq!(shown.to_string(), expected);
    }

    #[test]
    fn values_without_a_place_are_counted() {
        let shown = show(&table("a;x;*\nb;y;*\n"), &[Some("a"), Some("c"), None], Labels::Hidden).unwrap();
        assert_eq!((shown.values, shown.without_place), (2, 1));
        assert!(shown.to_string().ends_with("\n1 value has no place in the hierarchy"));
        assert!(!shown.to_string().contains('x'));
        assert!(show(&Hierarchy::Whole, &[Some("a"), Some("a")], Labels::Hidden).is_err());
        assert_eq!(show(&Hierarchy::Whole, &[], Labels::Shown).unwrap().levels[1].average, 0.0);
    }

    #[test]
    fn samples_are_spread_and_fit_on_a_line() {
        let text: String = (0..9).map(|n| format!("{n};l{n};*\n")).collect();
        let shown = show(&table(&text), &[], Labels::Shown).unwrap();
        assert_eq!(shown.levels[1].sample, ["l0", "l2", "l4", "l6", "l8"]);
        assert!(shown.to_string().contains("l6, l8, …\n"));
        let shown = show(&table("a;\"x\ny\";*\n"), &[], Labels::Shown).unwrap();
        assert_eq!(shown.to_string().lines().count(), 4);
    }
}
