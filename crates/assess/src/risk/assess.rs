//! From a file to the figures.

use super::super::{
    ColumnRole, Generalization, InMemory, LoadError, ReleaseFacts, ReleaseTable, RoledTable, Roles,
    load_input, load_population, load_table,
};
use super::align::{Written, aligned};
use super::document::{
    ClassFacts, ColumnFacts, CombinationFacts, Combinations, JournalistFacts, JournalistSource, Kind,
    PeopleInTable, ReleaseSummary, RiskDocument, SafeHarborFacts, SensitiveFacts, ThresholdFacts,
    UniquesFacts,
};
use super::order::places;
use crate::repeated::repeated;
use paravent_evidence::columns::Repeated;
use paravent_evidence::information::one_symbol::information;
use paravent_evidence::microdata::Microdata;
use paravent_evidence::risk::disclosure::{ClassValues, disclosure};
use paravent_evidence::risk::identity::{estimated_journalist, known_journalist, matched, prosecutor};
use paravent_evidence::risk::population::{Sampling, SamplingError, estimate};
use paravent_evidence::risk::safe_harbor::hints;
use paravent_evidence::risk::subsets::{SubsetFigures, subsets_of};
use paravent_evidence::risk::thresholds::COMMON;
use paravent_evidence::risk::{ClassSizes, DistinctRows};
use paravent_job::Role;
use paravent_tables::watch::Watch;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Risks above one in five count as high by default.
pub const DEFAULT_THRESHOLD: f64 = 0.2;

/// What to look at, and how.
#[derive(Debug, Clone)]
pub struct RiskRequest {
    /// A job file with the roles of a table's columns.
    pub job: Option<PathBuf>,
    /// The columns an attacker is taken to know; empty: those of the job or the release.
    pub quasi_identifiers: Vec<String>,
    /// Sensitive columns; empty: those of the job or the release.
    pub sensitive: Vec<String>,
    /// The columns that say whose row it is; empty: those of the job or the release.
    pub person: Vec<String>,
    /// Risks above this count as high; above 0, at most 1.
    pub threshold: f64,
    /// What is known of the population's size.
    pub sampling: Option<SamplingSpec>,
    /// A table of the population with the same quasi-identifiers.
    pub population_table: Option<PathBuf>,
    /// Largest sets of quasi-identifiers to look at.
    pub largest_combination: usize,
    /// Tables and releases among these that are in memory.
    pub in_memory: InMemory,
}

impl Default for RiskRequest {
    fn default() -> RiskRequest {
        RiskRequest {
            job: None,
            quasi_identifiers: Vec::new(),
            sensitive: Vec::new(),
            person: Vec::new(),
            threshold: DEFAULT_THRESHOLD,
            sampling: None,
            population_table: None,
            largest_combination: 3,
            in_memory: InMemory::default(),
        }
    }
}

/// What is known of the population's size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SamplingSpec {
    /// The table is this share of it.
    Fraction(f64),
    /// Its number of people.
    Population(u64),
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RiskError {
    /// The table, the release or the population cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The sampling fraction is not between 0 and 1.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// The threshold is no risk.
    #[error("the threshold must be above 0 and at most 1, not {0}")]
    Threshold(f64),
}

impl From<paravent_job::Problems> for RiskError {
    fn from(problems: paravent_job::Problems) -> RiskError {
        RiskError::Load(problems.into())
    }
}

/// Measures a table, or a release if `path` is a directory.
pub fn assess_risk(path: &Path, request: &RiskRequest, watch: &dyn Watch) -> Result<RiskDocument, RiskError> {
    if !(request.threshold > 0.0 && request.threshold <= 1.0) {
        return Err(RiskError::Threshold(request.threshold));
    }
    if let Some(SamplingSpec::Fraction(fraction)) = request.sampling {
        Sampling::of_fraction(1, fraction)?;
    }
    let subject = if request.in_memory.is_release(path) {
        Subject::release(path, request, watch)?
    } else {
        Subject::table(path, request, watch)?
    };
    subject.measure(request)
}

/// The table, or the rows of the release, with the roles that were asked for.
pub(super) fn subject(
    path: &Path,
    request: &RiskRequest,
    watch: &dyn Watch,
) -> Result<RoledTable, RiskError> {
    let subject = match request.in_memory.is_release(path) {
        true => Subject::release(path, request, watch)?,
        false => Subject::table(path, request, watch)?,
    };
    Ok(subject.table)
}

/// What is measured.
struct Subject {
    table: RoledTable,
    release: Option<Released>,
    population: Option<Microdata>,
    warnings: Vec<String>,
}

/// What a release brings beyond its rows.
struct Released {
    generalizations: Vec<Generalization>,
    facts: ReleaseFacts,
}

impl Subject {
    fn table(path: &Path, request: &RiskRequest, watch: &dyn Watch) -> Result<Subject, RiskError> {
        let job = request.in_memory.job(request.job.as_deref())?;
        let roles = job.as_ref().map(Roles::of_job).unwrap_or_default();
        let roles =
            roles.overridden(&request.quasi_identifiers, &request.sensitive)?.of_people(&request.person);
        if roles.names(Role::QuasiIdentifier).next().is_none() {
            return Err(LoadError::NoQuasiIdentifiers { path: path.to_owned() }.into());
        }
        let input = request.in_memory.source(path, job.as_ref()).input()?;
        let mut table = load_input(&input, &roles, watch)?;
        let repeated = match table.data.people() {
            Some(_) => Vec::new(),
            None => repeated(&input, job.as_ref()).map_err(LoadError::from)?,
        };
        let quasi: Vec<ColumnRole> =
            roles.columns.into_iter().filter(|column| column.role == Role::QuasiIdentifier).collect();
        let population = match (&request.population_table, &job) {
            (Some(path), _) => Some(people(path, quasi, request, watch)?),
            (None, Some(job)) if request.quasi_identifiers.is_empty() => {
                load_population(job, watch)?.map(|population| population.data)
            }
            (None, _) => None,
        };
        let population = population.or(table.population.take());
        let warnings = repeated.iter().map(Repeated::warning).collect();
        Ok(Subject { table, release: None, population, warnings })
    }

    fn release(path: &Path, request: &RiskRequest, watch: &dyn Watch) -> Result<Subject, RiskError> {
        let release = request.in_memory.load_release(path, watch)?;
        let mut warnings = release.left_behind();
        let ReleaseTable { table, mut generalizations, facts, .. } = release;
        if request.job.is_some() {
            warnings.push("a release has the roles of its manifest; --job is not needed".to_owned());
        }
        let generalized: Vec<String> = names(&table);
        let table = with_roles(table, path, request)?;
        // Generalizations follow the quasi-identifiers that are looked at.
        let looked_at = names(&table);
        let places: Option<Vec<usize>> =
            looked_at.iter().map(|name| generalized.iter().position(|known| known == name)).collect();
        let population = match (&request.population_table, places) {
            (None, _) => None,
            (Some(_), _) if facts.is_local => {
                let why = "boxes overlap, so a person of the population belongs to no one class";
                warnings.push(format!("the population is left aside: {why}"));
                None
            }
            (Some(path), Some(places)) => {
                generalizations = places.iter().filter_map(|&at| generalizations.get(at).cloned()).collect();
                let quasi = looked_at.iter().map(|name| ColumnRole::new(name, Role::QuasiIdentifier));
                Some(people(path, quasi.collect(), request, watch)?)
            }
            (Some(_), None) => {
                let why = "not all columns looked at are quasi-identifiers of the release";
                warnings.push(format!("the population is left aside: {why}"));
                None
            }
        };
        Ok(Subject { table, release: Some(Released { generalizations, facts }), population, warnings })
    }

    fn measure(mut self, request: &RiskRequest) -> Result<RiskDocument, RiskError> {
        let data = &self.table.data;
        let quasi = &self.table.quasi_identifiers;
        let quasi_names = names(&self.table);
        // Where the table says whose row it is, class sizes are people.
        let classes = DistinctRows::of_people(data, quasi);
        let (sizes, rows) = (classes.sizes(), classes.rows());
        let journalist_and_sampling = self.journalist(request, &sizes)?;
        let (journalist, sampling) = match journalist_and_sampling {
            Some((journalist, sampling)) => (Some(journalist), Some(sampling)),
            None => (None, None),
        };
        let uniques = sampling.map(|sampling| {
            let uniques = estimate(&sizes, &sampling);
            let (population, sampling_fraction) = (sampling.population(), sampling.fraction());
            UniquesFacts { uniques, share: uniques.estimate / population, population, sampling_fraction }
        });
        let found = subsets_of(data, quasi, request.largest_combination);
        if found.largest < request.largest_combination.min(quasi.len()) {
            self.warnings.push(format!(
                "combinations of more than {} columns were not looked at: there are too many",
                found.largest
            ));
        }
        if let Some(not_covered) =
            journalist.as_ref().and_then(|journalist| journalist.known).map(|known| known.rows_not_covered)
            && not_covered > 0
        {
            self.warnings.push(format!("the population does not contain {not_covered} rows of the table: their class has fewer people than rows"));
        }
        let data = &self.table.data;
        Ok(RiskDocument {
            paravent: env!("CARGO_PKG_VERSION"),
            kind: if self.release.is_some() { Kind::Release } else { Kind::Table },
            rows,
            people: data
                .people()
                .map(|_| PeopleInTable { people: data.people_count(), rows: data.rows() as u64 }),
            threshold: request.threshold,
            classes: class_facts(&sizes),
            prosecutor: prosecutor(&sizes, request.threshold),
            journalist,
            population_uniques: uniques,
            columns: columns(&quasi_names, &found),
            combinations: combinations(&quasi_names, &found),
            sensitive: self.table.sensitive.iter().map(|&place| self.sensitive(place, &classes)).collect(),
            thresholds: COMMON
                .iter()
                .map(|threshold| {
                    let rows_below = sizes.rows_below(threshold.k);
                    ThresholdFacts {
                        k: threshold.k,
                        rows_below,
                        holds: rows_below == 0,
                        source: threshold.source,
                    }
                })
                .collect(),
            safe_harbor: data
                .columns()
                .iter()
                .flat_map(|column| {
                    let cells: Vec<&str> =
                        (0..column.labels().len() as u32).filter_map(|code| column.cell(code)).collect();
                    hints(column.name(), cells).into_iter().map(|hint| SafeHarborFacts {
                        column: column.name().to_owned(),
                        looks: hint.looks,
                        because: hint.because,
                        advice: hint.looks.advice(),
                    })
                })
                .collect(),
            release: self.release.as_ref().map(summary),
            quasi_identifiers: quasi_names,
            warnings: self.warnings,
        })
    }

    /// The journalist and the sample behind him: with the population in hand, or with its size.
    fn journalist(
        &self,
        request: &RiskRequest,
        sizes: &ClassSizes,
    ) -> Result<Option<(JournalistFacts, Sampling)>, RiskError> {
        let rows = sizes.rows();
        let known_size = self.release.as_ref().and_then(|release| release.facts.population_rows);
        let sampling = match (request.sampling, &self.population) {
            (Some(SamplingSpec::Fraction(fraction)), _) => Sampling::of_fraction(rows, fraction)?,
            (Some(SamplingSpec::Population(people)), _) => Sampling::of_population(rows, people)?,
            (None, Some(population)) => {
                Sampling::of_population(rows, population.rows().max(rows as usize) as u64)?
            }
            (None, None) => match known_size {
                Some(people) => Sampling::of_population(rows, people.max(rows))?,
                None => return Ok(None),
            },
        };
        let (population, sampling_fraction) = (sampling.population(), sampling.fraction());
        let journalist = match &self.population {
            Some(people) => {
                let written = match &self.release {
                    None => Written::AsTheyAre,
                    Some(release) if release.facts.has_transformation => {
                        Written::Generalized(&release.generalizations)
                    }
                    Some(_) => Written::AsLabelsRead,
                };
                let (table, people) =
                    aligned(&self.table.data, &self.table.quasi_identifiers, people, written);
                let known = known_journalist(matched(&table, &people), request.threshold);
                JournalistFacts {
                    source: JournalistSource::PopulationTable,
                    population,
                    sampling_fraction,
                    attacker: known.journalist,
                    known: Some(known),
                }
            }
            None => JournalistFacts {
                source: JournalistSource::Estimate,
                population,
                sampling_fraction,
                attacker: estimated_journalist(sizes, sampling_fraction, request.threshold),
                known: None,
            },
        };
        Ok(Some((journalist, sampling)))
    }

    fn sensitive(&self, place: usize, classes: &DistinctRows) -> SensitiveFacts {
        let column = &self.table.data.columns()[place];
        let cells: Vec<Option<&str>> =
            (0..column.labels().len() as u32).map(|code| column.cell(code)).collect();
        let line = places(&cells, self.table.types[place], self.table.orders[place].as_deref());
        let people = self.table.data.people();
        let values = ClassValues::of_people(classes, column.codes(), cells.len(), people);
        SensitiveFacts {
            column: column.name().to_owned(),
            disclosure: disclosure(&values, &values.totals(), line.as_deref(), column.missing()),
            information: information(&values),
        }
    }
}

fn names(table: &RoledTable) -> Vec<String> {
    table.quasi_identifiers.iter().map(|&place| table.data.columns()[place].name().to_owned()).collect()
}

/// The quasi-identifiers of everybody, in the order of the table's.
fn people(
    path: &Path,
    columns: Vec<ColumnRole>,
    request: &RiskRequest,
    watch: &dyn Watch,
) -> Result<Microdata, RiskError> {
    let roles = Roles { columns, ..Roles::default() };
    Ok(load_table(&request.in_memory.source(path, None), &roles, watch)?.data)
}

/// The released columns with the roles that were asked for, where any were.
fn with_roles(table: RoledTable, path: &Path, request: &RiskRequest) -> Result<RoledTable, RiskError> {
    Roles::of_names(&request.quasi_identifiers, &request.sensitive)?;
    let names: Vec<String> = table.data.columns().iter().map(|column| column.name().to_owned()).collect();
    let find = |list: &[String]| -> Result<Vec<usize>, LoadError> {
        let place = |name: &String| {
            table.data.place(name).ok_or_else(|| LoadError::unknown_column(path, name, &names))
        };
        list.iter().map(place).collect()
    };
    let (quasi, sensitive) = (find(&request.quasi_identifiers)?, find(&request.sensitive)?);
    let pick = |asked: Vec<usize>, own: &[usize], other: &[usize]| match asked.is_empty() {
        true => own.iter().copied().filter(|place| !other.contains(place)).collect(),
        false => asked,
    };
    let quasi_identifiers: Vec<usize> = pick(quasi.clone(), &table.quasi_identifiers, &sensitive);
    let sensitive: Vec<usize> = pick(sensitive, &table.sensitive, &quasi);
    if quasi_identifiers.is_empty() {
        return Err(LoadError::NoQuasiIdentifiers { path: path.to_owned() }.into());
    }
    Ok(RoledTable { quasi_identifiers, sensitive, ..table })
}

fn class_facts(sizes: &ClassSizes) -> ClassFacts {
    ClassFacts {
        count: sizes.classes(),
        smallest: sizes.smallest(),
        largest: sizes.largest(),
        average: sizes.rows() as f64 / sizes.classes().max(1) as f64,
        unique_rows: sizes.classes_of(1),
        sizes: sizes.counts().collect(),
    }
}

fn columns(names: &[String], found: &SubsetFigures) -> Vec<ColumnFacts> {
    let singles = found.subsets.iter().filter(|set| set.columns.len() == 1);
    singles
        .map(|set| ColumnFacts {
            column: names[set.columns[0]].clone(),
            distinction: set.distinction,
            separation: set.separation,
            unique_rows: set.unique_rows,
            contribution: found.contribution.get(set.columns[0]).copied(),
        })
        .collect()
}

fn combinations(names: &[String], found: &SubsetFigures) -> Combinations {
    let facts = |set: &paravent_evidence::risk::subsets::SubsetRisk| CombinationFacts {
        columns: set.columns.iter().map(|&column| names[column].clone()).collect(),
        distinction: set.distinction,
        separation: set.separation,
        unique_rows: set.unique_rows,
        minimal_unique_rows: set.minimal_unique_rows,
    };
    Combinations {
        largest: found.largest,
        rows_singled_out: found.rows_singled_out,
        subsets: found.subsets.iter().map(facts).collect(),
    }
}

fn summary(release: &Released) -> ReleaseSummary {
    let facts = &release.facts;
    let promise =
        |promise: &super::super::Promise| json!({ "model": promise.model, "required": promise.required });
    ReleaseSummary {
        input_rows: facts.input_rows,
        suppressed_rows: facts.suppressed_rows,
        promises: facts.promises.iter().map(promise).collect(),
    }
}
