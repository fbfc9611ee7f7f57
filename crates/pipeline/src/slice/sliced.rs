//! From a table and a request to the sliced table.

use super::within::classes;
use super::{Buckets, CodedCells, CodedTable, Request, SliceError};
use crate::release::{Leaving, because, refuse_naming, singled_out_in};
use paravent_job::{Job, Role};
use paravent_report::UnchangedFacts;
use paravent_slicing::checks::{Sliced, relinking};
use paravent_slicing::{
    BucketError, ColumnGroups, Draw, Examined, Findings, Gathers, Layout, MinimumSize, Operator, Overlap,
    RowOrder, Secret, Shown, SmallBuckets, Windows, examine, key_of, permute, permute_by_digest,
};

/// The draw of the order from which windows are cut, where it is random.
const SHUFFLE: Operator = Operator(0);
/// The number of the one slicing of a command; a statement that slices once numbers it so, too.
pub(super) const OPERATOR: Operator = Operator(1);

/// A sliced table, its rows in the order of their text: where a row stood and which bucket it was in cannot be seen.
#[derive(Debug)]
pub struct SlicedTable {
    /// The groups, over the released columns in the order of the table.
    pub groups: ColumnGroups,
    /// The released columns; copies of columns in several groups follow at the end.
    pub columns: Vec<CodedCells>,
    /// Released columns that every bucket gives away.
    pub known: Vec<String>,
    /// The sensitive columns among the released ones.
    pub sensitive: Vec<String>,
    /// Identifying columns of the job, which are left out.
    pub dropped: Vec<String>,
    /// What it gives away.
    pub findings: Findings,
    /// Whom the cells of a group, which stand together as they were, single out.
    pub unchanged: Option<UnchangedFacts>,
    /// Rows of the smallest bucket.
    pub smallest: usize,
    /// Whether the draw can be repeated by whoever knows the seed.
    pub seeded: bool,
    /// Code of every cell before, for figures.
    pub(super) before: Vec<Vec<u32>>,
    pub(super) layout: Layout,
    pub(super) gathers: Gathers,
}

impl SlicedTable {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.codes.len())
    }

    /// How many buckets.
    pub fn buckets(&self) -> usize {
        self.layout.buckets()
    }
}

/// Slices a table. Nothing comes out that the limits refuse.
pub fn slice(table: &CodedTable, job: Option<&Job>, request: &Request) -> Result<SlicedTable, SliceError> {
    let secret = match request.seed {
        Some(seed) => Secret::from_seed(seed),
        None => Secret::from_os()?,
    };
    slice_with(table, job, request, &secret)
}

/// The same under a secret.
pub(super) fn slice_with(
    table: &CodedTable,
    job: Option<&Job>,
    request: &Request,
    secret: &Secret,
) -> Result<SlicedTable, SliceError> {
    let asked = Asked::new(table, job, request)?;
    let layout = asked.layout(table, job, request, secret)?;
    let findings = asked.examine(table, &layout, request)?;
    if !request.allow_identifying && !request.unseen {
        refuse_naming_people(table, &asked.places, job, asked.person.as_deref())?;
    }
    let draw = Draw { secret, operator: OPERATOR, order: RowOrder::Random };
    let gathers = match request.keyed {
        true => permute_by_digest(&layout, asked.groups.len(), &key_of(secret, OPERATOR)),
        false => permute(&layout, asked.groups.len(), &draw),
    };
    let before: Vec<Vec<u32>> =
        asked.places.iter().map(|&place| table.columns[place].codes.clone()).collect();
    let columns = released(&asked, table, &gathers);
    let unchanged = asked.singled_out(table);
    let name = |&column: &usize| asked.groups.columns()[column].clone();
    Ok(SlicedTable {
        columns,
        known: asked.known.iter().map(name).collect(),
        sensitive: asked.sensitive.iter().map(name).collect(),
        dropped: asked.dropped,
        groups: asked.groups,
        findings,
        unchanged,
        smallest: layout.smallest(),
        seeded: secret.is_seeded(),
        before,
        layout,
        gathers,
    })
}

/// A request whose names are found.
struct Asked {
    groups: ColumnGroups,
    /// The place in the table of every released column.
    places: Vec<usize>,
    known: Vec<usize>,
    labelled: Vec<usize>,
    sensitive: Vec<usize>,
    dropped: Vec<String>,
    person: Option<Vec<u32>>,
}

impl Asked {
    fn new(table: &CodedTable, job: Option<&Job>, request: &Request) -> Result<Asked, SliceError> {
        let with_role = |role: Role| -> Vec<&str> {
            job.iter().flat_map(|job| job.with_role(role)).map(|attribute| attribute.name.as_str()).collect()
        };
        let identifying = with_role(Role::Identifying);
        let mut places = Vec::new();
        for name in request.groups.iter().flatten() {
            let place = table.place(name)?;
            if identifying.contains(&name.as_str()) {
                return Err(SliceError::Request(format!(
                    "column {name:?} is identifying by the job, which never leaves; leave it out of the groups"
                )));
            }
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.sort_unstable();
        let names: Vec<&str> = places.iter().map(|&place| table.columns[place].name.as_str()).collect();
        let overlap = if request.overlap.is_some() { Overlap::Copies } else { Overlap::Forbidden };
        let groups = ColumnGroups::new(&names, &request.groups, overlap)?;
        let position = |name: &str| names.iter().position(|known| *known == name);
        let known: Vec<usize> = match &request.buckets {
            Buckets::By(column) => position(column).into_iter().collect(),
            Buckets::Count(_) | Buckets::Size(_) | Buckets::Within { .. } => Vec::new(),
        };
        let labelled: Vec<usize> = match &request.buckets {
            Buckets::Within { quasi: Some(named), .. } => {
                named.iter().filter_map(|name| position(name)).collect()
            }
            Buckets::Within { quasi: None, .. } => {
                with_role(Role::QuasiIdentifier).into_iter().filter_map(position).collect()
            }
            Buckets::Count(_) | Buckets::Size(_) | Buckets::By(_) => Vec::new(),
        };
        let sensitive: Vec<usize> = match &request.sensitive {
            Some(named) => {
                named.iter().try_for_each(|name| table.place(name).map(drop))?;
                named.iter().filter_map(|name| position(name)).collect()
            }
            None => with_role(Role::Sensitive).into_iter().filter_map(position).collect(),
        };
        if request.limits.diversity > 1 && sensitive.is_empty() {
            let problem = "a diversity is demanded: of which column? Name a released column as sensitive, or give its role in a job file";
            return Err(SliceError::Request(problem.to_owned()));
        }
        let quasi: Vec<&str> =
            with_role(Role::QuasiIdentifier).into_iter().filter(|name| position(name).is_some()).collect();
        if !request.allow_identifying {
            let declared = with_role(Role::QuasiIdentifier).len();
            let mut sets: Vec<Vec<&str>> =
                request.identifying.iter().map(|set| set.iter().map(String::as_str).collect()).collect();
            if quasi.len() > 1 || (quasi.len() == 1 && declared == 1) {
                sets.push(quasi);
            }
            refuse_identifying(&groups, &known, &sets)?;
        }
        let person: Vec<usize> = job
            .iter()
            .flat_map(|job| &job.privacy.person)
            .filter_map(|name| table.place(name).ok())
            .collect();
        let dropped = identifying.iter().filter(|name| table.place(name).is_ok());
        let dropped = dropped.map(|name| (*name).to_owned()).collect();
        let person = numbered(table, &person);
        Ok(Asked { groups, places, known, labelled, sensitive, dropped, person })
    }

    fn columns<'a>(&self, table: &'a CodedTable) -> Vec<&'a CodedCells> {
        self.places.iter().map(|&place| &table.columns[place]).collect()
    }

    /// The buckets, merged where that is asked for.
    fn layout(
        &self,
        table: &CodedTable,
        job: Option<&Job>,
        request: &Request,
        secret: &Secret,
    ) -> Result<Layout, SliceError> {
        let minimum = MinimumSize::new(request.minimum)?;
        let small = if request.merge { SmallBuckets::Merge } else { SmallBuckets::Refuse };
        let windows = |windows: Windows| match request.shuffle {
            false => Layout::by_rank(table.rows, windows, minimum),
            true => {
                let draw = Draw { secret, operator: SHUFFLE, order: RowOrder::Random };
                let order = permute(&Layout::undivided(table.rows)?, 1, &draw).into_groups().remove(0);
                Layout::by_order(order, windows, minimum)
            }
        };
        let layout = match &request.buckets {
            Buckets::Count(count) => windows(Windows::Count(*count))?,
            Buckets::Size(size) => windows(Windows::Size(*size))?,
            Buckets::By(column) => {
                Layout::by_value(&table.columns[table.place(column)?].codes, small, minimum)?
            }
            Buckets::Within { k, quasi } => {
                let named: Vec<String> = match (quasi, job) {
                    (Some(named), _) => named.clone(),
                    (None, Some(job)) => {
                        job.with_role(Role::QuasiIdentifier).map(|own| own.name.clone()).collect()
                    }
                    (None, None) => Vec::new(),
                };
                let mut places = named.iter().map(|name| table.place(name)).collect::<Result<Vec<_>, _>>()?;
                places.sort_unstable();
                if places.is_empty() {
                    let problem =
                        "the classes of which columns? Name the quasi-identifiers, or give a job file";
                    return Err(SliceError::Request(problem.to_owned()));
                }
                Layout::by_classes(&classes(table, job, *k, &places)?, minimum)?
            }
        };
        let mut shown: Vec<Shown<'_>> = Vec::new();
        for column in self.sensitive.iter().map(|&column| self.columns(table)[column]) {
            shown.push(Shown {
                codes: &column.codes,
                missing: column.missing(),
                least: request.limits.diversity,
            });
        }
        let people = self.person.as_ref().map(|codes| Shown { codes, missing: None, least: request.minimum });
        shown.extend(people);
        let layout = if request.merge { layout.merged(minimum, &shown) } else { layout };
        match people {
            Some(people) => with_people(layout, people, request.minimum),
            None => Ok(layout),
        }
    }

    /// Whom a group singles out. What every bucket gives away stands with each of them.
    fn singled_out(&self, table: &CodedTable) -> Option<UnchangedFacts> {
        let columns: Vec<Leaving<'_>> =
            self.places.iter().map(|&place| table.columns[place].leaving()).collect();
        let with_known = |group: &Vec<usize>| {
            let known = self.known.iter().filter(|column| !group.contains(column));
            group.iter().chain(known).copied().collect()
        };
        let groups: Vec<Vec<usize>> = self.groups.groups().iter().map(with_known).collect();
        singled_out_in(&columns, &groups, self.person.as_deref())
    }

    /// What the slicing gives away, if it is not too much.
    fn examine(
        &self,
        table: &CodedTable,
        layout: &Layout,
        request: &Request,
    ) -> Result<Findings, SliceError> {
        let columns = self.columns(table);
        let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes.as_slice()).collect();
        let missing: Vec<Option<u32>> = columns.iter().map(|column| column.missing()).collect();
        let sliced = Sliced { columns: &codes, layout };
        if let Some(least) = request.overlap
            && !relinking(&self.groups, sliced, least).iter().all(paravent_slicing::checks::Relinking::holds)
        {
            return Err(SliceError::Request(format!(
                "values that groups share occur fewer than {least} times in a bucket, which links the groups again; use larger buckets, or groups without common columns"
            )));
        }
        let what = Examined {
            groups: &self.groups,
            table: sliced,
            known: &self.known,
            labelled: &self.labelled,
            sensitive: &self.sensitive,
            missing: &missing,
            person: self.person.as_deref(),
        };
        let findings = examine(&what, request.limits.diversity);
        let mut limits = request.limits;
        if request.allow_identifying {
            limits.unique = paravent_slicing::Share::ALL;
        }
        let refusals = findings.refusals(&self.groups, &limits);
        if refusals.is_empty() { Ok(findings) } else { Err(SliceError::Refused(refusals)) }
    }
}

/// Cells are put into another order, and stay the names that they are.
fn refuse_naming_people(
    table: &CodedTable,
    places: &[usize],
    job: Option<&Job>,
    person: Option<&[u32]>,
) -> Result<(), SliceError> {
    let columns: Vec<Leaving<'_>> = places.iter().map(|&place| table.columns[place].leaving()).collect();
    match job {
        Some(job) => Ok(refuse_naming(job, &columns, person)?),
        None => match columns.iter().find_map(|column| Some((column.name, column.looks(person)?))) {
            None => Ok(()),
            Some((name, told)) => Err(SliceError::Request(format!(
                "column {name:?} leaves as it is, but {}; leave it out of the groups, or allow it",
                because(told)
            ))),
        },
    }
}

/// No group, together with what every bucket gives away, may hold a set of columns that points at a person.
fn refuse_identifying(groups: &ColumnGroups, known: &[usize], sets: &[Vec<&str>]) -> Result<(), SliceError> {
    let known: Vec<&str> = known.iter().map(|&column| groups.columns()[column].as_str()).collect();
    for (number, group) in groups.names().iter().enumerate() {
        let shows = |column: &&str| group.contains(column) || known.contains(column);
        // A set of one column cannot be spread; alone in its group it shows nothing else.
        let alone = |set: &&Vec<&str>| set.len() == 1 && group.len() == 1 && known.is_empty();
        if let Some(set) = sets.iter().find(|set| !set.is_empty() && !alone(set) && set.iter().all(shows)) {
            return Err(SliceError::Request(format!(
                "group {} holds all of {}, which together point at a person{}; spread them over several groups, leave one out, or allow it",
                number + 1,
                set.join(", "),
                if known.is_empty() {
                    String::new()
                } else {
                    format!(" ({} is known by the buckets)", known.join(", "))
                },
            )));
        }
    }
    Ok(())
}

/// Rows numbered by their values in some columns; `None` without columns.
fn numbered(table: &CodedTable, places: &[usize]) -> Option<Vec<u32>> {
    if places.is_empty() {
        return None;
    }
    let mut known = std::collections::HashMap::new();
    let keys: Vec<(usize, Vec<u32>)> =
        places.iter().map(|&place| (place, table.columns[place].keys())).collect();
    let number = |row: usize| {
        let key: Vec<u32> =
            keys.iter().map(|(place, keys)| keys[table.columns[*place].codes[row] as usize]).collect();
        let next = known.len() as u32;
        *known.entry(key).or_insert(next)
    };
    Some((0..table.rows).map(number).collect())
}

/// A bucket of one person's rows hides nobody.
fn with_people(layout: Layout, people: Shown<'_>, minimum: u32) -> Result<Layout, SliceError> {
    let few = |bucket: &&[u32]| {
        let mut seen: Vec<u32> = bucket.iter().map(|&row| people.codes[row as usize]).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() < minimum as usize
    };
    let small: Vec<usize> = layout.iter().filter(few).map(<[u32]>::len).collect();
    match small.is_empty() {
        true => Ok(layout),
        false => Err(SliceError::Request(format!(
            "{} (people, not rows)",
            BucketError::SmallBuckets {
                small: small.len(),
                buckets: layout.buckets(),
                rows: small.iter().sum(),
                minimum
            }
        ))),
    }
}

/// The released columns, rows in the order of their text.
fn released(asked: &Asked, table: &CodedTable, gathers: &Gathers) -> Vec<CodedCells> {
    let sources = asked.columns(table);
    let mut columns: Vec<CodedCells> = asked
        .groups
        .released()
        .into_iter()
        .map(|column| {
            let source = sources[column.source];
            let gather = gathers.group(column.group);
            let codes = gather.iter().map(|&row| source.codes[row as usize]).collect();
            CodedCells { name: column.name, codes, cells: source.cells.clone() }
        })
        .collect();
    sort(&mut columns);
    columns
}

/// Rows in the order of their cells as text, missing first: what the verifier calls canonical.
pub(crate) fn sort(columns: &mut [CodedCells]) {
    for column in columns.iter_mut() {
        let mut order: Vec<u32> = (0..column.cells.len() as u32).collect();
        order.sort_by(|&a, &b| column.cells[a as usize].cmp(&column.cells[b as usize]));
        let mut new = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&old, code)| new[old as usize] = code);
        column.codes.iter_mut().for_each(|code| *code = new[*code as usize]);
        column.cells = order.iter().map(|&old| column.cells[old as usize].clone()).collect();
    }
    let rows = columns.first().map_or(0, |column| column.codes.len());
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| {
        columns
            .iter()
            .map(|column| column.codes[a].cmp(&column.codes[b]))
            .find(|o| o.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    for column in columns.iter_mut() {
        column.codes = order.iter().map(|&row| column.codes[row]).collect();
    }
}
