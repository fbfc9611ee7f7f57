//! The prompt of `paravent sql`.

use super::show::{self, Format};
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::sql::failed::failure;
use crate::failure::Failure;
use crate::paint::Paint;
use paravent_algebra::session::Session as Sql;
use paravent_algebra::sql::{FUNCTIONS, complete};
use rustyline::completion::Completer;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{FileHistory, History};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};
use serde_json::json;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

const HELP: &str = "\
A statement ends with a semicolon and may take several lines. Tab completes.
  \\d           the tables and their columns
  \\f           the functions in FROM and their arguments
  \\q           the end (or Ctrl-D)
";

/// Reads statements and answers them until the end of the input.
pub fn run(
    sql: &mut Sql,
    format: Format,
    history: Option<&Path>,
    session: &Session,
) -> Result<Answer, Failure> {
    let failed = |error: ReadlineError| Failure::input_output(format!("the terminal: {error}"));
    let mut editor: Editor<Words, FileHistory> = Editor::new().map_err(failed)?;
    editor.set_auto_add_history(true);
    editor.set_helper(Some(Words { tables: sql.tables().clone() }));
    if let Some(path) = history
        && path.exists()
    {
        editor
            .load_history(path)
            .map_err(|error| Failure::input_output(format!("{}: {error}", path.display())))?;
    }
    if !session.quiet {
        print!("{HELP}");
    }
    let mut statements = 0_u64;
    loop {
        match editor.readline("paravent> ") {
            Ok(line) => match line.trim().trim_end_matches(';').trim() {
                "" => {}
                "\\q" | "exit" | "quit" => break,
                "\\d" => print!("{}", tables(sql)),
                "\\f" => print!("{}", functions()),
                "\\?" | "help" => print!("{HELP}"),
                statement => {
                    statements += 1;
                    tell(sql, statement, format, session);
                }
            },
            // Ctrl-C takes the line back.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    if let Some(path) = history
        && !editor.history().is_empty()
    {
        editor
            .save_history(path)
            .map_err(|error| Failure::input_output(format!("{}: {error}", path.display())))?;
    }
    Ok(Answer::done(String::new(), json!({ "statements": statements })))
}

fn tell(sql: &mut Sql, statement: &str, format: Format, session: &Session) {
    let answer = sql.run(statement).map_err(failure).and_then(|rows| show::answer(&rows, format, session));
    match answer {
        Ok(answer) => print!("{}", answer.text),
        Err(error) => eprint!("{}", error.text(Paint::for_stream(&io::stderr()))),
    }
}

fn tables(sql: &Sql) -> String {
    sql.tables().iter().map(|(name, columns)| format!("  {name} ({})\n", columns.join(", "))).collect()
}

fn functions() -> String {
    let mut text = String::new();
    for function in &FUNCTIONS {
        text.push_str(&format!("  {}(relation, …): {}\n", function.name, function.about));
        for argument in function.arguments {
            text.push_str(&format!("      {:<42} {}\n", argument.example, argument.about));
        }
    }
    text
}

/// Completion from the words of the session, and statements over several lines.
struct Words {
    tables: BTreeMap<String, Vec<String>>,
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(line, position, &self.tables))
    }
}

impl Validator for Words {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let line = context.input().trim();
        let done = line.is_empty()
            || line.ends_with(';')
            || line.starts_with('\\')
            || matches!(line, "exit" | "quit" | "help");
        Ok(if done { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Helper for Words {}
