//! Which column of the input is which attribute of the job.

use paravent_job::{Job, Population, Problems, Role, closest};

/// What becomes of an input column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Left out: identifies people.
    Identifying,
    /// Identifies people; keyed pseudonyms leave instead.
    Pseudonym,
    /// Generalized; its position among the quasi-identifiers, in job order.
    QuasiIdentifier(usize),
    /// Kept.
    Sensitive,
    /// Kept.
    Insensitive,
    /// Left out: says which rows are to be released.
    Subset,
    /// Left out: the job does not say what it is.
    Undeclared,
}

impl Treatment {
    /// Whether the release has the column.
    pub fn is_released(self) -> bool {
        match self {
            Treatment::QuasiIdentifier(_)
            | Treatment::Sensitive
            | Treatment::Insensitive
            | Treatment::Pseudonym => true,
            Treatment::Identifying | Treatment::Subset | Treatment::Undeclared => false,
        }
    }

    /// The role in words for people.
    pub fn shown_role(self) -> &'static str {
        match self {
            Treatment::Subset => "subset flag",
            Treatment::Undeclared => "not in the job",
            Treatment::Pseudonym => "identifying, as pseudonyms",
            other => other.role(),
        }
    }

    /// The role in manifest and transformation: what is left out counts as identifying.
    pub fn role(self) -> &'static str {
        match self {
            Treatment::Identifying | Treatment::Pseudonym | Treatment::Subset | Treatment::Undeclared => {
                "identifying"
            }
            Treatment::QuasiIdentifier(_) => "quasi-identifier",
            Treatment::Sensitive => "sensitive",
            Treatment::Insensitive => "insensitive",
        }
    }
}

/// One column of the input.
#[derive(Debug, Clone)]
pub struct InputColumn {
    /// Its name.
    pub name: String,
    /// What becomes of it.
    pub treatment: Treatment,
    /// Position among the job's attributes.
    pub attribute: Option<usize>,
}

/// All columns of the input, in its order.
#[derive(Debug, Clone)]
pub struct ColumnPlan {
    /// The columns.
    pub columns: Vec<InputColumn>,
    /// Input positions of the quasi-identifiers, in job order.
    pub quasi_identifiers: Vec<usize>,
    /// Input position of the subset column.
    pub subset: Option<usize>,
}

impl ColumnPlan {
    /// Matches the job's attributes with the names in the input's header. Columns that the job does not mention are left out.
    /// `show_values` lets messages list the header: of a file without one, that is the first person's row.
    pub fn new(job: &Job, header: &[String], show_values: bool) -> Result<ColumnPlan, Problems> {
        let mut problems = Problems::default();
        let position = |name: &str| header.iter().position(|known| known == name);
        let subset_name = match job.privacy.population() {
            Some(Population::Subset(name)) => Some(name.as_str()),
            Some(Population::Table(_)) | None => None,
        };
        let subset = subset_name.and_then(position);
        if let (Some(name), None) = (subset_name, subset) {
            let problem =
                job.problem("privacy.models", format!("the input has no column {name:?} to tell the subset"));
            problems.push(problem.advise(known_columns(header, show_values)));
        }
        for (index, attribute) in job.attributes.iter().enumerate() {
            if position(&attribute.name).is_none() {
                let key = format!("attributes[{index}].name");
                let problem = job.problem(&key, format!("the input has no column {:?}", attribute.name));
                problems.push(problem.advise(meant(&attribute.name, header, show_values)));
            }
        }
        let mut quasi_identifiers = Vec::new();
        for attribute in job.with_role(Role::QuasiIdentifier) {
            quasi_identifiers.extend(position(&attribute.name));
        }
        let columns = header
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let attribute = job.attribute(name);
                let as_pseudonyms = attribute.is_some_and(|(_, known)| known.treatments.pseudonym.is_some());
                let treatment = match attribute.map(|(_, attribute)| attribute.role) {
                    _ if Some(index) == subset => Treatment::Subset,
                    None => Treatment::Undeclared,
                    Some(Role::Identifying) if as_pseudonyms => Treatment::Pseudonym,
                    Some(Role::Identifying) => Treatment::Identifying,
                    Some(Role::Sensitive) => Treatment::Sensitive,
                    Some(Role::Insensitive) => Treatment::Insensitive,
                    Some(Role::QuasiIdentifier) => {
                        let place = quasi_identifiers.iter().position(|&known| known == index);
                        Treatment::QuasiIdentifier(place.unwrap_or_default())
                    }
                };
                InputColumn { name: name.clone(), treatment, attribute: attribute.map(|(index, _)| index) }
            })
            .collect();
        problems.into_result(())?;
        Ok(ColumnPlan { columns, quasi_identifiers, subset })
    }

    /// The columns the release has.
    pub fn released(&self) -> impl Iterator<Item = (usize, &InputColumn)> {
        self.columns.iter().enumerate().filter(|(_, column)| column.treatment.is_released())
    }

    /// Names of the columns the release must not have.
    pub fn dropped(&self) -> Vec<&str> {
        let dropped = self.columns.iter().filter(|column| !column.treatment.is_released());
        dropped.map(|column| column.name.as_str()).collect()
    }

    /// Names of the columns that the job does not mention.
    pub fn undeclared(&self) -> Vec<&str> {
        let undeclared = self.columns.iter().filter(|column| column.treatment == Treatment::Undeclared);
        undeclared.map(|column| column.name.as_str()).collect()
    }
}

/// What may have been meant by a name that the header lacks. Of a header that may be somebody's row, only a name close to the one in the job is shown.
fn meant(name: &str, header: &[String], show_values: bool) -> String {
    if let Some(close) = closest(name, header.iter().map(String::as_str)) {
        let question = format!("Did you mean {close:?}?");
        return if show_values { format!("{question} {}", known_columns(header, true)) } else { question };
    }
    match header.len() {
        1 => {
            "The first line is a single cell. If it is a title, say skip = LINES under [input]; init finds it"
                .to_owned()
        }
        _ => known_columns(header, show_values),
    }
}

fn known_columns(header: &[String], show_values: bool) -> String {
    const SHOWN: usize = 12;
    if !show_values {
        let count = header.len();
        return format!(
            "Its first line names {count} columns; --show-values lists them. Is the header row missing?"
        );
    }
    let shown: Vec<&str> = header.iter().take(SHOWN).map(String::as_str).collect();
    let more =
        if header.len() > SHOWN { format!(" and {} more", header.len() - SHOWN) } else { String::new() };
    format!("Its columns are {}{more}", shown.join(", "))
}
