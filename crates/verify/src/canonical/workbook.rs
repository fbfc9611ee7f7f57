//! Rows as a spreadsheet workbook.

use super::comparing::Comparing;
use crate::data::Column;
use crate::spelling::Spelling;
use crate::types::Type;

#[cfg(not(feature = "xlsx"))]
pub(super) fn differs(_: Comparing<'_>, _: &[Column], _: &[Type], _: &[(String, Spelling)]) -> bool {
    true
}

/// Whether the workbook has other bytes than its rows are written with.
#[cfg(feature = "xlsx")]
pub(super) fn differs(
    mut out: Comparing<'_>,
    columns: &[Column],
    kinds: &[Type],
    spellings: &[(String, Spelling)],
) -> bool {
    use std::io::Write;
    match book::bytes(columns, kinds, spellings) {
        Some(bytes) => out.write_all(&bytes).is_err() || out.finish(),
        None => true,
    }
}

#[cfg(feature = "xlsx")]
mod book {
    use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook};

    use super::super::super::calendar;
    use crate::data::Column;
    use crate::spelling::Spelling;
    use crate::types::Type;

    enum Shown {
        Nothing,
        Text,
        Number(f64),
        Truth(bool),
        Day(ExcelDateTime),
    }

    pub(super) fn bytes(
        columns: &[Column],
        kinds: &[Type],
        spellings: &[(String, Spelling)],
    ) -> Option<Vec<u8>> {
        let mut book = Workbook::new();
        let then = ExcelDateTime::from_ymd(2000, 1, 1).ok()?;
        book.set_properties(&DocProperties::new().set_creation_datetime(&then));
        let sheet = book.add_worksheet();
        let mut all: Vec<(&Column, Vec<Shown>, Format)> = Vec::new();
        for (place, (column, &kind)) in columns.iter().zip(kinds).enumerate() {
            sheet.write_string(0, u16::try_from(place).ok()?, &column.name).ok()?;
            let spelling = spellings.iter().find(|(name, _)| *name == column.name).map(|(_, said)| said);
            let cells =
                (0..column.codes_in_use() as u32).map(|code| shown(column.text(code), kind)).collect();
            all.push((column, cells, Format::new().set_num_format(format_of(kind, spelling))));
        }
        let rows = all.first()?.0.codes.len();
        // Row by row: texts and forms are numbered as they come.
        for (row, stretch) in (1u32..).zip(0..rows) {
            for (place, (column, cells, format)) in (0u16..).zip(&all) {
                let code = column.codes.at(stretch);
                match &cells[code as usize] {
                    Shown::Nothing => continue,
                    Shown::Text => sheet.write_string(row, place, column.text(code)?),
                    Shown::Number(number) => sheet.write_number(row, place, *number),
                    Shown::Truth(truth) => sheet.write_boolean(row, place, *truth),
                    Shown::Day(day) => sheet.write_datetime_with_format(row, place, day, format),
                }
                .ok()?;
            }
        }
        book.save_to_buffer().ok()
    }

    fn shown(text: Option<&str>, kind: Type) -> Shown {
        let Some(text) = text else { return Shown::Nothing };
        let typed = match kind {
            Type::String => None,
            Type::Boolean => text.parse().ok().map(Shown::Truth),
            Type::Integer | Type::Decimal => text.parse().ok().map(Shown::Number),
            Type::Date | Type::DateTime => when(text).map(Shown::Day),
        };
        typed.unwrap_or(Shown::Text)
    }

    fn when(text: &str) -> Option<ExcelDateTime> {
        let (date, time) = text.split_once('T').unwrap_or((text, "00:00"));
        calendar::days(date)?;
        let number = |range: std::ops::Range<usize>| date.get(range)?.parse::<u16>().ok();
        let day = ExcelDateTime::from_ymd(number(0..4)?, number(5..7)? as u8, number(8..10)? as u8).ok()?;
        let mut clock = time.splitn(3, ':').map(|part| part.parse::<u8>().ok());
        let (hour, minute) = (clock.next()??, clock.next()??);
        if !text.contains('T') {
            return Some(day);
        }
        day.and_hms(hour.into(), minute, f64::from(clock.next().unwrap_or(Some(0))?)).ok()
    }

    fn format_of(kind: Type, spelling: Option<&Spelling>) -> String {
        match (kind, spelling) {
            (Type::Date | Type::DateTime, Some(Spelling::Moment(runs, _))) => runs
                .iter()
                .map(|&(letter, count)| match letter {
                    'M' => "m".repeat(count),
                    'H' => "h".repeat(count),
                    'a' => "AM/PM".to_owned(),
                    'T' => "\\T".to_owned(),
                    other => other.to_string().repeat(count),
                })
                .collect(),
            (Type::Date, _) => "yyyy-mm-dd".to_owned(),
            (Type::DateTime, _) => "yyyy-mm-dd hh:mm:ss".to_owned(),
            _ => "General".to_owned(),
        }
    }
}
