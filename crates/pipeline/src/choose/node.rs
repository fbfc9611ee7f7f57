//! `--node age=2,zip=3`: levels chosen by hand.

use paravent_job::{Job, Problems, Recoding, Role, closest};
use std::str::FromStr;

/// Levels by the names of quasi-identifiers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels(pub Vec<(String, u8)>);

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Levels, String> {
        let level = |part: &str| {
            let (name, level) = part.rsplit_once('=').ok_or("write e.g. age=2,zip=3")?;
            let level = level.trim().parse().map_err(|_| format!("{} is no level", level.trim()))?;
            Ok((name.trim().to_owned(), level))
        };
        text.split(',').map(level).collect::<Result<_, String>>().map(Levels)
    }
}

/// Lets the named columns take these levels only; the search finds the best levels of the others.
///
/// # Errors
/// If a name is none of the quasi-identifiers, or the job recodes locally.
pub fn fix_levels(job: &mut Job, levels: &Levels) -> Result<(), Problems> {
    let mut problems = Problems::default();
    if !levels.0.is_empty() && job.search.recoding != Recoding::Global {
        let message = "with local recoding no column has one level";
        problems.push(job.problem("search.recoding", message).advise("Write recoding = \"global\""));
    }
    for (name, level) in &levels.0 {
        let quasi = |role| role == Role::QuasiIdentifier;
        match job.attributes.iter_mut().find(|attribute| attribute.name == *name && quasi(attribute.role)) {
            Some(attribute) => (attribute.min_level, attribute.max_level) = (Some(*level), Some(*level)),
            None => {
                let names: Vec<&str> =
                    job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.as_str()).collect();
                let advice = match closest(name, names.iter().copied()) {
                    Some(meant) => format!("Did you mean {meant}?"),
                    None => format!("Quasi-identifiers: {}", names.join(", ")),
                };
                let message = format!("--node: {name} is not a quasi-identifier of the job");
                problems.push(job.problem("attributes", message).advise(advice));
            }
        }
    }
    problems.into_result(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read() {
        let levels = Levels(vec![("age".into(), 2), ("a=b".into(), 0)]);
        assert_eq!("age=2, a=b = 0".parse(), Ok(levels));
        assert!("age".parse::<Levels>().is_err() && "age=x".parse::<Levels>().is_err());
    }
}
