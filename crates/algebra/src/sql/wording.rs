//! How mistakes in a statement are told.

use datafusion::common::DataFusionError;
use paravent_job::closest;

/// A mistake of the statement.
pub(super) fn problem(message: impl Into<String>) -> DataFusionError {
    DataFusionError::Plan(message.into())
}

/// `there is no column "agee"; did you mean age? The columns are age, sex`
pub(crate) fn unknown<'a>(
    kind: &str,
    plural: &str,
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let meant = closest(written, known.iter().copied());
    let meant = meant.map_or_else(String::new, |meant| format!("did you mean {meant}? "));
    match known.is_empty() {
        true => format!("there is no {kind} {written:?}"),
        false => format!("there is no {kind} {written:?}; {meant}The {plural} are {}", listed(&known))
            .replace("; The", "; the"),
    }
}

/// At most 30 names.
pub(super) fn listed(names: &[&str]) -> String {
    const MOST: usize = 30;
    match names.len() > MOST {
        true => format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST),
        false => names.join(", "),
    }
}
