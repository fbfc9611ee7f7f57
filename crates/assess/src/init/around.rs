//! The sheet of a table in a workbook, titles above the table and remarks below it: found, left out, and told.

use paravent_tables::read::{Batch, Cells, Format, Frame, Input, ReadError};

use super::InitError;
use super::words::{counted, listed, number};

/// The sheet with the table, and what to tell of the choice. Nothing is chosen where the user has named a sheet.
pub(super) fn on_its_sheet(input: &Input) -> Result<(Input, Vec<String>), InitError> {
    let sheets = match &input.options().sheet {
        None => input.sheets()?,
        Some(_) => Vec::new(),
    };
    if sheets.len() < 2 {
        return Ok((input.clone(), Vec::new()));
    }
    let of = |sheet: &String| input.read_as(|options| options.sheet = Some(sheet.clone()));
    let all = number(sheets.len() as u64);
    let table = sheets.iter().position(|sheet| holds_a_table(&of(sheet)));
    Ok(match table {
        Some(at) if at > 0 => {
            let name = listed([sheets[at].as_str()]);
            let note = format!(
                "The workbook has {all} sheets; {name} is the first with a table, so it is read (sheet under [input]). To take another one: init --sheet NAME."
            );
            (of(&sheets[at]), vec![note])
        }
        _ => {
            let name = listed([sheets[0].as_str()]);
            let note = format!(
                "The workbook has {all} sheets; the first, {name}, is read. To take another one: init --sheet NAME."
            );
            (input.clone(), vec![note])
        }
    })
}

/// Whether a sheet has two columns with names and a row.
fn holds_a_table(input: &Input) -> bool {
    let read = || -> Result<bool, ReadError> {
        let Frame { above, below } = input.frame()?;
        let mut source = input.read_as(|options| (options.skip, options.footer) = (above, below)).open()?;
        Ok(source.columns().len() > 1 && source.next_batch(&mut Batch::default())?)
    };
    read().unwrap_or(false)
}

/// The table without what stands around it in its file, and what to tell of that.
pub(super) fn without_frame(input: &Input) -> Result<(Input, Vec<String>), InitError> {
    let Frame { above, below } = input.frame()?;
    let is_sheet = Format::of_path(&input.options().path).map(Format::cells) == Some(Cells::Sheet);
    let mut notes = Vec::new();
    if above > 0 {
        let lines = match is_sheet {
            true => counted(above.into(), "row", "rows"),
            false => counted(above.into(), "line", "lines"),
        };
        let are = if above == 1 { "is" } else { "are" };
        notes.push(format!(
            "{lines} above the names of the columns {are} left out as a title (skip = {above} under [input])."
        ));
    }
    if below > 0 {
        let rows = counted(below.into(), "row", "rows");
        let are = if below == 1 { "is" } else { "are" };
        notes.push(format!(
            "{rows} below the table {are} left out as a remark or a total (footer = {below} under [input]). Look whether that is right."
        ));
    }
    Ok((input.read_as(|options| (options.skip, options.footer) = (above, below)), notes))
}

#[cfg(test)]
mod tests {
    use super::super::{InitOptions, propose};
    use super::*;
    use paravent_job::Job;
    use paravent_tables::read::ReadOptions;

    fn proposed(text: &str) -> (Job, Vec<String>) {
        let input = Input::from_bytes(text.as_bytes().to_vec(), ReadOptions::new("stays.csv"));
        let proposal = propose(&input, &InitOptions::default()).unwrap();
        (proposal.job, proposal.notes)
    }

    #[test]
    fn what_is_around_a_table_is_named_in_the_job() {
        let rows: String =
            (0..40).map(|n| format!("{};{};diagnosis {}\n", 20 + n, ["f", "m"][n % 2], n % 3)).collect();
        let table = format!("age;sex;diagnosis\n{rows}");
        let (job, notes) = proposed(&format!("Export of all wards\n\n{table}\nRows: 40\n"));
        assert_eq!((job.input.skip, job.input.footer), (2, 1));
        assert_eq!(Job::parse(&job.to_toml(), "paravent.toml".as_ref()).unwrap(), job);
        assert!(notes.iter().any(|note| note.contains("skip = 2")), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("footer = 1")), "{notes:?}");
        let names: Vec<&str> = job.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        assert_eq!(names, ["age", "sex", "diagnosis"]);
        let (job, _) = proposed(&table);
        assert_eq!((job.input.skip, job.input.footer), (0, 0));
    }
}
