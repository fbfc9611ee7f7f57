//! A password, from the terminal without an echo, or a line of standard input. Never from the command line, which others can see.

use crate::failure::Failure;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::io::{self, BufRead, IsTerminal, Write};

/// Reads it.
pub fn read() -> Result<String, Failure> {
    let input = io::stdin();
    if !input.is_terminal() {
        return line(&mut input.lock());
    }
    let first = hidden("Password: ")?;
    match hidden("Once more: ")? == first {
        true => Ok(first),
        false => Err(Failure::Usage { message: "the two passwords are not the same".to_owned() }),
    }
}

fn hidden(prompt: &str) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::input_output(format!("the terminal: {error}"));
    let input = io::stdin();
    let before = tcgetattr(&input).map_err(|error| failed(error.into()))?;
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    let _ = write!(io::stderr(), "{prompt}");
    tcsetattr(&input, OptionalActions::Flush, &quiet).map_err(|error| failed(error.into()))?;
    let read = line(&mut input.lock());
    let _ = tcsetattr(&input, OptionalActions::Flush, &before);
    let _ = writeln!(io::stderr());
    read
}

fn line(input: &mut dyn BufRead) -> Result<String, Failure> {
    let mut text = String::new();
    input.read_line(&mut text).map_err(|error| Failure::input_output(format!("standard input: {error}")))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}
