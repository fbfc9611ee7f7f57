//! A table as codes, in the order of its values.

use super::SliceError;
use crate::release::Leaving;
use paravent_core::values::ValueType;
use paravent_tables::encode::{CodedColumn, scan_columns};
use paravent_tables::read::{Dialect, Format, Input};
use paravent_tables::watch::{Phase, Unwatched, Watch};
use std::cmp::Ordering;

/// A column: a code per row, and the cell of every code. Codes follow the order of the values: missing first, numbers as numbers, else text by its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct CodedCells {
    /// Its name.
    pub name: String,
    /// The code of every row.
    pub codes: Vec<u32>,
    /// The cell of every code.
    pub cells: Vec<Option<String>>,
}

/// Cells stay out of logs.
impl std::fmt::Debug for CodedCells {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CodedCells({}, {} rows)", self.name, self.codes.len())
    }
}

impl CodedCells {
    /// By code: the code that stands for the same person in a key. Blanks around a key do not make another person.
    pub(crate) fn keys(&self) -> Vec<u32> {
        let mut first: std::collections::HashMap<Option<&str>, u32> = std::collections::HashMap::new();
        let cells = (0u32..).zip(&self.cells);
        cells.map(|(code, cell)| *first.entry(cell.as_deref().map(str::trim)).or_insert(code)).collect()
    }

    /// The column as it would leave.
    pub(crate) fn leaving(&self) -> Leaving<'_> {
        Leaving { name: &self.name, cells: &self.cells, codes: &self.codes }
    }

    /// Without cells that no row shows, the others in their order. What a file says of its columns is then about its rows alone.
    pub(crate) fn in_use(mut self) -> CodedCells {
        let mut used = vec![false; self.cells.len()];
        self.codes.iter().for_each(|&code| used[code as usize] = true);
        let mut next = 0;
        let number = |used: &bool| {
            let number = next;
            next += u32::from(*used);
            number
        };
        let new: Vec<u32> = used.iter().map(number).collect();
        self.codes.iter_mut().for_each(|code| *code = new[*code as usize]);
        let mut used = used.into_iter();
        self.cells.retain(|_| used.next().unwrap_or(false));
        self
    }

    /// The code of the missing cell.
    pub fn missing(&self) -> Option<u32> {
        self.cells.first().filter(|cell| cell.is_none()).map(|_| 0)
    }
}

/// A whole table.
#[derive(Debug, Clone)]
pub struct CodedTable {
    /// Its columns, in file order.
    pub columns: Vec<CodedCells>,
    /// Its rows.
    pub rows: usize,
    /// How it is stored.
    pub dialect: Dialect,
    /// SHA-256 of the bytes.
    pub sha256: String,
}

impl CodedTable {
    /// Reads all columns into memory.
    pub fn read(input: &Input) -> Result<CodedTable, SliceError> {
        CodedTable::read_watched(input, &Unwatched)
    }

    /// The same with an observer, which may stop it.
    pub fn read_watched(input: &Input, watch: &dyn Watch) -> Result<CodedTable, SliceError> {
        watch.begin(Phase::Reading);
        let before = input.fingerprint()?;
        let source = input.open()?;
        let dialect = source.dialect().clone();
        let names = source.columns().to_vec();
        let path = source.path().to_owned();
        let mut coded: Vec<CodedColumn> =
            names.iter().map(|name| CodedColumn::new(name, ValueType::String)).collect();
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); names.len()];
        let on_rows = |batch: &[Vec<u32>], rows: usize| {
            codes.iter_mut().zip(batch).for_each(|(all, new)| all.extend_from_slice(&new[..rows]));
            Ok(())
        };
        let rows = scan_columns(source, path, &mut coded, on_rows, |done| {
            watch.advance(done, None);
            !watch.stop()
        })?;
        let sha256 = input.digest()?;
        input.unchanged_since(&before)?;
        let columns = coded.iter().zip(codes).map(|(column, codes)| ordered(column, codes)).collect();
        Ok(CodedTable { columns, rows: usize::try_from(rows).unwrap_or(usize::MAX), dialect, sha256 })
    }

    /// Columns without rows, for what is understood before anything is read.
    pub(crate) fn without_rows(names: &[String]) -> CodedTable {
        let column = |name: &String| CodedCells { name: name.clone(), codes: Vec::new(), cells: Vec::new() };
        CodedTable {
            columns: names.iter().map(column).collect(),
            rows: 0,
            dialect: Dialect {
                format: Format::Csv,
                delimiter: None,
                quote: None,
                encoding: None,
                byte_order_mark: false,
            },
            sha256: String::new(),
        }
    }

    /// The place of a column.
    pub fn place(&self, name: &str) -> Result<usize, SliceError> {
        self.columns.iter().position(|column| column.name == name).ok_or_else(|| {
            let meant = paravent_job::closest(name, self.columns.iter().map(|column| column.name.as_str()))
                .map_or_else(String::new, |close| format!("; did you mean {close:?}?"));
            SliceError::Request(format!("the table has no column {name:?}{meant}"))
        })
    }
}

/// New codes in the order of the values.
fn ordered(column: &CodedColumn, codes: Vec<u32>) -> CodedCells {
    let cells = column.dictionary.cells();
    let numbers: Option<Vec<Option<Number>>> =
        cells.iter().map(|cell| cell.map_or(Some(None), |cell| Number::read(cell).map(Some))).collect();
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    match numbers {
        Some(numbers) => order.sort_by(|&a, &b| numbers[a as usize].cmp(&numbers[b as usize])),
        None => order.sort_by(|&a, &b| cells[a as usize].cmp(&cells[b as usize])),
    }
    let mut new = vec![0; cells.len()];
    order.iter().zip(0..).for_each(|(&old, code)| new[old as usize] = code);
    CodedCells {
        name: column.name.clone(),
        codes: codes.into_iter().map(|code| new[code as usize]).collect(),
        cells: order.iter().map(|&old| cells[old as usize].map(str::to_owned)).collect(),
    }
}

/// A plain decimal number without needless zeros, compared exactly. (A column with another text is text.)
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number {
    negative: bool,
    whole: String,
    fraction: String,
}

impl Number {
    fn read(cell: &str) -> Option<Number> {
        let unsigned = cell.strip_prefix('-').unwrap_or(cell);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let plain = digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0'));
        let zero = unsigned.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let negative = unsigned.len() < cell.len();
        (plain && !(zero && negative)).then(|| Number {
            negative,
            whole: whole.to_owned(),
            fraction: fraction.trim_end_matches('0').to_owned(),
        })
    }

    fn size(&self) -> (usize, &str, &str) {
        (self.whole.len(), &self.whole, &self.fraction)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.size().cmp(&other.size()),
            (true, true) => other.size().cmp(&self.size()),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_tables::read::ReadOptions;

    fn cells(text: &str) -> Vec<Option<String>> {
        let input = Input::from_bytes(text, ReadOptions::new("t.csv"));
        CodedTable::read(&input).unwrap().columns.remove(0).cells
    }

    #[test]
    fn cells_that_no_row_shows_are_forgotten() {
        let cells = ["0", "0.5", "1", "100"].map(|cell| Some(cell.to_owned())).to_vec();
        let column = CodedCells { name: "age".to_owned(), codes: vec![2, 0, 2], cells }.in_use();
        assert_eq!(column.codes, [1, 0, 1]);
        assert_eq!(column.cells, [Some("0".to_owned()), Some("1".to_owned())]);
    }

    #[test]
    fn numbers_are_ordered_as_numbers_and_the_rest_as_text() {
        let some = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(cells("a,b\n9,x\n10,x\n-2,x\n1.5,x\n1.25,x\n"), some(&["-2", "1.25", "1.5", "9", "10"]));
        assert_eq!(cells("a,b\n9,x\n010,x\n"), some(&["010", "9"]));
        assert_eq!(cells("a,b\n9,x\n,x\n10,x\n")[0], None);
    }
}
