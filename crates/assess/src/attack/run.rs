//! Which attacks are run, and with what.

use super::manifest::{Promised, promised};
use super::project::{finer, project};
use super::tables::{Wanted, read};
use super::{AttackError, AttackOptions, named, numbers, original, previous, secrets, without_release};
use crate::ReleaseTable;
use paravent_evidence::attack::downcoding::downcoding;
use paravent_evidence::attack::finer::Recoding;
use paravent_evidence::attack::games::{Descriptions, Players, inference, linkability, singling_out};
use paravent_evidence::attack::linking::linking;
use paravent_evidence::attack::membership::membership;
use paravent_evidence::attack::minimality::{Requirement, minimality};
use paravent_evidence::attack::noise_inversion::noise_inversion;
use paravent_evidence::attack::projection::Projection;
use paravent_evidence::attack::row_order::{OrderPromise, row_order};
use paravent_evidence::attack::{
    Attack, Outcome, Released, Severity, background_knowledge, homogeneity, negative_disclosure,
    positive_disclosure, proximity, similarity, skewness,
};
use paravent_evidence::microdata::Microdata;
use paravent_tables::watch::Watch;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use std::collections::HashMap;
use std::path::Path;

/// What became of the attacks.
#[derive(Debug)]
pub struct Attacked {
    /// In the order of [`Attack::ALL`].
    pub outcomes: Vec<Outcome>,
    /// What was not run.
    pub not_run: Vec<NotRun>,
    /// Rows of the release.
    pub rows: u64,
    /// Its classes.
    pub classes: u64,
    /// Its quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The k it promises.
    pub k: Option<u64>,
    /// Where chance came from.
    pub seed: u64,
    /// What the attacker was given, in words.
    pub given: Vec<String>,
    /// What the reader should know before believing the outcomes.
    pub warnings: Vec<String>,
}

/// An attack that was not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// Which.
    pub attack: Attack,
    /// What it needs.
    pub needs: &'static str,
}

impl Attacked {
    /// Whether every attack stays within what was promised, and every comparison could be made.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| !outcome.severity.is_alarm())
    }

    /// How many outcomes are as severe as that.
    pub fn count(&self, severity: Severity) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.severity == severity).count()
    }
}

/// Runs every attack that the attacker has the means for.
pub fn attack(options: &AttackOptions, watch: &dyn Watch) -> Result<Attacked, AttackError> {
    let mut attacked = Attacked {
        outcomes: Vec::new(),
        not_run: Vec::new(),
        rows: 0,
        classes: 0,
        quasi_identifiers: Vec::new(),
        k: options.k,
        seed: options.seed,
        given: Vec::new(),
        warnings: Vec::new(),
    };
    if let Some(dir) = &options.release {
        on_release(dir, options, watch, &mut attacked)?;
    }
    let mut sliced_or_logged = without_release::run(options, attacked.k, watch)?;
    attacked.outcomes.append(&mut sliced_or_logged);
    attacked.outcomes.retain(|outcome| wanted(options, outcome.attack));
    let place = |attack: Attack| Attack::ALL.iter().position(|&known| known == attack);
    attacked.outcomes.sort_by_key(|outcome| place(outcome.attack));
    for attack in Attack::ALL.into_iter().filter(|&attack| wanted(options, attack)) {
        if attacked.outcomes.iter().all(|outcome| outcome.attack != attack) {
            attacked.not_run.push(NotRun { attack, needs: needs(attack) });
        }
    }
    match attacked.not_run.first() {
        Some(missing) if !options.only.is_empty() => Err(AttackError::Options(format!(
            "the attack {} cannot be run: it needs {}",
            missing.attack.name(),
            missing.needs
        ))),
        _ => Ok(attacked),
    }
}

fn wanted(options: &AttackOptions, attack: Attack) -> bool {
    options.only.is_empty() || options.only.contains(&attack)
}

/// What an attack needs that it did not get.
pub fn needs(attack: Attack) -> &'static str {
    match attack {
        Attack::Homogeneity | Attack::BackgroundKnowledge | Attack::PositiveDisclosure | Attack::Skewness => {
            "a release with a sensitive column"
        }
        Attack::NegativeDisclosure => "a protected value (--protect COLUMN=VALUE)",
        Attack::Similarity => "a hierarchy of a sensitive column (in the job, or --similar COLUMN=FILE)",
        Attack::Proximity => "a sensitive column of numbers or dates",
        Attack::Linking => "a table with names (--external TABLE) or the original (--against TABLE)",
        Attack::RowOrder | Attack::SinglingOut => "the original (--against TABLE)",
        Attack::Linkability => "the original (--against TABLE) and two quasi-identifiers",
        Attack::Inference => "the original (--against TABLE) and a sensitive column",
        Attack::UnsortedMatching | Attack::Composition | Attack::ReleaseDifference => {
            "an earlier release (--previous RELEASE)"
        }
        Attack::Membership => "everybody who might be in the table (--population TABLE)",
        Attack::Minimality => {
            "the original (--against TABLE), a promised diversity, and a generalized column"
        }
        Attack::Downcoding => {
            "the original or a population (--against, --population), and a generalized column"
        }
        Attack::DeFinetti | Attack::Relinking => {
            "a sliced table (--sliced TABLE --bucket COLUMN --group A,B --group C)"
        }
        Attack::NoiseInversion => "a column with noise (--noise COLUMN=SHARE)",
        Attack::QueryDifferencing => "a log of queries (--queries FILE)",
    }
}

/// Chance for one attack; which others are run does not matter.
pub(super) fn random(options: &AttackOptions, attack: Attack) -> ChaCha20Rng {
    let number = Attack::ALL.iter().position(|&known| known == attack).unwrap_or(0) as u64;
    ChaCha20Rng::seed_from_u64(options.seed.wrapping_add(number << 40))
}

/// The release with all that belongs to it.
struct Target<'a> {
    table: &'a ReleaseTable,
    released: Released,
    promised: Promised,
}

/// A raw table and the same with the labels of the release.
struct Raw {
    table: Microdata,
    projection: Projection,
}

fn on_release(
    dir: &Path,
    options: &AttackOptions,
    watch: &dyn Watch,
    attacked: &mut Attacked,
) -> Result<(), AttackError> {
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
    let target = Target { table: &table, released, promised };
    let mut load =
        |path: &Option<std::path::PathBuf>, wanted: Wanted, what: &str| -> Result<Option<Raw>, AttackError> {
            let Some(path) = path else { return Ok(None) };
            let raw = read(path, wanted, &table, options, watch)?;
            let projection = project(&table, &raw);
            let told = match wanted {
                Wanted::All => original::told(path, dir, &table, &target.released, &raw, &projection)?,
                Wanted::QuasiIdentifiers | Wanted::Any => None,
            };
            attacked.given.push(match told {
                Some(told) => format!("{what}, {} records, {told}", raw.rows()),
                None => format!("{what}, {} records", raw.rows()),
            });
            let shared = projection.shared(&target.released.quasi_identifiers);
            let classes = paravent_evidence::attack::classes::Classes::by(&target.released.table, &shared);
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
    let outcomes = &mut attacked.outcomes;
    secrets_of_classes(&target, original.as_ref(), options, outcomes)?;
    let list = external.as_ref().or(original.as_ref());
    if let Some(list) = list.filter(|_| wanted(options, Attack::Linking)) {
        let truth = truth(external.as_ref(), original.as_ref(), options)?;
        let outcome = linking(&target.released, &list.projection, truth.as_ref(), &target.promised.limits);
        outcomes.push(if external.is_some() { outcome } else { outcome.about("the original as the list") });
    }
    if let Some(original) = &original {
        games(&target, original, holdout.as_ref(), options, outcomes);
    }
    if let Some(people) = &population {
        outcomes.extend(membership(&target.released, &people.projection, &target.promised.limits));
    }
    let people = population.as_ref().or(original.as_ref());
    if let Some(people) = people.filter(|_| wanted(options, Attack::Downcoding)) {
        let columns = finer(&table, &people.table);
        if !columns.is_empty() {
            let limits = &target.promised.limits;
            outcomes.push(downcoding(
                &target.released,
                &people.projection,
                &columns,
                limits,
                recoding_of(&table),
            ));
        }
    }
    let mut earlier = Vec::new();
    for path in &options.previous {
        let loaded = previous::load(path, options, watch)?;
        let found = previous::run(&loaded, (&table, &target.released), &target.promised.limits, options)?;
        attacked.given.push(found.given);
        attacked.outcomes.extend(found.outcomes);
        earlier.push(loaded);
    }
    let now = (&table, &target.released);
    attacked.outcomes.extend(previous::together(&earlier, now, &target.promised.limits));
    Ok(())
}

/// Whether an attacker can reckon with one level per column.
fn recoding_of(release: &ReleaseTable) -> Recoding {
    match release.boxes {
        None => Recoding::FullDomain,
        Some(_) => Recoding::Local,
    }
}

/// What one class tells. They are run together or not at all.
const OF_CLASSES: [Attack; 7] = [
    Attack::Homogeneity,
    Attack::BackgroundKnowledge,
    Attack::PositiveDisclosure,
    Attack::NegativeDisclosure,
    Attack::Skewness,
    Attack::Proximity,
    Attack::Similarity,
];

/// The attacks that look at secrets within classes.
fn secrets_of_classes(
    target: &Target<'_>,
    original: Option<&Raw>,
    options: &AttackOptions,
    outcomes: &mut Vec<Outcome>,
) -> Result<(), AttackError> {
    let (released, limits) = (&target.released, &target.promised.limits);
    let known = |name: &str| released.sensitive.iter().any(|&place| released.column(place).name() == name);
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
    let is_wanted = OF_CLASSES.iter().any(|&attack| wanted(options, attack));
    for &place in released.sensitive.iter().filter(|_| is_wanted) {
        let column = released.column(place);
        outcomes.push(homogeneity(released, place, limits));
        outcomes.push(background_knowledge(released, place, limits));
        outcomes.push(positive_disclosure(released, place, limits, options.threshold));
        let protected = options.protected.iter().filter(|(known, _)| known == column.name());
        let protected: Vec<String> = protected.map(|(_, value)| value.clone()).collect();
        outcomes.extend(negative_disclosure(released, place, limits, &protected));
        let overall = secrets::overall(column, &target.promised, original.map(|raw| &raw.table));
        outcomes.push(skewness(released, place, limits, overall.as_deref()));
        if let Some(numbers) = numbers::numbers(column, target.table.table.types[place]) {
            outcomes.extend(proximity(released, place, &numbers, options.threshold));
        }
        for grouping in secrets::groupings(column, place, target.table, &target.promised, options)? {
            outcomes.push(similarity(released, place, limits.of_column(column.name()).missing, &grouping));
        }
    }
    if let Some(original) = original.filter(|_| wanted(options, Attack::Minimality)) {
        let columns = finer(target.table, &original.table);
        for &place in &released.sensitive {
            let promised =
                target.promised.diversity.iter().filter(|(name, _)| name == released.column(place).name());
            let l = promised.map(|promised| promised.1).fold(0.0, f64::max);
            if l > 1.0 && !columns.is_empty() {
                let smallest = limits.k.unwrap_or(1).max(l.ceil() as u64);
                let requirement = Requirement { l, smallest, tolerated: target.promised.suppressible_rows };
                let (people, recoding) = (&original.projection, recoding_of(target.table));
                outcomes.push(minimality(released, place, requirement, people, &columns, recoding));
            }
        }
    }
    for noise in &options.noise {
        let Some(place) = released.table.place(&noise.column) else {
            let (option, what) = ("--noise", "is not in the release");
            return Err(AttackError::UnknownColumn { option, column: noise.column.clone(), what });
        };
        let column = released.column(place);
        let mut counts = vec![0u64; column.labels().len()];
        column.codes().iter().for_each(|&code| counts[code as usize] += 1);
        outcomes.push(noise_inversion(
            column.name(),
            column.labels(),
            &counts,
            noise.keep,
            options.threshold,
        ));
    }
    Ok(())
}

/// The attacks that are judged by the original.
fn games(
    target: &Target<'_>,
    original: &Raw,
    holdout: Option<&Raw>,
    options: &AttackOptions,
    outcomes: &mut Vec<Outcome>,
) {
    let (released, limits) = (&target.released, &target.promised.limits);
    let order = match target.table.facts.order.as_str() {
        "canonical" | "shuffled" => OrderPromise::Hidden,
        _ => OrderPromise::None,
    };
    let is_wanted = |attack| wanted(options, attack);
    if is_wanted(Attack::RowOrder) {
        outcomes.push(row_order(
            released,
            &original.projection,
            order,
            &mut random(options, Attack::RowOrder),
        ));
    }
    let players = Players { inside: &original.projection, outside: holdout.map(|raw| &raw.projection) };
    if is_wanted(Attack::SinglingOut) {
        let mut chance = random(options, Attack::SinglingOut);
        for kind in [Descriptions::QuasiIdentifiers, Descriptions::AllColumns] {
            outcomes.push(singling_out(released, players, kind, limits, options.attempts, &mut chance));
        }
    }
    if is_wanted(Attack::Linkability) {
        // Every target is compared with every other.
        let targets = options.attempts.min(400);
        outcomes.extend(linkability(
            released,
            players,
            limits,
            targets,
            &mut random(options, Attack::Linkability),
        ));
    }
    if is_wanted(Attack::Inference) {
        let mut chance = random(options, Attack::Inference);
        for &place in &released.sensitive {
            outcomes.extend(inference(released, place, players, limits, options.attempts, &mut chance));
        }
    }
}

/// For each record of the list, the person's own row in the original, written with the labels of the release.
fn truth(
    external: Option<&Raw>,
    original: Option<&Raw>,
    options: &AttackOptions,
) -> Result<Option<Projection>, AttackError> {
    let Some(original) = original else { return Ok(None) };
    let Some(external) = external else { return Ok(Some(original.projection.clone())) };
    let Some(key) = &options.key else { return Ok(None) };
    let column = |raw: &'_ Raw, option: &Option<std::path::PathBuf>| {
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
