//! OpenDocument spreadsheets (.ods), as LibreOffice writes them: read like workbooks.

use super::formats::Kind;
use super::{Format, workbook};

pub(super) const FORMAT: Kind = Kind {
    format: Format::Ods,
    shown: "OpenDocument spreadsheet",
    names: &["ods"],
    endings: &[],
    // An archive without a name is none that anybody wants opened.
    is_it: |_| false,
    open: |raw, _, options| workbook::open(raw, Format::Ods, options),
    frame: |raw, _, options| workbook::frame(raw, Format::Ods, options),
    ..workbook::FORMAT
};

#[cfg(all(test, feature = "xlsx"))]
#[allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]
mod tests {
    use crate::read::tests::shown;
    use crate::read::{Frame, Input, ReadOptions};

    /// Written by LibreOffice.
    const PEOPLE: &[u8] = include_bytes!("tests/data/people.ods");

    #[test]
    fn a_sheet_of_libreoffice_is_read() {
        let expected = "name|age|born|amount|ok/Ann|34|2001-02-03|1.5|TRUE/Bo, jr|45|1999-12-31|1200|FALSE/?|27|2010-07-01|0.25|TRUE";
        let input = Input::from_bytes(PEOPLE, ReadOptions::new("people.ods"));
        assert_eq!(shown(&input), expected);
        assert_eq!(input.frame().unwrap(), Frame::default());
    }

    #[test]
    fn a_damaged_one_is_told_without_its_cells() {
        let cut = Input::from_bytes(&PEOPLE[..PEOPLE.len() / 2], ReadOptions::new("people.ods"));
        let told = cut.open().err().unwrap().to_string();
        assert!(told.contains("people.ods") && !told.contains("Ann"), "{told}");
    }
}
