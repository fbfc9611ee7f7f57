//! `paravent init --ask`: the choices of a first job as a dialogue.

use crate::failure::Failure;
use paravent_pipeline::init::{Preset, Proposal};
use paravent_pipeline::job::Role;
use std::io::{self, BufRead, IsTerminal, Write};

/// Asks what the release is for, and how large the smallest group must be.
pub fn purpose(preset: Preset, k: Option<u32>) -> Result<(Preset, u32), Failure> {
    if !io::stdin().is_terminal() {
        let message = "--ask needs a terminal; say it without a dialogue: --for health --k 5".to_owned();
        return Err(Failure::Usage { message });
    }
    let mut dialogue = Dialogue { input: io::stdin().lock(), output: io::stderr() };
    dialogue.purpose(preset, k).map_err(|error| Failure::input_output(error.to_string()))
}

/// Asks for the role of every column.
pub fn roles(proposal: &mut Proposal) -> Result<(), Failure> {
    let mut dialogue = Dialogue { input: io::stdin().lock(), output: io::stderr() };
    dialogue.roles(proposal).map_err(|error| Failure::input_output(error.to_string()))
}

/// Questions and answers. An empty answer takes the proposal.
struct Dialogue<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Dialogue<R, W> {
    fn answer(&mut self, question: &str) -> io::Result<String> {
        write!(self.output, "{question} ")?;
        self.output.flush()?;
        let mut line = String::new();
        self.input.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    fn purpose(&mut self, preset: Preset, k: Option<u32>) -> io::Result<(Preset, u32)> {
        writeln!(self.output, "What is the release for?")?;
        for (number, preset) in Preset::ALL.iter().enumerate() {
            writeln!(self.output, "  {} {:<10} {}", number + 1, preset.name(), preset.describe())?;
        }
        let chosen = loop {
            let answer = self.answer(&format!("Number or name [{}]:", preset.name()))?;
            let by_number =
                answer.parse::<usize>().ok().and_then(|number| Preset::ALL.get(number.checked_sub(1)?));
            let by_name = Preset::ALL.iter().find(|preset| preset.name() == answer);
            match by_number.or(by_name) {
                _ if answer.is_empty() => break preset,
                Some(chosen) => break *chosen,
                None => writeln!(self.output, "Please give a number from 1 to 4.")?,
            }
        };
        let usual = k.unwrap_or(chosen.k());
        writeln!(self.output, "How many people must be alike in what others may know of them (k)?")?;
        let k = loop {
            let answer = self.answer(&format!("k [{usual}]:"))?;
            match answer.parse::<u32>() {
                _ if answer.is_empty() => break usual,
                Ok(k) if k >= 2 => break k,
                _ => writeln!(self.output, "Please give a whole number from 2 on.")?,
            }
        };
        Ok((chosen, k))
    }

    /// What a column becomes is asked; a hierarchy of somebody else's making cannot be asked for in one line.
    fn roles(&mut self, proposal: &mut Proposal) -> io::Result<()> {
        writeln!(
            self.output,
            "What are the columns? l: leave out, q: others may know it, s: sensitive, i: harmless; empty: as proposed"
        )?;
        for index in 0..proposal.columns.len() {
            let (name, reason, shown, role) = {
                let column = &proposal.columns[index];
                // Leaving a column out is what becomes of an identifying one.
                let role = if column.left_out { Role::Identifying } else { column.role };
                let shown = if column.left_out { "left out" } else { role.name() };
                (column.name.clone(), column.reason.clone(), shown, role)
            };
            let chosen = loop {
                match self.answer(&format!("{name}: {shown} ({reason}) [{}]:", letter(role)))?.as_str() {
                    "" => break role,
                    "l" => break Role::Identifying,
                    "q" => break Role::QuasiIdentifier,
                    "s" => break Role::Sensitive,
                    "i" => break Role::Insensitive,
                    _ => writeln!(self.output, "Please give l, q, s or i.")?,
                }
            };
            if chosen != role {
                proposal.give_role(index, chosen);
            }
        }
        Ok(())
    }
}

fn letter(role: Role) -> char {
    match role {
        Role::Identifying => 'l',
        Role::QuasiIdentifier => 'q',
        Role::Sensitive => 's',
        Role::Insensitive => 'i',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_pipeline::init::{InitOptions, propose};
    use paravent_pipeline::job::Job;
    use paravent_pipeline::read::{Input, ReadOptions};

    #[test]
    fn empty_answers_take_the_proposal_and_odd_ones_are_asked_again() {
        let mut told = Vec::new();
        let mut dialogue = Dialogue { input: &b"nonsense\n4\n1\n\n"[..], output: &mut told };
        assert_eq!(dialogue.purpose(Preset::General, None).unwrap(), (Preset::OpenData, 20));
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains("number from 1 to 4") && told.contains("from 2 on"), "{told}");
        let mut dialogue = Dialogue { input: &b"\n\n"[..], output: Vec::new() };
        assert_eq!(dialogue.purpose(Preset::Health, Some(7)).unwrap(), (Preset::Health, 7));
    }

    #[test]
    fn roles_that_are_changed_make_another_job_that_can_be_read() {
        let table = "sex,age,city\nf,34,a\nm,45,b\nf,61,a\nm,29,b\n";
        let input = Input::from_bytes(table.as_bytes().to_vec(), ReadOptions::new("table.csv"));
        let mut proposal = propose(&input, &InitOptions::default()).unwrap();
        let mut dialogue = Dialogue { input: &b"\nx\nq\nl\n"[..], output: Vec::new() };
        dialogue.roles(&mut proposal).unwrap();
        assert_eq!(proposal.columns[2].role, Role::Identifying);
        let job = Job::parse(&proposal.to_toml(), "paravent.toml".as_ref()).unwrap();
        assert_eq!(job.attributes[2].role, Role::Identifying);
    }
}
