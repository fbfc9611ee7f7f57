//! How a quasi-identifier is generalized: a builder of the job file, and its simpler relatives.

use std::path::PathBuf;

use paravent_job::{
    Age, BreakLevel, Breaks, CodesSpec, DateUnit, DecimalText, HierarchyFile, HierarchySpec, Intervals, Lump,
    Ordering, Outliers, Redact, Rounding, Side,
};

/// Ages from here on are one group: few people are older.
const OLDEST: u32 = 90;

/// A hierarchy that a job file can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Shown or hidden: what an attribute without a hierarchy gets.
    Whole,
    /// Always hidden.
    Hidden,
    /// Intervals of these widths, each dividing the next.
    Intervals { widths: Vec<DecimalText>, min: DecimalText, max: DecimalText },
    /// Masked from the right, at least `least` characters.
    Redact { length: u8, digits: bool, least: u8 },
    /// Parts of the calendar.
    Dates(Vec<DateUnit>),
    /// Neighbours in order, in groups of this size.
    Ordering(Vec<u32>),
    /// Completed years on a day, then groups of so many years; `from` is the finest that may be shown: 0 the date, 1 years, 2 groups.
    Ages { on: String, widths: Vec<u32>, from: u8 },
    /// Ages in groups of these numbers of years, each dividing the next.
    Years(Vec<u32>),
    /// Codes by a public structure of so many levels, at least `least` of them climbed.
    Codes { structure: &'static str, levels: u8, least: u8 },
    /// Values of fewer rows become one.
    Lump(Vec<u64>),
    /// A file beside the table, with this number of levels.
    File { path: PathBuf, levels: u8 },
}

impl Shape {
    /// How many levels the search can choose from.
    pub(super) fn levels(&self) -> u64 {
        match self {
            Self::Whole => 2,
            Self::Hidden => 1,
            Self::Intervals { widths, .. } => widths.len() as u64 + 2,
            Self::Redact { length, least, .. } => u64::from(length - least) + 1,
            Self::Dates(units) => units.len() as u64 + 2,
            Self::Ordering(sizes) => sizes.len() as u64 + 2,
            Self::Ages { widths, from, .. } => widths.len() as u64 + 3 - u64::from(*from),
            Self::Years(widths) => widths.len() as u64 + 2,
            Self::Codes { levels, least, .. } => u64::from(levels - least) + 1,
            Self::Lump(least) => least.len() as u64 + 2,
            Self::File { levels, .. } => u64::from(*levels) + 1,
        }
    }

    /// The same with a level less; `None` when only showing or hiding is left. What is given up is the finest level above
    /// the values: of many quasi-identifiers few stay fine.
    pub(super) fn simpler(&self) -> Option<Self> {
        Some(match self {
            Self::Whole | Self::Hidden => return None,
            Self::Intervals { widths, min, max } if widths.len() > 1 => {
                Self::Intervals { widths: widths[1..].to_vec(), min: min.clone(), max: max.clone() }
            }
            Self::Redact { length, digits, least } if self.levels() > 3 => {
                Self::Redact { length: *length, digits: *digits, least: least + 1 }
            }
            Self::Dates(units) if units.len() > 1 => Self::Dates(units[1..].to_vec()),
            Self::Years(widths) if widths.len() > 1 => Self::Years(widths[1..].to_vec()),
            Self::Ordering(sizes) if sizes.len() > 1 => {
                let mut sizes = sizes.clone();
                let first = sizes.remove(0);
                sizes[0] = sizes[0].saturating_mul(first);
                Self::Ordering(sizes)
            }
            Self::Ages { on, widths, from } if *from < 2 => {
                Self::Ages { on: on.clone(), widths: widths.clone(), from: from + 1 }
            }
            Self::Codes { structure, levels, least } if levels - least > 2 => {
                Self::Codes { structure, levels: *levels, least: least + 1 }
            }
            Self::Lump(least) if least.len() > 1 => Self::Lump(least[1..].to_vec()),
            // What somebody wrote down, and what many will look for, is not given up.
            Self::File { .. } | Self::Ages { .. } | Self::Codes { .. } => return None,
            Self::Intervals { .. }
            | Self::Redact { .. }
            | Self::Dates(_)
            | Self::Ordering(_)
            | Self::Years(_)
            | Self::Lump(_) => Self::Whole,
        })
    }

    /// Keeps the levels for which `keep` holds, counted from 1 below the top, where the builder allows it.
    pub(super) fn retain(self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = |levels: usize| (0..levels).filter(|level| keep(level + 1)).collect::<Vec<usize>>();
        match self {
            Self::Whole
            | Self::Hidden
            | Self::Redact { .. }
            | Self::Ages { .. }
            | Self::Years(_)
            | Self::Codes { .. }
            | Self::Lump(_)
            | Self::File { .. } => self,
            Self::Intervals { widths, min, max } => match &kept(widths.len())[..] {
                [] => Self::Whole,
                kept => {
                    Self::Intervals { widths: kept.iter().map(|i| widths[*i].clone()).collect(), min, max }
                }
            },
            Self::Dates(units) => match &kept(units.len())[..] {
                [] => Self::Whole,
                kept => Self::Dates(kept.iter().map(|i| units[*i]).collect()),
            },
            Self::Ordering(sizes) => {
                let kept = kept(sizes.len());
                let mut merged = Vec::new();
                let mut size = 1_u32;
                for (i, factor) in sizes.iter().enumerate() {
                    size = size.saturating_mul(*factor);
                    if kept.contains(&i) {
                        merged.push(std::mem::replace(&mut size, 1));
                    }
                }
                if merged.is_empty() { Self::Whole } else { Self::Ordering(merged) }
            }
        }
    }

    /// The `hierarchy` of the job file.
    pub(super) fn spec(&self) -> Option<HierarchySpec> {
        Some(match self {
            Self::Whole | Self::Hidden => return None,
            Self::Intervals { widths, min, max } => HierarchySpec::Intervals(Intervals {
                widths: widths.clone(),
                min: min.clone(),
                max: max.clone(),
                outliers: Outliers::Label,
                rounding: Rounding::None,
            }),
            Self::Redact { digits, .. } => HierarchySpec::Redact(Redact {
                alphabet: digits.then_some(10),
                from: Side::Right,
                fill: '*',
                length: None,
            }),
            Self::Dates(units) => HierarchySpec::Dates(units.clone()),
            Self::Ordering(sizes) => HierarchySpec::Ordering(Ordering { sizes: sizes.clone(), order: None }),
            Self::Ages { on, widths, .. } => {
                HierarchySpec::Chain(vec![HierarchySpec::Age(Age { on: on.clone() }), years(widths)])
            }
            Self::Years(widths) => years(widths),
            Self::Codes { structure, .. } => HierarchySpec::Codes(CodesSpec::Named((*structure).to_owned())),
            Self::Lump(least) => {
                HierarchySpec::Lump(Lump { least: least.clone(), label: "other".to_owned() })
            }
            Self::File { path, .. } => {
                HierarchySpec::File(HierarchyFile { path: path.clone(), delimiter: None })
            }
        })
    }

    /// The last level that still says something of what others ask for first.
    pub(super) fn telling_level(&self) -> Option<u8> {
        /// Wider groups of ages tell little.
        const WIDEST: u32 = 10;
        match self {
            Self::Whole => Some(0),
            Self::Ages { widths, .. } => u8::try_from(widths.len() + 1).ok(),
            Self::Years(widths) => {
                let told = widths.iter().take_while(|width| **width <= WIDEST).count();
                u8::try_from(told).ok().filter(|level| *level > 0)
            }
            Self::Intervals { widths, .. } => {
                let told = widths.iter().take_while(|width| **width <= DecimalText::from(WIDEST)).count();
                u8::try_from(told).ok().filter(|level| *level > 0)
            }
            Self::File { levels, .. } => Some(levels.saturating_sub(1)),
            _ => None,
        }
    }

    /// The `min_level` of the job file.
    pub(super) fn min_level(&self) -> Option<u8> {
        match self {
            Self::Hidden => Some(1),
            Self::Redact { least, .. } | Self::Codes { least, .. } if *least > 0 => Some(*least),
            Self::Ages { from, .. } if *from > 0 => Some(*from),
            _ => None,
        }
    }

    /// In plain language.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Whole => "shown or hidden".to_owned(),
            Self::Hidden => "always hidden".to_owned(),
            Self::Intervals { widths, .. } => {
                format!(
                    "intervals of {}",
                    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                )
            }
            Self::Redact { least: 0, .. } => {
                "masked from the right, one character after the other".to_owned()
            }
            Self::Redact { least, .. } => format!("masked from the right, {least} characters or more"),
            Self::Dates(units) => {
                format!("by {}", units.iter().map(|unit| unit.name()).collect::<Vec<_>>().join(", "))
            }
            Self::Ages { on, widths, .. } => format!(
                "by age on {on}, in years, then groups of {} years, {OLDEST} and older together",
                widths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
            ),
            Self::Years(widths) => format!(
                "groups of {} years, {OLDEST} and older together",
                widths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
            ),
            Self::Codes { structure, least: 0, .. } => format!("by the structure of {structure}"),
            Self::Codes { structure, least, .. } => {
                format!("by the structure of {structure}, {least} steps up or more")
            }
            Self::Lump(least) => {
                let least = least.iter().map(u64::to_string).collect::<Vec<_>>().join(", then ");
                format!("values of fewer than {least} rows become one")
            }
            Self::File { path, .. } => format!("by {}", path.display()),
            Self::Ordering(sizes) => {
                let sizes = sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", then ");
                format!("neighbours in order, {sizes} together")
            }
        }
    }
}

/// Groups of years; the oldest are one group on every level.
fn years(widths: &[u32]) -> HierarchySpec {
    let levels = widths.iter().map(|&width| {
        let at = (1..).map(|step| step * width).take_while(|&years| years < OLDEST).chain([OLDEST]);
        BreakLevel { at: at.map(DecimalText::from).collect(), labels: None }
    });
    HierarchySpec::Breaks(Breaks { levels: levels.collect() })
}

/// Takes levels away from the tallest until the lattice has at most `limit` nodes; those of `core` keep their last level that tells
/// something. When nothing can be taken any more, columns are hidden for good, in the order of `sacrifices` (both are positions of
/// `shapes`). Gives those hidden.
pub(super) fn fit(shapes: &mut [Shape], core: &[usize], sacrifices: &[usize], limit: u64) -> Vec<usize> {
    let mut hidden = Vec::new();
    let mut sacrifices = sacrifices.iter();
    loop {
        let nodes = shapes.iter().fold(1, |nodes: u64, shape| nodes.saturating_mul(shape.levels()));
        if nodes <= limit {
            return hidden;
        }
        let still_tells = |i: &usize, simpler: &Shape| !core.contains(i) || simpler.telling_level().is_some();
        let simpler = |i: usize| Some((i, shapes[i].simpler().filter(|simpler| still_tells(&i, simpler))?));
        let tallest = (0..shapes.len()).filter_map(simpler).max_by_key(|(i, _)| (shapes[*i].levels(), *i));
        match tallest {
            Some((i, simpler)) => shapes[i] = simpler,
            None => match sacrifices.next() {
                Some(&i) => {
                    shapes[i] = Shape::Hidden;
                    hidden.push(i);
                }
                None => return hidden,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ages() -> Shape {
        let [five, ten, twenty, hundred] = [5, 10, 20, 100].map(DecimalText::from);
        Shape::Intervals { widths: vec![five, ten, twenty], min: DecimalText::from(0), max: hundred }
    }

    fn all() -> Vec<Shape> {
        vec![
            ages(),
            Shape::Redact { length: 5, digits: true, least: 0 },
            Shape::Dates(vec![DateUnit::Month, DateUnit::Quarter, DateUnit::Year]),
            Shape::Ordering(vec![3, 4]),
            Shape::Whole,
        ]
    }

    #[test]
    fn every_step_towards_simple_takes_a_level() {
        for shape in all() {
            let mut shape = shape;
            while let Some(simpler) = shape.simpler() {
                assert_eq!(simpler.levels() + 1, shape.levels(), "{shape:?}");
                shape = simpler;
            }
            assert_eq!(shape, Shape::Whole);
        }
    }

    #[test]
    fn merged_groups_keep_their_size() {
        assert_eq!(Shape::Ordering(vec![3, 4]).simpler(), Some(Shape::Ordering(vec![12])));
        assert_eq!(Shape::Ordering(vec![3, 4]).retain(|level| level == 2), Shape::Ordering(vec![12]));
        assert_eq!(Shape::Ordering(vec![3, 4]).retain(|level| level == 1), Shape::Ordering(vec![3]));
        assert_eq!(ages().retain(|level| level > 3), Shape::Whole);
        assert_eq!(ages().retain(|level| level != 2).describe(), "intervals of 5, 20");
    }

    #[test]
    fn the_lattice_is_made_to_fit() {
        let nodes = |shapes: &[Shape]| shapes.iter().map(Shape::levels).product::<u64>();
        let mut shapes = all();
        assert!(fit(&mut shapes, &[], &[], 1_000_000).is_empty());
        assert_eq!(shapes, all());
        assert!(fit(&mut shapes, &[], &[], 100).is_empty());
        assert!((33..=100).contains(&nodes(&shapes)), "{shapes:?}");
        assert_eq!(fit(&mut shapes, &[], &[4, 2, 0], 8), [4, 2]);
        assert_eq!(nodes(&shapes), 8);
        assert_eq!((shapes[4].min_level(), shapes[4].spec()), (Some(1), None));
        // Ages that nearly everybody asks for keep groups of ten years, and what cannot be made simpler costs nobody else.
        let file = Shape::File { path: PathBuf::from("zip.csv"), levels: 9 };
        let mut shapes = vec![Shape::Years(vec![5, 10, 20]), file.clone(), Shape::Ordering(vec![3, 4])];
        assert!(fit(&mut shapes, &[0], &[], 90).is_empty());
        assert_eq!(shapes, [Shape::Years(vec![10, 20]), file, Shape::Whole]);
    }
}
