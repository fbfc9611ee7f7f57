//! `manifest.json`: what the release says of itself.

use serde_json::Value;

use crate::VerifyError;
use crate::decimal::Decimal;
use crate::json::Node;
use crate::types::{Role, Type};

/// The version of manifests that are handed out without the transformation.
pub(crate) const HANDED_OUT: u64 = 2;
/// The version of manifests that have the transformation beside them, and of transformations.
const TOGETHER: u64 = 1;

/// The parts of the manifest that every check needs. Promises stay JSON until the criterion reads them.
pub(crate) struct Manifest<'a> {
    /// Version of the format, [`TOGETHER`] or [`HANDED_OUT`].
    pub(crate) format: u64,
    /// Version of the program that wrote the release.
    pub(crate) version: &'a str,
    pub(crate) input_rows: u64,
    pub(crate) population_rows: Option<u64>,
    /// The transformation, where it is in the same folder.
    pub(crate) transform: Option<NamedFile>,
    /// The reports, where the manifest vouches for them.
    pub(crate) reports: Vec<NamedFile>,
    pub(crate) output: Output,
    pub(crate) suppression: Suppression,
    /// Where people are counted instead of rows.
    pub(crate) people: Option<PeopleCounts>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) dropped: Vec<String>,
    pub(crate) promises: Vec<Node<'a>>,
    pub(crate) classes: u64,
    /// Whether every class has a box of its own.
    pub(crate) is_local: bool,
    /// Absent or `null` when there is no class.
    pub(crate) smallest_class: Option<u64>,
}

/// A file with its digest.
pub(crate) struct NamedFile {
    pub(crate) file: String,
    pub(crate) sha256: String,
}

/// The data file.
pub(crate) struct Output {
    pub(crate) file: String,
    pub(crate) sha256: String,
    pub(crate) format: Format,
    pub(crate) rows: u64,
    pub(crate) order: String,
}

/// How the data file is written.
pub(crate) enum Format {
    Csv(Dialect),
    Parquet,
    Arrow,
}

impl Format {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Format::Csv(_) => "CSV",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow",
        }
    }
}

/// How a CSV file is written.
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) null: String,
    pub(crate) spreadsheet_safe: bool,
}

/// How many rows were, and might have been, left out.
pub(crate) struct Suppression {
    pub(crate) limit: Decimal,
    pub(crate) limit_rows: u64,
    pub(crate) rows: u64,
}

/// How many people there were, and how many lose a row.
pub(crate) struct PeopleCounts {
    pub(crate) read: u64,
    pub(crate) losing: u64,
    pub(crate) limit: u64,
    pub(crate) rows: PersonRows,
}

/// What becomes of the other rows of a person who loses one, and which rows are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PersonRows {
    /// Rows are kept or left out class by class.
    Apart,
    /// Whoever loses a row loses all of them.
    Together,
    /// The same, and rows are alike only if all rows of their owners are.
    Set,
}

/// A released column.
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kind: Type,
    /// Levels of a quasi-identifier.
    pub(crate) levels: Option<Levels>,
}

/// From which levels the labels of a column come: one for all rows, or several where every class has a box of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) lowest: u64,
    pub(crate) highest: u64,
    /// The last level of the hierarchy, where the manifest says it.
    pub(crate) height: Option<u64>,
}

impl Levels {
    /// One `level`, or the lowest and the highest of several `levels`.
    pub(crate) fn parse(node: &Node<'_>, is_local: bool) -> Result<Levels, VerifyError> {
        if !is_local {
            let level = node.get("level")?.u64()?;
            return Ok(Levels { lowest: level, highest: level, height: None });
        }
        let levels = node.get("levels")?;
        let ends: Vec<u64> = levels.items()?.map(|level| level.u64()).collect::<Result<_, _>>()?;
        match ends[..] {
            [lowest, highest] if lowest <= highest && highest <= MOST_LEVELS => {
                Ok(Levels { lowest, highest, height: None })
            }
            _ => Err(levels.bad("must be the lowest and the highest level")),
        }
    }

    /// In words.
    pub(crate) fn name(&self) -> String {
        match self.lowest == self.highest {
            true => self.lowest.to_string(),
            false => format!("{} to {}", self.lowest, self.highest),
        }
    }
}

/// A level is a byte.
const MOST_LEVELS: u64 = 255;

impl<'a> Manifest<'a> {
    pub(crate) fn parse(file: &'a str, value: &'a Value) -> Result<Manifest<'a>, VerifyError> {
        let root = Node::root(file, value);
        let format = root.get("format")?;
        let (transform, reports) = match format.u64()? {
            TOGETHER => (Some(NamedFile::parse(&root.get("transform")?)?), Vec::new()),
            HANDED_OUT => {
                let reports = root.get("reports")?.columns()?;
                (None, reports.map(|report| NamedFile::parse(&report)).collect::<Result<_, _>>()?)
            }
            _ => return Err(format.bad("is a version that this verifier does not know")),
        };
        let input = root.get("input")?;
        let (suppression, solution) = (root.get("suppression")?, root.get("solution")?);
        let is_local = is_local(&solution)?;
        Ok(Manifest {
            format: format.u64()?,
            version: root.optional("paravent").map(|version| version.str()).transpose()?.unwrap_or_default(),
            input_rows: input.get("rows")?.rows()?,
            population_rows: input.optional("population_rows").map(|node| node.rows()).transpose()?,
            transform,
            reports,
            output: Output::parse(&root.get("output")?)?,
            suppression: Suppression {
                limit: suppression.get("limit")?.decimal()?,
                limit_rows: suppression.get("limit_rows")?.rows()?,
                rows: suppression.get("rows")?.rows()?,
            },
            people: root.optional("people").map(|people| PeopleCounts::parse(&people)).transpose()?,
            attributes: root
                .get("attributes")?
                .columns()?
                .map(|node| Attribute::parse(&node, format.u64()? == TOGETHER, is_local))
                .collect::<Result<_, _>>()?,
            dropped: root.get("dropped")?.strings()?,
            promises: root.get("privacy")?.items()?.collect(),
            is_local,
            classes: solution.get("classes")?.rows()?,
            smallest_class: solution.optional("smallest_class").map(|node| node.rows()).transpose()?,
        })
    }

    /// Whether the transformation stays at home.
    pub(crate) fn is_handed_out(&self) -> bool {
        self.format == HANDED_OUT
    }

    pub(crate) fn quasi_identifiers(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier)
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// Whether a document says that every class has a box of its own.
pub(crate) fn is_local(node: &Node<'_>) -> Result<bool, VerifyError> {
    match node.optional("recoding") {
        None => Ok(false),
        Some(recoding) if recoding.str()? == "local" => Ok(true),
        Some(recoding) => Err(recoding.bad("must be local where it is said")),
    }
}

impl PeopleCounts {
    fn parse(node: &Node<'_>) -> Result<PeopleCounts, VerifyError> {
        Ok(PeopleCounts {
            read: node.get("read")?.rows()?,
            losing: node.get("losing")?.rows()?,
            limit: node.get("limit")?.rows()?,
            rows: match node.optional("rows") {
                None => PersonRows::Apart,
                Some(rule) => match rule.str()? {
                    "together" => PersonRows::Together,
                    "set" => PersonRows::Set,
                    _ => return Err(rule.bad("must be together or set")),
                },
            },
        })
    }
}

impl NamedFile {
    pub(crate) fn parse(node: &Node<'_>) -> Result<NamedFile, VerifyError> {
        Ok(NamedFile { file: node.get("file")?.file_name()?, sha256: node.get("sha256")?.str()?.to_owned() })
    }
}

/// Refuses transformations of another version: their keys may mean something else.
pub(crate) fn require_format(root: &Node<'_>) -> Result<(), VerifyError> {
    let format = root.get("format")?;
    if format.u64()? == TOGETHER {
        Ok(())
    } else {
        Err(format.bad("is a version that this verifier does not know"))
    }
}

impl Output {
    pub(crate) fn parse(node: &Node<'_>) -> Result<Output, VerifyError> {
        let format = node.get("format")?;
        Ok(Output {
            file: node.get("file")?.file_name()?,
            sha256: node.get("sha256")?.str()?.to_owned(),
            format: match format.str()? {
                "csv" => Format::Csv(Dialect::parse(node)?),
                "parquet" => Format::Parquet,
                "arrow" => Format::Arrow,
                _ => return Err(format.bad("must be csv, parquet or arrow")),
            },
            rows: node.get("rows")?.rows()?,
            order: node.get("order")?.str()?.to_owned(),
        })
    }
}

impl Dialect {
    fn parse(node: &Node<'_>) -> Result<Dialect, VerifyError> {
        let delimiter = node.get("delimiter")?;
        let &[byte] = delimiter.str()?.as_bytes() else {
            return Err(delimiter.bad("must be one ASCII character"));
        };
        if matches!(byte, b'"' | b'\r' | b'\n' | 0) {
            return Err(delimiter.bad("cannot separate cells"));
        }
        Ok(Dialect {
            delimiter: byte,
            null: node.get("null")?.str()?.to_owned(),
            spreadsheet_safe: node.get("spreadsheet_safe")?.bool()?,
        })
    }
}

impl Attribute {
    fn parse(node: &Node<'_>, with_height: bool, is_local: bool) -> Result<Attribute, VerifyError> {
        let role = Role::parse(&node.get("role")?)?;
        Ok(Attribute {
            name: node.get("name")?.str()?.to_owned(),
            role,
            kind: Type::parse(&node.get("type")?)?,
            levels: match role {
                Role::QuasiIdentifier => {
                    let height = with_height.then(|| node.get("max_level")?.u64()).transpose()?;
                    Some(Levels { height, ..Levels::parse(node, is_local)? })
                }
                _ => None,
            },
        })
    }
}
