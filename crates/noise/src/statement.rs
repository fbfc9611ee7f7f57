//! The draws as SQL for PostgreSQL, which then shows the same cells, whatever it does with the rows.
//!
//! An integer is the first 15 hexadecimal digits of a SHA-256, taken modulo its bound; a digest in the incomplete stretch is replaced by the next one
//! ([`crate::draw`]). The key stands in a table of one row, never in the text, which databases write to logs. Rows are numbered once, into a table, because what
//! numbers them must not change while they are drawn for.

use crate::additive::Additive;
use crate::draw::{COIN, Plan, STAND_IN, TICKET, WORDS, rejected_from};
use std::fmt::Write;

/// What the text says. PostgreSQL 13 or later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The parts of the table's name, from the outermost to the table itself.
    pub table: Vec<String>,
    /// The columns of the result, in order.
    pub columns: Vec<String>,
    /// The columns that are drawn for, in the order of their attributes.
    pub noisy: Vec<NoisyColumn>,
    /// The columns by which rows are numbered, from 1.
    pub row_key: Vec<String>,
    /// The number of the operator.
    pub operator: u64,
}

/// One column that is drawn for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyColumn {
    /// Its name.
    pub name: String,
    /// Its values by code; `None` is the missing one.
    pub values: Vec<Option<String>>,
    /// How it is drawn for.
    pub drawn: Drawn,
    /// What becomes of cells that are no value.
    pub outside: Outside,
    /// Whether a missing cell is replaced by a value of equal chance before it is drawn for.
    pub stand_in: bool,
}

/// What becomes of a cell that is none of the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// The statement ends with an error.
    Refused,
    /// It counts as the value with this code.
    Other(u32),
    /// A number beyond the bounds counts as the bound.
    Clamped,
}

/// How a column is drawn for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawn {
    /// Randomised response.
    Response(Plan),
    /// Randomised response by the value of another column: the column, a plan for each of its values, and one for all others.
    Cases(String, Vec<(Option<String>, Plan)>, Option<Plan>),
    /// A number to which noise is added: the least value, the step and the noise.
    Added(String, String, Additive),
}

/// The statements one by one, for a program that runs them. The key is in `paravent_key (secret)`, a temporary table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// Makes the temporary table `paravent_rows`: the rows, numbered.
    pub rows: String,
    /// By column: a condition on these rows that none may fulfil.
    pub checks: Vec<(String, String)>,
    /// The rows with their draws, in an order that tells nothing.
    pub draws: String,
}

fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text(value: Option<&str>) -> String {
    value.map_or_else(|| "NULL".to_owned(), |value| format!("'{}'", value.replace('\'', "''")))
}

fn names(all: &[String]) -> String {
    all.iter().map(|one| name(one)).collect::<Vec<_>>().join(", ")
}

/// `r."sex"::text IS NOT DISTINCT FROM 'f'`
fn is(cell: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("{cell} = {}", text(Some(value))),
        None => format!("{cell} IS NULL"),
    }
}

impl Statement {
    /// The text: the key, the numbered rows, a look at the domains, the draws, and what to clear away.
    pub fn text(&self) -> String {
        let steps = self.steps();
        let mut out = format!(
            "-- 1 The key: 32 bytes in a table of one row, never in the text. To repeat a draw, bind the key: INSERT INTO paravent_key VALUES ($1)\n\
             CREATE TEMPORARY TABLE paravent_key (secret bytea NOT NULL CHECK (octet_length(secret) = 32));\n\
             INSERT INTO paravent_key SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))\n  \
             WHERE NOT EXISTS (SELECT FROM paravent_key);\n\
             -- 2 The rows, numbered once.\n{};\n\
             -- 3 A value that the noise does not know ends it here.\n",
            steps.rows,
        );
        for (column, wrong) in &steps.checks {
            let told =
                text(Some(&format!("column {} has cells outside the values of its noise", name(column))));
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "DO $paravent$ BEGIN IF EXISTS (SELECT FROM paravent_rows WHERE {wrong}) THEN RAISE EXCEPTION USING MESSAGE = {told}; END IF; END $paravent$;"
            );
        }
        let _ = write!(
            out,
            "-- 4 The draws, in an order that tells nothing.\n{};\n\
             -- 5 Nothing stays: who has the key can take the noise off.\nDROP TABLE paravent_rows, paravent_key;\n",
            steps.draws
        );
        out
    }

    /// The same, one by one.
    pub fn steps(&self) -> Steps {
        let mut stored = self.columns.clone();
        for column in &self.noisy {
            let by = if let Drawn::Cases(by, ..) = &column.drawn { Some(by) } else { None };
            for needed in [Some(&column.name), by].into_iter().flatten() {
                if !stored.contains(needed) {
                    stored.push(needed.clone());
                }
            }
        }
        let table = self.table.iter().map(|part| name(part)).collect::<Vec<_>>().join(".");
        let over = match self.row_key.is_empty() {
            true => "OVER ()".to_owned(),
            false => format!("OVER (ORDER BY {})", names(&self.row_key)),
        };
        let rows = format!(
            "CREATE TEMPORARY TABLE paravent_rows AS\n  SELECT row_number() {over} AS paravent_row, {} FROM {table}",
            names(&stored)
        );
        let checks = self.noisy.iter().filter_map(|column| Some((column.name.clone(), column.check()?)));
        let shown: Vec<String> = self
            .columns
            .iter()
            .map(|column| match self.noisy.iter().position(|noisy| noisy.name == *column) {
                Some(at) => format!("d{at}.shown AS {}", name(column)),
                None => format!("r.{}", name(column)),
            })
            .collect();
        let mut draws =
            format!("SELECT {}\nFROM paravent_rows r CROSS JOIN paravent_key k", shown.join(", "));
        for (at, column) in self.noisy.iter().enumerate() {
            draws.push_str(&self.draw(at, column));
        }
        let order: Vec<String> = (1..=shown.len()).map(|place| place.to_string()).collect();
        let _ = write!(draws, "\nORDER BY {}", order.join(", "));
        Steps { rows, checks: checks.collect(), draws }
    }

    /// The word with a counter, which may be an expression.
    fn word(&self, attribute: usize, counter: &str) -> String {
        format!(
            "('x' || substr(encode(sha256(k.secret || '\\x{:016x}{attribute:08x}'::bytea || int8send(r.paravent_row) || int4send({counter})), 'hex'), 1, 15))::bit(60)::bigint",
            self.operator
        )
    }

    /// The integer with a number, below a bound.
    fn integer(&self, attribute: usize, number: u16, below: u64) -> String {
        let (first, limit) = (u32::from(number) << 16, rejected_from(below));
        match limit == WORDS {
            true => format!("{} % {below}", self.word(attribute, &first.to_string())),
            // The first digest does nearly always; the others are looked at where it does not.
            false => format!(
                "(SELECT CASE WHEN f.w < {limit} THEN f.w % {below} ELSE (WITH RECURSIVE t(c, w) AS (SELECT {}, {} UNION ALL SELECT c + 1, {} FROM t WHERE w >= {limit}) \
                 SELECT w % {below} FROM t WHERE w < {limit}) END FROM (SELECT {} AS w) f)",
                first + 1,
                self.word(attribute, &(first + 1).to_string()),
                self.word(attribute, "c + 1"),
                self.word(attribute, &first.to_string()),
            ),
        }
    }

    fn draw(&self, at: usize, column: &NoisyColumn) -> String {
        let cell = match (column.stand_in, &column.drawn) {
            (false, _) => column.cell(),
            (true, _) => {
                let known: Vec<&Option<String>> =
                    column.values.iter().filter(|value| value.is_some()).collect();
                let integer = self.integer(at, STAND_IN, known.len().max(1) as u64);
                let values: Vec<String> = known.iter().map(|value| text(value.as_deref())).collect();
                format!("coalesce({}, (ARRAY[{}])[1 + ({integer})])", column.cell(), values.join(", "))
            }
        };
        let shown = match &column.drawn {
            Drawn::Response(plan) => self.response(at, column, plan),
            Drawn::Cases(by, plans, otherwise) => {
                let by = format!("r.{}::text", name(by));
                let arms: String = plans
                    .iter()
                    .map(|(value, plan)| {
                        format!(
                            " WHEN {} THEN {}",
                            is(&by, value.as_deref()),
                            self.response(at, column, plan)
                        )
                    })
                    .collect();
                let others =
                    otherwise.as_ref().map(|plan| format!(" ELSE {}", self.response(at, column, plan)));
                format!("CASE{arms}{} END", others.unwrap_or_default())
            }
            Drawn::Added(least, step, noise) => self.added(at, column, (least, step), noise),
        };
        format!(
            "\nCROSS JOIN LATERAL (SELECT {cell} AS cell) c{at}\nCROSS JOIN LATERAL (SELECT {shown} AS shown) d{at}"
        )
    }

    /// `CASE WHEN coin < … THEN CASE WHEN ticket < … THEN … END ELSE the cell END`
    fn response(&self, at: usize, column: &NoisyColumn, plan: &Plan) -> String {
        let cell = format!("c{at}.cell");
        let ticket = |code: u32| {
            let Some(ticket) = plan.ticket(code) else { return "NULL".to_owned() };
            let arms: String = ticket
                .codes
                .iter()
                .zip(ticket.sums)
                .map(|(code, sum)| {
                    format!(" WHEN t.n < {sum} THEN {}", text(column.values[*code as usize].as_deref()))
                })
                .collect();
            let bound = ticket.sums.last().copied().unwrap_or(1);
            format!("(SELECT CASE{arms} END FROM (SELECT {} AS n) t)", self.integer(at, TICKET, bound))
        };
        let redrawn = match plan.is_static() {
            true => ticket(0),
            false => {
                let arms: String = (0..)
                    .zip(&column.values)
                    .map(|(code, value)| {
                        format!(" WHEN {} THEN {}", is(&cell, value.as_deref()), ticket(code))
                    })
                    .collect();
                format!("CASE{arms} END")
            }
        };
        match plan.coin() {
            (0, _) => cell,
            (redraw, coins) if redraw == coins => redrawn,
            (redraw, coins) => {
                format!(
                    "CASE WHEN {} < {redraw} THEN {redrawn} ELSE {cell} END",
                    self.integer(at, COIN, coins)
                )
            }
        }
    }

    /// The nearest step, moved by as many steps as there are thresholds beyond the word.
    fn added(
        &self,
        at: usize,
        column: &NoisyColumn,
        (least, step): (&str, &str),
        noise: &Additive,
    ) -> String {
        let last = noise.domain() - 1;
        let code = format!("div(2 * (c{at}.cell::numeric - {least}) + {step}, 2 * {step})");
        // All thresholds in order: as many of them as are not above the word have been passed, from the most steps up to the most steps down.
        let up = noise.tails().iter().rev().copied();
        let down = noise.tails().iter().map(|tail| WORDS - tail);
        let thresholds: Vec<String> = up.chain(down).map(|threshold| threshold.to_string()).collect();
        let values: Vec<String> = column.values.iter().map(|value| text(value.as_deref())).collect();
        let moved = match last {
            0 => "0".to_owned(),
            _ => format!(
                "{last} - width_bucket({}, ARRAY[{}]::bigint[])",
                self.integer(at, TICKET, WORDS),
                thresholds.join(", ")
            ),
        };
        format!("(ARRAY[{}])[1 + greatest(0, least({last}, {code} + {moved}))::int]", values.join(", "))
    }
}

impl NoisyColumn {
    /// The cell, or what it counts as.
    fn cell(&self) -> String {
        let own = format!("r.{}", name(&self.name));
        match (&self.drawn, &self.outside) {
            (Drawn::Added(..), _) => {
                let (first, last) = (self.values.first(), self.values.last());
                let bound = |value: Option<&Option<String>>| value.cloned().flatten().unwrap_or_default();
                // `least` and `greatest` leave out NULL, so a missing number is looked at first.
                format!(
                    "CASE WHEN {own} IS NOT NULL THEN greatest({}, least({}, {own}::text::numeric))::text END",
                    bound(first),
                    bound(last)
                )
            }
            (_, Outside::Other(code)) => {
                let other = self.values.get(*code as usize).cloned().flatten();
                format!("CASE WHEN {} THEN {own}::text ELSE {} END", self.known(&own), text(other.as_deref()))
            }
            _ => format!("{own}::text"),
        }
    }

    /// Whether a cell is one of the values.
    fn known(&self, own: &str) -> String {
        let values: Vec<String> =
            self.values.iter().flatten().map(|value| text(Some(value.as_str()))).collect();
        let there = match values.is_empty() {
            true => "false".to_owned(),
            false => format!("coalesce({own}::text IN ({}), false)", values.join(", ")),
        };
        match self.values.contains(&None) || self.stand_in {
            true => format!("({there} OR {own} IS NULL)"),
            false => there,
        }
    }

    /// Which rows have a cell that is outside.
    fn check(&self) -> Option<String> {
        let own = name(&self.name);
        let mut wrong = Vec::new();
        match (&self.drawn, &self.outside) {
            (Drawn::Added(..), outside) => {
                if !self.stand_in {
                    wrong.push(format!("{own} IS NULL"));
                }
                if *outside != Outside::Clamped {
                    let bound = |value: Option<&Option<String>>| value.cloned().flatten().unwrap_or_default();
                    wrong.push(format!("{own}::text::numeric < {}", bound(self.values.first())));
                    wrong.push(format!("{own}::text::numeric > {}", bound(self.values.last())));
                }
            }
            (_, Outside::Refused | Outside::Clamped) => wrong.push(format!("NOT {}", self.known(&own))),
            // A missing cell is not just another value.
            (_, Outside::Other(_)) if !self.values.contains(&None) && !self.stand_in => {
                wrong.push(format!("{own} IS NULL"));
            }
            (_, Outside::Other(_)) => {}
        }
        if let Drawn::Cases(by, plans, None) = &self.drawn {
            let by = format!("{}::text", name(by));
            let known: Vec<String> = plans.iter().map(|(value, _)| is(&by, value.as_deref())).collect();
            wrong.push(format!("NOT coalesce({}, false)", known.join(" OR ")));
        }
        (!wrong.is_empty()).then(|| wrong.join(" OR "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::Law;
    use crate::distribution::Distribution;
    use crate::exact::{Epsilon, Probability, Ratio};
    use crate::response::Response;

    fn statement() -> Statement {
        let weights = ["0.5", "0.3", "0.2"].map(|weight| Ratio::parse(weight).unwrap()).to_vec();
        let response =
            Response::new(Probability::parse("0.2").unwrap(), Distribution::given(weights).unwrap());
        let values = ["f", "it's"].map(|value| Some(value.to_owned())).into_iter().chain([None]).collect();
        let noise = Additive::new(Law::Laplace, 5, &Epsilon::parse("1").unwrap(), None).unwrap();
        let numbers = (0..5).map(|number| Some((20 + 10 * number).to_string())).collect();
        Statement {
            table: ["clinic", "patients"].map(str::to_owned).to_vec(),
            columns: ["sex", "a\"ge", "diagnosis"].map(str::to_owned).to_vec(),
            noisy: vec![
                NoisyColumn {
                    name: "sex".to_owned(),
                    values,
                    drawn: Drawn::Response(Plan::new(&response).unwrap()),
                    outside: Outside::Refused,
                    stand_in: false,
                },
                NoisyColumn {
                    name: "a\"ge".to_owned(),
                    values: numbers,
                    drawn: Drawn::Added("20".to_owned(), "10".to_owned(), noise),
                    outside: Outside::Clamped,
                    stand_in: true,
                },
            ],
            row_key: vec!["id".to_owned()],
            operator: 1,
        }
    }

    #[test]
    fn the_key_is_not_in_the_text_and_the_thresholds_are() {
        let text = statement().text();
        assert!(text.contains("CREATE TEMPORARY TABLE paravent_key"), "{text}");
        assert!(text.contains("row_number() OVER (ORDER BY \"id\")"), "{text}");
        // operator 1, attribute 0; the coin has counter 0 and the bound 5, the ticket counter 65536 and the bound 10.
        assert!(text.contains("'\\x000000000000000100000000'::bytea"), "{text}");
        assert!(text.contains("THEN f.w % 5 ELSE") && text.contains("int4send(65536)"), "{text}");
        assert!(
            text.contains("WHEN t.n < 5 THEN 'f' WHEN t.n < 8 THEN 'it''s' WHEN t.n < 10 THEN NULL"),
            "{text}"
        );
        let Drawn::Added(_, _, noise) = &statement().noisy[1].drawn else { panic!("numbers") };
        let thresholds = format!("{}, {}, {},", noise.tail(2), noise.tail(1), WORDS - noise.tail(1));
        assert!(text.contains(&thresholds), "{text}");
        assert!(text.contains("\"a\"\"ge\"") && text.contains("int4send(131072)"), "{text}");
    }

    #[test]
    fn what_is_outside_ends_it_or_counts_as_something_else() {
        let mut statement = statement();
        assert_eq!(statement.text().matches("RAISE EXCEPTION").count(), 1);
        statement.noisy[0].outside = Outside::Other(0);
        let text = statement.text();
        assert!(!text.contains("RAISE EXCEPTION") && text.contains("ELSE 'f' END AS cell"), "{text}");
        statement.noisy[1].stand_in = false;
        statement.noisy[1].outside = Outside::Refused;
        let steps = statement.steps();
        assert!(statement.text().contains(&steps.draws) && steps.checks.len() == 1);
        assert!(statement.text().contains("\"a\"\"ge\" IS NULL OR \"a\"\"ge\"::text::numeric < 20"));
    }
}
