//! Cells that are drawn there, by a key that is sent as data.

use super::copy;
use super::failure::Doing;
use super::session::{COUNTING, CREATING, DIALECT, MAPPING, Session, cells, rows_of};
use crate::statement;
use paravent_tables::engine::{Drawing, EngineError, TableName};
use postgres_protocol::message::backend::Message;

impl Session {
    /// Makes numbered rows, and gives the numbers that stand for their cells.
    pub(super) fn numbered(
        &mut self,
        rows: &str,
        codes: &[(String, String)],
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        self.run(rows, &COUNTING)?;
        self.run("ANALYZE paravent_rows", &COUNTING)?;
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); codes.len()];
        let asked: Vec<&str> = codes.iter().map(|(_, code)| code.as_str()).collect();
        let question = format!("SELECT {} FROM paravent_rows r ORDER BY r.paravent_row", asked.join(", "));
        self.query(&question, &COUNTING, |message| {
            if let Message::DataRow(row) = message {
                for (column, cell) in columns.iter_mut().zip(cells(&row)?) {
                    let number = cell.and_then(|cell| std::str::from_utf8(cell).ok()?.parse().ok());
                    column.push(number.ok_or(EngineError::Garbled("(no number)"))?);
                }
            }
            Ok(())
        })?;
        Ok(columns)
    }

    /// Draws by a key that is sent as data: no log of statements has it.
    pub(super) fn draw(&mut self, staged: &TableName, drawing: &Drawing) -> Result<u64, EngineError> {
        let shown = staged.to_string();
        let doing = Doing { table: &shown, ..CREATING };
        let key = "CREATE TEMPORARY TABLE paravent_key (secret bytea NOT NULL) ON COMMIT DROP";
        self.run(key, &MAPPING)?;
        self.copy_in("COPY paravent_key FROM STDIN", &MAPPING, &mut copy::of_key(&drawing.key))?;
        if !drawing.rows.is_empty() {
            self.run(&drawing.rows, &COUNTING)?;
            self.run("ANALYZE paravent_rows", &COUNTING)?;
        }
        for (column, wrong) in &drawing.checks {
            let mut is_wrong = false;
            let question = format!("SELECT 1 FROM paravent_rows WHERE {wrong} LIMIT 1");
            self.query(&question, &COUNTING, |message| {
                is_wrong |= matches!(message, Message::DataRow(_));
                Ok(())
            })?;
            if is_wrong {
                return Err(EngineError::Outside { column: column.clone() });
            }
        }
        let tag =
            self.run(&format!("CREATE TABLE {} AS {}", DIALECT.table(staged), drawing.draws), &doing)?;
        self.run(&statement::mark(DIALECT, staged).to_string(), &doing)?;
        self.run("DROP TABLE paravent_rows", &COUNTING)?;
        rows_of(&tag)
    }
}
