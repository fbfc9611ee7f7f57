//! What noise would cost and promise. Nothing is drawn, paid or written.

use super::failed::failure;
use super::text::{self, Cost};
use crate::answer::Answer;
use crate::commands::destination::{Bare, Output};
use crate::commands::light;
use crate::failure::Failure;
use crate::layout::counted;
use paravent_pipeline::job::Job;
use paravent_pipeline::ledger::Book;
use paravent_pipeline::noise::{Prepared, dry_run};
use paravent_pipeline::slice::{CodedTable, Destination};
use serde_json::json;

/// Noise that could be paid for and drawn.
pub(super) struct Planned<'a> {
    pub(super) table: &'a CodedTable,
    pub(super) prepared: &'a Prepared,
    pub(super) job: Option<&'a Job>,
    pub(super) book: &'a Book,
}

impl Planned<'_> {
    /// Says what the run would do: a release at `place`, or else a bare table.
    pub(super) fn tell(
        &self,
        output: &Output,
        place: Option<&Destination>,
        bare: Bare,
    ) -> Result<Answer, Failure> {
        let Planned { table, prepared, job, book } = self;
        let charge = prepared.look(book).map_err(failure)?;
        let rows = counted(table.rows as u64, "row");
        let cost = text::cost(&charge, Cost::WouldBe);
        let noted = text::notes_before(prepared);
        let notes: String = noted.iter().map(|note| format!("· {note}\n")).collect();
        let mut json = json!({
            "rows": table.rows,
            "epsilon": charge.epsilon,
            "delta": charge.delta,
            "bounded": charge.bounded,
            "spent": charge.spent,
            "left": charge.left,
            "notes": noted,
        });
        let remarks = format!("· randomize: {cost}\n{notes}");
        let (Output::Release(target), Some(place)) = (output, place) else {
            let text =
                format!("A dry run: {rows}; nothing is drawn, paid or written\n{remarks}{}", bare.remarks());
            return Ok(bare.add(Answer::done(text, json)));
        };
        let document = dry_run(table, prepared, *job, place, book).map_err(failure)?;
        let mut text = format!(
            "{}: a dry run of a noisy release of {rows}; nothing is drawn, paid or written\n{remarks}",
            target.display()
        );
        for warning in super::warnings(&document) {
            text.push_str(&format!("· {warning}\n"));
        }
        json["release"] = document.clone();
        Ok(light::add(Answer::done(text, json), &document))
    }
}
