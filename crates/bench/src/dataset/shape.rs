//! What a made-up table looks like: `rows=100000,qi=6,seed=1`, or the shape of a well-known table.

use std::str::FromStr;

/// Rows, columns and their hierarchies, without a single value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// What the table is called.
    pub name: String,
    /// Number of rows.
    pub rows: usize,
    /// The columns; all can be quasi-identifiers.
    pub columns: Vec<ShapeColumn>,
    /// Position of the sensitive column.
    pub sensitive: usize,
    /// Other seeds, other rows.
    pub seed: u64,
}

/// A column of a [`Shape`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeColumn {
    /// Its name.
    pub name: String,
    /// Different values.
    pub distinct: usize,
    /// Levels of the hierarchy, the value itself and the top included.
    pub levels: usize,
}

/// Why a text describes no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ShapeError(String);

type Known = (&'static str, usize, usize, &'static [(&'static str, usize, usize)]);

/// Name, rows, position of the sensitive column; columns with different values and levels. Kohlmayer 2015, table 3.2 (the number
/// of values of the labor force status, lost in print, is a guess).
const KNOWN: [Known; 5] = [
    (
        "adult",
        30_162,
        7,
        &[
            ("sex", 2, 2),
            ("age", 72, 5),
            ("race", 5, 2),
            ("marital-status", 7, 3),
            ("education", 16, 4),
            ("native-country", 41, 3),
            ("workclass", 7, 3),
            ("occupation", 14, 3),
            ("salary-class", 2, 2),
        ],
    ),
    (
        "cup",
        63_441,
        5,
        &[
            ("zip", 13_294, 6),
            ("age", 94, 5),
            ("gender", 6, 2),
            ("income", 7, 3),
            ("state", 53, 2),
            ("ramntall", 814, 5),
            ("ngiftall", 81, 5),
            ("minramnt", 58, 5),
        ],
    ),
    (
        "fars",
        100_937,
        6,
        &[
            ("iage", 99, 6),
            ("irace", 20, 3),
            ("ideathmon", 14, 4),
            ("ideathday", 33, 4),
            ("isex", 3, 2),
            ("ihispanic", 10, 3),
            ("istatenum", 51, 4),
            ("iinjury", 8, 3),
        ],
    ),
    (
        "atus",
        539_253,
        7,
        &[
            ("region", 4, 3),
            ("age", 83, 6),
            ("sex", 3, 2),
            ("race", 23, 3),
            ("marital-status", 7, 3),
            ("citizenship", 6, 3),
            ("birthplace", 155, 3),
            ("highest-school-level", 18, 4),
            ("labor-force-status", 6, 3),
        ],
    ),
    (
        "ihis",
        1_193_504,
        8,
        &[
            ("year", 13, 6),
            ("quarter", 4, 3),
            ("region", 4, 3),
            ("pernum", 25, 4),
            ("age", 86, 5),
            ("marstat", 10, 3),
            ("sex", 2, 2),
            ("racea", 16, 2),
            ("educ", 26, 2),
        ],
    ),
];

/// Different values of the columns of a plain shape, over and over.
const DISTINCT: [usize; 6] = [80, 2, 40, 7, 16, 250];
/// Most rows that codes can count.
const MOST_ROWS: usize = 100_000_000;
const MOST_COLUMNS: usize = 32;
const MOST_DISTINCT: usize = 1_000_000;

impl Shape {
    /// The names of the well-known shapes.
    pub fn known() -> impl Iterator<Item = &'static str> {
        KNOWN.iter().map(|known| known.0)
    }

    /// The shape of a well-known table.
    pub fn of_known(name: &str) -> Option<Shape> {
        let (name, rows, sensitive, columns) = KNOWN.iter().find(|known| known.0 == name)?;
        let column = |&(name, distinct, levels): &(&str, usize, usize)| ShapeColumn {
            name: name.to_owned(),
            distinct,
            levels,
        };
        let columns = columns.iter().map(column).collect();
        Some(Shape { name: format!("{name}-like"), rows: *rows, columns, sensitive: *sensitive, seed: 1 })
    }

    /// So many rows and quasi-identifiers. `distinct` and `levels` are those of every column, where they are given; by default
    /// values differ from column to column and there are four levels, or two for columns of two values.
    pub fn plain(rows: usize, columns: usize, distinct: Option<usize>, levels: Option<usize>) -> Shape {
        let column = |position: usize| {
            let distinct = distinct.unwrap_or(DISTINCT[position % DISTINCT.len()]);
            let levels = levels.unwrap_or(if distinct <= 2 { 2 } else { 4 });
            ShapeColumn { name: format!("q{}", position + 1), distinct, levels }
        };
        let columns: Vec<ShapeColumn> = (0..columns).map(column).collect();
        let sensitive = columns.len().saturating_sub(1);
        Shape { name: format!("generated-{rows}x{}", columns.len()), rows, columns, sensitive, seed: 1 }
    }

    /// Number of nodes of the lattice over all columns.
    pub fn nodes(&self) -> u128 {
        self.columns.iter().map(|column| column.levels as u128).product()
    }
}

impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Shape, ShapeError> {
        let wrong = |message: String| ShapeError(message);
        let (mut rows, mut columns, mut distinct, mut levels, mut seed) = (None, None, None, None, None);
        let mut known = None;
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                known = Some(Shape::of_known(part).ok_or_else(|| {
                    let names: Vec<&str> = Shape::known().collect();
                    wrong(format!("`{part}` is no known shape; known are {}", names.join(", ")))
                })?);
                continue;
            };
            let number = |least: usize, most: usize| {
                let plain: String = value.chars().filter(|&c| c != '_').collect();
                let number = plain.parse::<usize>().ok().filter(|n| (least..=most).contains(n));
                number.ok_or_else(|| wrong(format!("{key} must be a whole number from {least} to {most}")))
            };
            match key.trim() {
                "rows" => rows = Some(number(1, MOST_ROWS)?),
                "qi" => columns = Some(number(2, MOST_COLUMNS)?),
                "distinct" => distinct = Some(number(1, MOST_DISTINCT)?),
                "levels" => levels = Some(number(2, 20)?),
                "seed" => seed = Some(number(0, usize::MAX)? as u64),
                other => {
                    let message =
                        format!("unknown key `{other}`; known are rows, qi, distinct, levels, seed");
                    return Err(wrong(message));
                }
            }
        }
        let mut shape = match known {
            Some(_) if columns.or(distinct).or(levels).is_some() => {
                return Err(wrong(
                    "a known shape has its own columns; only rows and seed can be changed".to_owned(),
                ));
            }
            Some(shape) => Shape { rows: rows.unwrap_or(shape.rows), ..shape },
            None => Shape::plain(rows.unwrap_or(100_000), columns.unwrap_or(6), distinct, levels),
        };
        shape.seed = seed.unwrap_or(1);
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_shapes_span_the_published_lattices() {
        let expected = [("adult", 12_960, 4_320), ("cup", 45_000, 9_000), ("fars", 20_736, 5_184)];
        let more = [("atus", 34_992, 8_748), ("ihis", 25_920, 12_960)];
        for (name, all, without_sensitive) in expected.into_iter().chain(more) {
            let shape = Shape::of_known(name).unwrap();
            assert_eq!(shape.nodes(), all, "{name}");
            assert_eq!(all / shape.columns[shape.sensitive].levels as u128, without_sensitive, "{name}");
        }
    }

    #[test]
    fn a_description_is_read() {
        let shape: Shape = "rows=1_000,qi=3,levels=2,distinct=5,seed=9".parse().unwrap();
        assert_eq!((shape.rows, shape.columns.len(), shape.nodes(), shape.seed), (1000, 3, 8, 9));
        let shape: Shape = "ihis,rows=500".parse().unwrap();
        assert_eq!((shape.name.as_str(), shape.rows, shape.columns.len()), ("ihis-like", 500, 9));
    }

    #[test]
    fn mistakes_are_named() {
        let said = |text: &str| text.parse::<Shape>().unwrap_err().to_string();
        assert!(said("adlt").contains("known are adult, cup"));
        assert!(said("row=3").contains("unknown key `row`"));
        assert!(said("rows=0").contains("rows must be"));
        assert!(said("adult,qi=3").contains("only rows and seed"));
    }
}
