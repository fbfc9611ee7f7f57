//! `paravent hierarchy build`

use super::table::{Stored, column_of, configuration};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::run_error;
use crate::failure::Failure;
use crate::file;
use clap::builder::PossibleValuesParser;
use paravent_pipeline::hierarchies::commands::build_file;
use paravent_pipeline::init::{ColumnHierarchy, InitOptions, propose_hierarchy};
use paravent_pipeline::job::{
    DataType, DateUnit, DecimalText, HierarchySpec, Intervals, Ordering, Outliers, Redact, Rounding, Side,
    Source,
};
use paravent_pipeline::watch::Unwatched;
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent hierarchy build --data patients.csv --column diagnosis --output diagnosis.csv
  paravent hierarchy build --data patients.csv --column age --widths 5,10,20 --min 0 --max 100
  paravent hierarchy build --data patients.csv --column zip --redact right
  paravent hierarchy build --data patients.csv --column admission --dates month,quarter,year
  paravent hierarchy build --data patients.csv --column salary --sizes 4,5

Without a description the hierarchy is the one that `paravent init` proposes for the column. The
file holds the values of the column: treat it like the table. Name it in the job file:
hierarchy = { file = \"age.csv\" }";

/// Write out a hierarchy for the values of a column
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The table; `-` is standard input
    #[arg(long)]
    data: PathBuf,
    /// The column in it
    #[arg(long, value_name = "NAME")]
    column: String,
    /// Where to write the hierarchy; `-` prints it
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Replace a file that is there already
    #[arg(long, short)]
    force: bool,
    /// Type of the values [default: what they look like]
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(DataType::ALL.iter().map(|ty| ty.name())))]
    data_type: Option<String>,
    #[command(flatten)]
    builder: Builder,
    /// Text of a missing value; may be given several times [default: the empty cell]
    #[arg(long, value_name = "TEXT")]
    null: Vec<String>,
}

/// At most one of them.
#[derive(Debug, clap::Args)]
struct Builder {
    /// Intervals of these widths, each dividing the next
    #[arg(long, value_delimiter = ',', value_parser = decimal, requires_all = ["min", "max"], group = "builder")]
    widths: Vec<DecimalText>,
    /// Start of the first interval
    #[arg(long, value_parser = decimal, requires = "widths", allow_negative_numbers = true)]
    min: Option<DecimalText>,
    /// End of the last interval
    #[arg(long, value_parser = decimal, requires = "widths", allow_negative_numbers = true)]
    max: Option<DecimalText>,
    /// What becomes of values outside of min and max
    #[arg(long, requires = "widths", value_parser = PossibleValuesParser::new(Outliers::ALL.iter().map(|choice| choice.name())))]
    outliers: Option<String>,
    /// Hide one more character on each level, starting from this end
    #[arg(long, value_name = "END", group = "builder", value_parser = PossibleValuesParser::new(Side::ALL.iter().map(|side| side.name())))]
    redact: Option<String>,
    /// Parts of the calendar, fine to coarse
    #[arg(long, value_name = "UNITS", value_delimiter = ',', group = "builder",
          value_parser = PossibleValuesParser::new(DateUnit::ALL.iter().map(|unit| unit.name())))]
    dates: Vec<String>,
    /// Group so many neighbouring values, then so many groups
    #[arg(long, value_name = "SIZES", value_delimiter = ',', group = "builder", value_parser = clap::value_parser!(u32).range(2..))]
    sizes: Vec<u32>,
}

fn decimal(text: &str) -> Result<DecimalText, String> {
    DecimalText::new(text).map_err(|error| error.to_string())
}

impl Builder {
    /// What was described; clap has made sure that it is one thing.
    fn spec(&self) -> Option<HierarchySpec> {
        if let (Some(min), Some(max)) = (&self.min, &self.max) {
            let outliers =
                self.outliers.as_deref().and_then(|name| named(Outliers::ALL, name, Outliers::name));
            return Some(HierarchySpec::Intervals(Intervals {
                widths: self.widths.clone(),
                min: min.clone(),
                max: max.clone(),
                outliers: outliers.unwrap_or_default(),
                rounding: Rounding::None,
            }));
        }
        if let Some(from) = self.redact.as_deref().and_then(|name| named(Side::ALL, name, Side::name)) {
            return Some(HierarchySpec::Redact(Redact { alphabet: None, from, fill: '*', length: None }));
        }
        if !self.dates.is_empty() {
            let units = self.dates.iter().filter_map(|name| named(DateUnit::ALL, name, DateUnit::name));
            return Some(HierarchySpec::Dates(units.collect()));
        }
        let sizes = self.sizes.clone();
        (!sizes.is_empty()).then_some(HierarchySpec::Ordering(Ordering { sizes, order: None }))
    }
}

/// The choice of that name.
fn named<T: Copy>(all: &[T], name: &str, name_of: impl Fn(T) -> &'static str) -> Option<T> {
    all.iter().copied().find(|choice| name_of(*choice) == name)
}

fn data_type(name: &str) -> Option<DataType> {
    named(DataType::ALL, name, DataType::name)
}

/// Writes or prints the hierarchy.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let stored = Stored { delimiter: None, null: args.null.clone() };
    let source = Source::of_file("command line");
    let wanted = args.data_type.as_deref().and_then(data_type);
    let (built, proposed) = match args.builder.spec() {
        Some(spec) => {
            let column = stored.column(&args.data, &args.column)?;
            let ty = wanted.map(paravent_pipeline::study::value_type);
            (build_file(&spec, &column, ty, &source).map_err(configuration)?, None)
        }
        None => {
            let proposed = proposed(&stored, args, wanted)?;
            let column = column_of(&proposed.input, &args.column)?;
            (proposed.built(&column, &source).map_err(configuration)?, Some(proposed))
        }
    };
    let text = built.text().0;
    let (lines, max_level) = (built.rows.len(), built.hierarchy.max_level());
    let mut json = json!({ "written": null, "lines": lines, "max_level": max_level });
    if let Some(proposed) = &proposed {
        json["proposed"] = json!({ "hierarchy": proposed.told, "attribute": proposed.attribute.to_toml() });
    }
    if args.output == Path::new("-") {
        json["text"] = json!(text);
        return Ok(Answer::of_text(text, json));
    }
    file::write(&args.output, &text, args.force)?;
    let output = args.output.display();
    json["written"] = json!(output.to_string());
    let instead = proposed.map_or_else(String::new, |proposed| {
        let attribute = proposed.attribute.to_toml();
        format!("{}. Without a file, a job says the same with:\n\n{attribute}", capital(&proposed.told))
    });
    Ok(Answer::done(format!("{output}: {built}\n{instead}"), json))
}

/// What `init` would propose for the column.
fn proposed(stored: &Stored, args: &Args, wanted: Option<DataType>) -> Result<ColumnHierarchy, Failure> {
    let input = stored.input(&args.data)?;
    let options = InitOptions::default();
    let proposed = propose_hierarchy(&input, &args.column, wanted, &options, &Unwatched);
    match proposed.map_err(|error| run_error::of_init(&error))? {
        Some(proposed) => Ok(proposed),
        // The column may be there by another name: its columns are listed.
        None => Err(column_of(&input, &args.column).err().unwrap_or_else(|| {
            Failure::input_output(format!("{}: column `{}` cannot be read", args.data.display(), args.column))
        })),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
