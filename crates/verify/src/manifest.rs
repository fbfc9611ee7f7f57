//! `manifest.json`: what the release says of itself.

use serde_json::Value;

use crate::VerifyError;
use crate::decimal::Decimal;
use crate::json::Node;
use crate::spelling::Spelling;
use crate::treatment::Treatment;
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
    /// The share of a sample that was drawn first, and of what.
    pub(crate) sample: Option<Sample>,
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
    /// Most quasi-identifiers of a person that anybody knows, where not all of them are.
    pub(crate) most_known: Option<usize>,
    /// Absent or `null` when there is no class.
    pub(crate) smallest_class: Option<u64>,
}

/// A sample of the table that was drawn before anything else.
pub(crate) struct Sample {
    pub(crate) share: Decimal,
    /// `rows` or `people`.
    pub(crate) of: String,
}

impl Sample {
    fn parse(node: &Node<'_>) -> Result<Sample, VerifyError> {
        let (share, of) = (node.get("share")?, node.get("of")?);
        let one = Decimal::new(1.into(), 0);
        let sample = Sample { share: share.decimal()?, of: of.str()?.to_owned() };
        if !sample.share.is_positive() || sample.share >= one {
            return Err(share.bad("must be above 0 and below 1"));
        }
        if !["rows", "people"].contains(&sample.of.as_str()) {
            return Err(of.bad("must be rows or people"));
        }
        Ok(sample)
    }
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
    /// A table in a database: there is no file.
    Table,
    /// With how dates are shown, by column.
    Xlsx(Vec<(String, Spelling)>),
}

impl Format {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Format::Csv(_) => "CSV",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow",
            Format::Table => "table",
            Format::Xlsx(_) => "workbook",
        }
    }
}

/// How a CSV file is written.
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) null: String,
    pub(crate) spreadsheet_safe: bool,
    /// Whether characters are stored as windows-1252; else as UTF-8.
    pub(crate) windows: bool,
    /// Whether a byte order mark comes first.
    pub(crate) bom: bool,
    /// How the values of columns are written, by name.
    pub(crate) spellings: Vec<(String, Spelling)>,
}

impl Dialect {
    /// How the values of a column are written, where that is said.
    pub(crate) fn spelling(&self, column: &str) -> Option<&Spelling> {
        self.spellings.iter().find(|(name, _)| name == column).map(|(_, spelling)| spelling)
    }
}

/// How many rows were, and might have been, left out.
pub(crate) struct Suppression {
    pub(crate) limit: Decimal,
    pub(crate) limit_rows: u64,
    pub(crate) rows: u64,
    /// Whether the data file has a row of stars for each of them.
    pub(crate) starred: bool,
}

impl Suppression {
    /// Rows at the end of the data file that stand for suppressed ones.
    pub(crate) fn stars(&self) -> u64 {
        if self.starred { self.rows } else { 0 }
    }

    fn parse(node: &Node<'_>) -> Result<Suppression, VerifyError> {
        let starred = match node.optional("shown").map(|shown| (shown.str(), shown)) {
            None => false,
            Some((Ok("star"), _)) => true,
            Some((_, shown)) => return Err(shown.bad("must be star")),
        };
        Ok(Suppression {
            limit: node.get("limit")?.decimal()?,
            limit_rows: node.get("limit_rows")?.rows()?,
            rows: node.get("rows")?.rows()?,
            starred,
        })
    }
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
    /// Levels of a quasi-identifier that is generalized.
    pub(crate) levels: Option<Levels>,
    /// What else was done to its cells.
    pub(crate) treatment: Treatment,
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
            sample: input.optional("sample").map(|sample| Sample::parse(&sample)).transpose()?,
            transform,
            reports,
            output: Output::parse(&root.get("output")?)?,
            suppression: Suppression::parse(&suppression)?,
            people: root.optional("people").map(|people| PeopleCounts::parse(&people)).transpose()?,
            attributes: root
                .get("attributes")?
                .columns()?
                .map(|node| Attribute::parse(&node, format.u64()? == TOGETHER, is_local))
                .collect::<Result<_, _>>()?,
            dropped: root.get("dropped")?.strings()?,
            promises: root.get("privacy")?.items()?.collect(),
            is_local,
            most_known: solution.optional("most_known").map(|known| most_known(&known)).transpose()?,
            classes: solution.get("classes")?.rows()?,
            smallest_class: solution.optional("smallest_class").map(|node| node.rows()).transpose()?,
        })
    }

    /// Whether how cells are written is said of released columns only, and in words that are known.
    pub(crate) fn strange_spellings(&self) -> usize {
        let spellings = match &self.output.format {
            Format::Csv(dialect) => &dialect.spellings,
            Format::Xlsx(spellings) => spellings,
            Format::Parquet | Format::Arrow | Format::Table => return 0,
        };
        spellings.iter().filter(|(name, _)| self.attribute(name).is_none()).count()
    }

    /// Whether the transformation stays at home.
    pub(crate) fn is_handed_out(&self) -> bool {
        self.format == HANDED_OUT
    }

    pub(crate) fn quasi_identifiers(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier)
    }

    /// The quasi-identifiers that show labels of their hierarchies, not a figure per class.
    pub(crate) fn generalized(&self) -> impl Iterator<Item = &Attribute> {
        self.quasi_identifiers().filter(|attribute| attribute.treatment.aggregate.is_none())
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// At least one column.
fn most_known(node: &Node<'_>) -> Result<usize, VerifyError> {
    match node.u64()? {
        known @ 1..=1000 => Ok(known as usize),
        _ => Err(node.bad("must be from 1 to 1000")),
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
        let file = match format.str()? {
            "table" => node.get("table")?.str()?.to_owned(),
            _ => node.get("file")?.file_name()?,
        };
        Ok(Output {
            file,
            sha256: node.get("sha256")?.str()?.to_owned(),
            format: match format.str()? {
                "csv" => Format::Csv(Dialect::parse(node)?),
                "parquet" => Format::Parquet,
                "arrow" => Format::Arrow,
                "table" => Format::Table,
                "xlsx" => Format::Xlsx(spellings(node)?),
                _ => return Err(format.bad("must be csv, parquet, arrow, xlsx or table")),
            },
            rows: node.get("rows")?.rows()?,
            order: node.get("order")?.str()?.to_owned(),
        })
    }
}

/// How the values of columns are written, where that is said.
fn spellings(node: &Node<'_>) -> Result<Vec<(String, Spelling)>, VerifyError> {
    let Some(said) = node.optional("spellings") else { return Ok(Vec::new()) };
    said.entries()?.map(|(name, node)| Ok((name.to_owned(), Spelling::parse(&node)?))).collect()
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
            windows: match node.optional("encoding") {
                None => false,
                Some(encoding) if encoding.str()? == "windows-1252" => true,
                Some(encoding) => return Err(encoding.bad("must be windows-1252 where it is said")),
            },
            bom: node.optional("bom").map(|bom| bom.bool()).transpose()?.unwrap_or(false),
            spellings: spellings(node)?,
        })
    }
}

impl Attribute {
    fn parse(node: &Node<'_>, with_height: bool, is_local: bool) -> Result<Attribute, VerifyError> {
        let role = Role::parse(&node.get("role")?)?;
        let treatment = Treatment::of(node)?;
        Ok(Attribute {
            name: node.get("name")?.str()?.to_owned(),
            role,
            kind: Type::parse(&node.get("type")?)?,
            levels: match role {
                Role::QuasiIdentifier if treatment.aggregate.is_none() => {
                    let height = with_height.then(|| node.get("max_level")?.u64()).transpose()?;
                    Some(Levels { height, ..Levels::parse(node, is_local)? })
                }
                _ => None,
            },
            treatment,
        })
    }
}
