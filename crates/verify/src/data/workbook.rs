//! Released rows in a spreadsheet workbook.

use std::fs::File;

use super::Column;
use crate::VerifyError;

#[cfg(not(feature = "xlsx"))]
pub(super) fn read(_: File, name: &str) -> Result<Vec<Column>, VerifyError> {
    let problem = "this build lacks the feature xlsx";
    Err(VerifyError::Garbled { file: name.to_owned(), format: "workbook", problem })
}

#[cfg(feature = "xlsx")]
pub(super) fn read(file: File, name: &str) -> Result<Vec<Column>, VerifyError> {
    sheet::read(file, name)
}

#[cfg(feature = "xlsx")]
mod sheet {
    use std::fs::File;
    use std::io::BufReader;
    use std::sync::Arc;

    use calamine::{Data, Range, Reader, Xlsx};

    use super::super::Interner;
    use super::Column;
    use crate::VerifyError;
    use crate::json::MAX_COLUMNS;

    pub(super) fn read(file: File, name: &str) -> Result<Vec<Column>, VerifyError> {
        let garbled = |problem| VerifyError::Garbled { file: name.to_owned(), format: "workbook", problem };
        let mut book = Xlsx::new(BufReader::new(file)).map_err(|_| garbled("no workbook"))?;
        let sheets = book.sheet_names();
        let [sheet] = &sheets[..] else { return Err(garbled("not one sheet")) };
        let cells = book.worksheet_range(sheet).map_err(|_| garbled("no rows"))?;
        // The writer starts at the first cell; whatever begins elsewhere was not written so.
        if cells.is_empty() || cells.start() != Some((0, 0)) {
            return Err(VerifyError::NoHeader { file: name.to_owned() });
        }
        if cells.width() > MAX_COLUMNS {
            return Err(VerifyError::TooLarge { file: name.to_owned() });
        }
        let repeats: Arc<[u32]> = vec![1; cells.height() - 1].into();
        (0..cells.width()).map(|column| of(&cells, column, name, &repeats)).collect()
    }

    fn of(
        cells: &Range<Data>,
        column: usize,
        file: &str,
        repeats: &Arc<[u32]>,
    ) -> Result<Column, VerifyError> {
        let Some(Data::String(header)) = cells.get((0, column)) else {
            return Err(VerifyError::NoHeader { file: file.to_owned() });
        };
        let below = || (1..cells.height()).map(|row| cells.get((row, column)).unwrap_or(&Data::Empty));
        let clock = below().map(clock).max().unwrap_or(0);
        let mut interner = Interner::default();
        for cell in below() {
            match shown(cell, clock) {
                Some(text) => interner.push(text.as_bytes()),
                None => interner.push_missing(),
            }
        }
        let mut finished = interner.finish(header.clone(), file, column + 1, repeats)?;
        finished.is_text = below().any(|cell| matches!(cell, Data::String(_)));
        Ok(finished)
    }

    /// 0 without a time of day, 1 with minutes, 2 with seconds.
    fn clock(cell: &Data) -> u8 {
        let Data::DateTime(when) = cell else { return 0 };
        match when.to_ymd_hms_milli() {
            (_, _, _, _, _, second, _) if second > 0 => 2,
            (_, _, _, hour, minute, _, _) => u8::from(hour > 0 || minute > 0),
        }
    }

    fn shown(cell: &Data, clock: u8) -> Option<String> {
        match cell {
            Data::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            Data::Bool(truth) => Some(truth.to_string()),
            Data::Int(number) => Some(number.to_string()),
            Data::Float(number) => Some(number.to_string()),
            Data::DateTime(when) => {
                let (year, month, day, hour, minute, second, _) = when.to_ymd_hms_milli();
                let date = format!("{year:04}-{month:02}-{day:02}");
                Some(match clock {
                    0 => date,
                    1 => format!("{date}T{hour:02}:{minute:02}"),
                    _ => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
                })
            }
            // Nothing of ours writes these; read as what no label is.
            Data::DateTimeIso(text) | Data::DurationIso(text) => Some(text.clone()),
            Data::Error(_) => Some("#error".to_owned()),
            Data::Empty => None,
        }
    }
}
