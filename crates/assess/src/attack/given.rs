//! What the attacker is given about a release, read from files.

use super::manifest::{Promised, promised};
use super::previous::{self, Earlier};
use super::project::{finer, project, unread};
use super::run::{Attacked, wanted};
use super::tables::{Wanted, read};
use super::{AttackError, AttackOptions, named, numbers, original, secrets};
use crate::ReleaseTable;
use paravent_evidence::attack::classes::Classes;
use paravent_evidence::attack::finer::{READERS, Recoding};
use paravent_evidence::attack::means::{List, NoisyColumn, People, Secret, Target};
use paravent_evidence::attack::projection::Projection;
use paravent_evidence::attack::{Attack, OrderPromise, Released};
use paravent_evidence::microdata::Microdata;
use paravent_tables::watch::Watch;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A release with all that belongs to it.
pub(super) struct Given<'a> {
    options: &'a AttackOptions,
    table: ReleaseTable,
    released: Released,
    promised: Promised,
    original: Option<Raw>,
    external: Option<Raw>,
    holdout: Option<Raw>,
    population: Option<Raw>,
    /// For each record of the list, the person's own row.
    truth: Option<Projection>,
    earlier: Vec<Earlier>,
}

/// A raw table and the same with the labels of the release.
struct Raw {
    table: Microdata,
    projection: Projection,
}

/// Reads all that there is about a release.
pub(super) fn on_release<'a>(
    dir: &Path,
    options: &'a AttackOptions,
    watch: &dyn Watch,
    attacked: &mut Attacked,
) -> Result<Given<'a>, AttackError> {
    let table = named::load(dir, options, watch)?;
    let mut promised = promised(options.in_memory.manifest(dir).as_deref(), &table);
    promised.limits.k = promised.limits.k.or(options.k);
    attacked.warnings.extend(named::warnings(&table));
    let data = table.table.data.clone();
    let released = Released::new(data, table.table.quasi_identifiers.clone(), table.table.sensitive.clone());
    attacked.rows = released.table.rows() as u64;
    attacked.classes = released.classes.len() as u64;
    attacked.k = promised.limits.k;
    let name = |place: &usize| released.column(*place).name().to_owned();
    attacked.quasi_identifiers = released.quasi_identifiers.iter().map(name).collect();
    let mut load = |path: &Option<PathBuf>, wanted: Wanted, what: &str| -> Result<Option<Raw>, AttackError> {
        let Some(path) = path else { return Ok(None) };
        let raw = read(path, wanted, &table, options, watch)?;
        let unread = unread(&table, &raw, wanted != Wanted::All);
        if !unread.is_empty() {
            attacked.warnings.push(unread_warning(what, &released, &unread, wanted));
            if wanted != Wanted::Any {
                return Ok(None);
            }
        }
        let projection = project(&table, &raw).without(&unread);
        let told = match wanted {
            Wanted::All if !options.is_the_original => {
                original::told(path, dir, &table, &released, &raw, &projection)?
            }
            Wanted::All | Wanted::QuasiIdentifiers | Wanted::Any => None,
        };
        attacked.given.push(match told {
            Some(told) => format!("{what}, {} records, {told}", raw.rows()),
            None => format!("{what}, {} records", raw.rows()),
        });
        let shared = projection.shared(&released.quasi_identifiers);
        let classes = Classes::by(&released.table, &shared);
        match projection.classes(&classes).iter().any(Option::is_some) {
            true => Ok(Some(Raw { table: raw, projection })),
            false => Err(AttackError::NothingFits { path: path.clone() }),
        }
    };
    let original = load(&options.original, Wanted::All, "the original table")?;
    let external = load(&options.external, Wanted::Any, "a list with names")?;
    let holdout = load(&options.holdout, Wanted::QuasiIdentifiers, "people outside the table")?;
    let population =
        load(&options.population, Wanted::QuasiIdentifiers, "everybody who might be in the table")?;
    let truth = truth(external.as_ref(), original.as_ref(), options)?;
    let mut earlier = Vec::new();
    for path in &options.previous {
        let loaded = previous::load(path, options, watch)?;
        attacked.given.push(loaded.given());
        earlier.push(loaded);
    }
    Ok(Given { options, table, released, promised, original, external, holdout, population, truth, earlier })
}

impl Given<'_> {
    /// All of it, as attacks take it.
    pub(super) fn target(&self) -> Result<Target<'_>, AttackError> {
        self.refuse_unknown_columns()?;
        let secrets = self.released.sensitive.iter().map(|&place| self.secret(place));
        let reads_finer = READERS.into_iter().any(|attack| wanted(self.options, attack));
        let finer_of = |raw: &Raw| match reads_finer {
            true => finer(&self.table, &raw.table, &self.released.classes),
            false => Vec::new(),
        };
        let list = self.external.as_ref().or(self.original.as_ref());
        let now = (&self.table, &self.released);
        Ok(Target {
            released: &self.released,
            promises: &self.promised.limits,
            secrets: secrets.collect::<Result<_, _>>()?,
            order: match self.table.facts.order.as_str() {
                "canonical" | "shuffled" => OrderPromise::Hidden,
                _ => OrderPromise::None,
            },
            recoding: match self.table.facts.is_local {
                false => Recoding::FullDomain,
                true => Recoding::Local,
            },
            suppressible_rows: self.promised.suppressible_rows,
            original: self
                .original
                .as_ref()
                .map(|raw| People { projection: &raw.projection, finer: finer_of(raw) }),
            list: list.map(|list| List {
                people: &list.projection,
                truth: self.truth.as_ref(),
                is_the_original: self.external.is_none(),
            }),
            outside: self.holdout.as_ref().map(|raw| &raw.projection),
            population: self
                .population
                .as_ref()
                .map(|raw| People { projection: &raw.projection, finer: finer_of(raw) }),
            noise: self.noise()?,
            earlier: self.earlier.iter().map(|earlier| earlier.beside(now)).collect::<Result<_, _>>()?,
            among: previous::among(&self.earlier),
        })
    }

    fn refuse_unknown_columns(&self) -> Result<(), AttackError> {
        let (options, released) = (self.options, &self.released);
        let known =
            |name: &str| released.sensitive.iter().any(|&place| released.column(place).name() == name);
        let unknown = |option, column: &str| AttackError::UnknownColumn {
            option,
            column: column.to_owned(),
            what: "is no sensitive column of the release",
        };
        if let Some((column, _)) = options.protected.iter().find(|(column, _)| !known(column)) {
            return Err(unknown("--protect", column));
        }
        if let Some(similar) = options.similar.iter().find(|similar| !known(&similar.column)) {
            return Err(unknown("--similar", &similar.column));
        }
        Ok(())
    }

    /// What is known of a sensitive column.
    fn secret(&self, place: usize) -> Result<Secret, AttackError> {
        let (column, promised) = (self.released.column(place), &self.promised);
        let protected = self.options.protected.iter().filter(|(known, _)| known == column.name());
        let diversity = promised.diversity.iter().filter(|(name, _)| name == column.name());
        Ok(Secret {
            place,
            protected: protected.map(|(_, value)| value.clone()).collect(),
            overall: secrets::overall(column, promised, self.original.as_ref().map(|raw| &raw.table)),
            numbers: numbers::numbers(column, self.table.table.types[place]),
            groupings: secrets::groupings(column, place, &self.table, promised, self.options)?,
            diversity: diversity.map(|promised| promised.1).fold(0.0, f64::max),
        })
    }

    fn noise(&self) -> Result<Vec<NoisyColumn>, AttackError> {
        let of = |noise: &super::Noise| match self.released.table.place(&noise.column) {
            Some(place) => Ok(NoisyColumn { place, keep: noise.keep }),
            None => {
                let (option, what) = ("--noise", "is not in the release");
                Err(AttackError::UnknownColumn { option, column: noise.column.clone(), what })
            }
        };
        self.options.noise.iter().map(of).collect()
    }
}

/// The message for a table whose values cannot be written as the release does.
fn unread_warning(what: &str, released: &Released, unread: &[usize], wanted: Wanted) -> String {
    let names: Vec<String> =
        unread.iter().map(|&place| format!("{:?}", released.column(place).name())).collect();
    let left = match wanted {
        Wanted::Any => "these columns are left aside",
        Wanted::All | Wanted::QuasiIdentifiers => "the table is left aside, and nothing is judged by it",
    };
    format!(
        "{what}: only the private folder says which values are behind the labels of {}: {left}",
        names.join(", ")
    )
}

/// For each record of the list, the person's own row in the original, written with the labels of the release.
fn truth(
    external: Option<&Raw>,
    original: Option<&Raw>,
    options: &AttackOptions,
) -> Result<Option<Projection>, AttackError> {
    let Some(original) = original else { return Ok(None) };
    let Some(external) = external else {
        // Nobody else asks who is who, and a large table is copied for it.
        return Ok(wanted(options, Attack::Linking).then(|| original.projection.clone()));
    };
    let Some(key) = &options.key else { return Ok(None) };
    let column = |raw: &'_ Raw, option: &Option<PathBuf>| {
        raw.table.place(key).ok_or_else(|| {
            AttackError::Options(format!(
                "--key names the column {key:?}, which {} does not have",
                option.as_deref().unwrap_or(Path::new("the table")).display()
            ))
        })
    };
    let (ours, theirs) = (column(original, &options.original)?, column(external, &options.external)?);
    let (ours, theirs) = (&original.table.columns()[ours], &external.table.columns()[theirs]);
    // The first row of each person; a row without a name belongs to nobody.
    let mut row_of: HashMap<&str, usize> = HashMap::new();
    for (row, &code) in ours.codes().iter().enumerate() {
        if let Some(name) = ours.cell(code) {
            row_of.entry(name).or_insert(row);
        }
    }
    let rows: Vec<Option<usize>> = theirs
        .codes()
        .iter()
        .map(|&code| theirs.cell(code).and_then(|name| row_of.get(name).copied()))
        .collect();
    if rows.iter().all(Option::is_none) {
        let path = options.external.clone().unwrap_or_default();
        return Err(AttackError::NobodyInCommon { path, key: key.clone() });
    }
    let columns = external.projection.columns.clone();
    let codes = columns.iter().map(|&place| {
        rows.iter().map(|row| row.and_then(|row| original.projection.code(place, row))).collect()
    });
    let codes = codes.collect();
    Ok(Some(Projection::new(columns, codes)))
}
