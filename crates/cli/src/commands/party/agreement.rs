//! `federation.toml`: what the parties agree on, and who they are.

use super::models;
use paravent_core::exact::Fraction;
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;
use paravent_federation::transport::Fingerprint;
use paravent_federation::{
    ColumnKeys, Gaps, Guarantee, Holds, Member, Participants, PartyId, Plan, PlanColumn, Protocol,
    PseudoRows, PseudoShape, Role as PlanRole, RunId, Shares, Split,
};
use paravent_pipeline::job::{
    self, Distance, Model, Population, Problem, Problems, Recoding, Role, Source, Terms,
};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The whole file.
#[derive(Debug, Clone)]
pub struct Agreement {
    /// What people call the run.
    pub run: String,
    /// Makes two runs with the same terms differ.
    pub nonce: String,
    /// `a`, `b` or `c`.
    pub protocol: Protocol,
    /// Rows or columns.
    pub split: Split,
    /// The party the release arrives at.
    pub receiver: String,
    /// Vertical: the column that tells which rows belong together.
    pub identifier: Option<String>,
    /// Vertical: the party that marks the rows to release, where others are only population.
    pub marked_by: Option<String>,
    /// Whether classes must stand up to a participant.
    pub participants: Participants,
    /// Who can decrypt which column.
    pub column_keys: ColumnKeys,
    /// What becomes of persons that a party does not know.
    pub gaps: Gaps,
    /// In ring order, the helper last.
    pub parties: Vec<PartyEntry>,
    /// The columns of the release.
    pub columns: Vec<ColumnEntry>,
    /// What is promised, and what is best.
    pub terms: Terms,
    /// Where everything stands.
    pub source: Source,
}

/// One party.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartyEntry {
    /// Its name.
    pub name: String,
    /// What it does.
    pub part: Part,
    /// Where it listens.
    pub address: Option<String>,
    /// Its certificate.
    pub fingerprint: Option<Fingerprint>,
    /// The digest it has approved. Not part of the digest.
    pub approved: Option<String>,
}

/// What a party does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Holds data.
    Primary,
    /// A primary party that holds none.
    WithoutData,
    /// The helper.
    Helper,
}

impl Part {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Part::Primary => "primary",
            Part::WithoutData => "without-data",
            Part::Helper => "helper",
        }
    }
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnEntry {
    /// Its name.
    pub name: String,
    /// Its role; never identifying.
    pub role: Role,
    /// Name of its type.
    pub data_type: job::DataType,
    /// Vertical: who holds it.
    pub owner: Option<String>,
    /// Of a quasi-identifier.
    pub levels: Option<Levels>,
    /// Of a sensitive column whose values a hierarchy sets apart (hierarchical t-closeness).
    pub tree: Option<Tree>,
}

/// The hierarchy of a sensitive column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Its highest level.
    pub height: u8,
    /// SHA-256 of the hierarchy.
    pub hierarchy: String,
}

/// Levels of a quasi-identifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Highest of the hierarchy.
    pub height: u8,
    /// Lowest allowed.
    pub lowest: u8,
    /// Highest allowed.
    pub highest: u8,
    /// Weight in metrics.
    pub weight: f64,
    /// SHA-256 of the hierarchy.
    pub hierarchy: String,
    /// What decides which share of its domain a label covers.
    pub shares: Shares,
}

/// Why a population that one party holds is no use to the others.
pub const NO_POPULATION_FILE: &str = "parties cannot count in a population that is a file of its own";
/// What to do instead.
pub const MARK_ROWS: &str = "Let every party bring the rows of the population, and mark those to release with a column: subset = \"…\"";

impl Agreement {
    /// Reads the file; all problems together.
    pub fn load(path: &Path) -> Result<Agreement, Problems> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Problem::new(path, format!("the federation file cannot be read: {error}")))?;
        super::agreement_walk::parse(&text, path)
    }

    /// The position of a party.
    pub fn party(&self, name: &str) -> Result<usize, Problem> {
        self.parties.iter().position(|party| party.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.parties.iter().map(|party| party.name.as_str()).collect();
            self.source
                .problem("parties", format!("there is no party {name:?}"))
                .advise(format!("The parties are {}", names.join(", ")))
        })
    }

    /// SHA-256 over the canonical form: what everybody must approve alike.
    pub fn digest(&self) -> [u8; 32] {
        let mut unsigned = self.clone();
        unsigned.parties.iter_mut().for_each(|party| party.approved = None);
        Sha256::digest(unsigned.to_toml().as_bytes()).into()
    }

    /// The digest in hexadecimal.
    pub fn digest_text(&self) -> String {
        self.digest().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What still has to be filled in before a run.
    pub fn missing(&self) -> Problems {
        let mut problems = Problems::new();
        for (index, party) in self.parties.iter().enumerate() {
            let mut absent = |key: &str, what: &str| {
                let problem = self.source.problem(&format!("parties[{index}].{key}"), what);
                problems.push(problem.advise(format!("{} runs: paravent party join", party.name)));
            };
            if party.address.is_none() {
                absent("address", "is missing");
            }
            if party.fingerprint.is_none() {
                absent("fingerprint", "is missing");
            }
            let holds = |column: &ColumnEntry| column.owner.as_deref() == Some(&party.name);
            if self.split == Split::Vertical && party.part == Part::Primary && !self.columns.iter().any(holds)
            {
                absent("name", "holds no column yet");
            }
        }
        if let (Split::Vertical, Some(column), None) = (self.split, self.marks(), &self.marked_by) {
            let problem = self
                .source
                .problem("marked_by", format!("nobody marks the rows to release with a column {column:?}"));
            problems.push(problem.advise("The party whose table has the column runs: paravent party join"));
        }
        problems
    }

    /// The column that marks the rows to release, where a promise counts in a population.
    pub fn marks(&self) -> Option<&str> {
        match self.terms.privacy.population() {
            Some(Population::Subset(column)) => Some(column),
            Some(Population::Table(_)) | None => None,
        }
    }

    /// Whether a party marks rows: all do horizontally, vertically the one that has the column.
    pub fn is_marked_by(&self, party: &str) -> bool {
        let by = self.marked_by.as_deref();
        self.marks().is_some() && (self.split == Split::Horizontal || by == Some(party))
    }

    /// The plan of the protocol.
    pub fn plan(&self) -> Result<Plan, Problems> {
        let mut problems = Problems::new();
        let primaries = || self.parties.iter().filter(|party| party.part != Part::Helper);
        let members = primaries().map(|party| Member {
            name: party.name.clone(),
            holds: if party.part == Part::Primary { Holds::Data } else { Holds::Nothing },
        });
        let place = |owner: Option<&String>| {
            PartyId(primaries().position(|party| Some(&party.name) == owner).unwrap_or(0) as u16)
        };
        let columns = self.columns.iter().map(|column| PlanColumn {
            name: column.name.clone(),
            role: match &column.levels {
                Some(levels) => PlanRole::QuasiIdentifier {
                    height: levels.height,
                    lowest: levels.lowest,
                    highest: levels.highest,
                    weight: levels.weight,
                    shares: levels.shares,
                },
                None => PlanRole::Sensitive { height: column.tree.as_ref().map_or(0, |tree| tree.height) },
            },
            owner: place(column.owner.as_ref()),
        });
        // The marks come last: the release does not have them.
        let marks = self.marks().map(|column| PlanColumn {
            name: column.to_owned(),
            role: PlanRole::Membership,
            owner: place(self.marked_by.as_ref()),
        });
        let position = |name: &str| {
            let found =
                self.columns.iter().position(|column| column.name == name && column.role == Role::Sensitive);
            found.map(|at| at as u16)
        };
        let models = &self.terms.privacy.models;
        for (index, model) in models.iter().enumerate() {
            if let Some(Population::Table(_)) = model.population() {
                let problem = self.source.problem(
                    &format!("privacy.models[{index}]"),
                    format!("{}: {NO_POPULATION_FILE}", model.name().name()),
                );
                problems.push(problem.advise(MARK_ROWS));
            }
        }
        self.search_is_kept(&mut problems);
        if !problems.0.is_empty() {
            return Err(problems);
        }
        let problem = |key: &str, message: String| self.source.problem(key, message);
        let criteria = models::criteria(models, position, problem);
        let metric = Metric::by_name(self.terms.search.metric.name());
        let limit = Fraction::parse(self.terms.privacy.suppression_limit.as_str());
        let (criteria, metric, limit) = match (criteria, metric, limit) {
            (Ok(criteria), Some(metric), Ok(limit)) => (criteria, metric, limit),
            (Err(problem), _, _) => {
                problems.push(problem);
                return Err(problems);
            }
            _ => {
                problems.push(self.source.problem("search", "metric or suppression limit cannot be used"));
                return Err(problems);
            }
        };
        let mut run = [0u8; 16];
        run.copy_from_slice(&self.digest()[..16]);
        let mut plan = Plan {
            run: RunId(run),
            protocol: self.protocol,
            split: self.split,
            members: members.collect(),
            columns: columns.chain(marks).collect(),
            criteria,
            metric,
            algorithm: Algorithm::BestFirst,
            guarantee: if self.terms.search.force { Guarantee::Waived } else { Guarantee::Needed },
            suppression_limit: limit,
            participants: self.participants,
            column_keys: self.column_keys,
            gaps: self.gaps,
        };
        plan.algorithm = models::algorithm(self.terms.search.algorithm, &plan);
        if let Err(refusals) = plan.validate() {
            for refusal in refusals.0 {
                let promise = models.iter().position(|model| model.name().name() == refusal.what);
                let elsewhere = if refusal.what == "algorithm" { "search.algorithm" } else { "protocol" };
                let key = promise.map_or(elsewhere.to_owned(), |index| format!("privacy.models[{index}]"));
                problems.push(self.source.problem(&key, refusal.to_string()));
            }
        }
        let receiver = receiver_of(self.protocol, self.column_keys, plan.members.len());
        let arrives = self.parties.get(receiver);
        if arrives.is_none_or(|party| party.name != self.receiver || party.part != Part::Primary) {
            let (letter, place) = (self.protocol.letter(), receiver + 1);
            let problem = self.source.problem(
                "receiver",
                format!(
                    "in protocol {letter} with these parties the release arrives at party {place} of the list"
                ),
            );
            problems.push(
                problem.advise("List the parties so that the receiver, which must hold data, has that place"),
            );
        }
        problems.into_result(plan)
    }

    /// What a search of several parties cannot keep is refused: no clock is the same everywhere, and what is only assumed nobody could check.
    fn search_is_kept(&self, problems: &mut Problems) {
        let search = &self.terms.search;
        if !self.terms.privacy.person.is_empty() {
            let problem = self.source.problem(
                "privacy.person",
                "parties count rows: whose rows belong to one person is not matched between them",
            );
            problems.push(problem.advise("Bring one row per person, and leave it out"));
        }
        if search.seconds > 0.0 {
            let problem = self
                .source
                .problem("search.seconds", "a joint search ends when the best is found, not after a time");
            problems.push(
                problem.advise("Leave it out; --phase-timeout of `party run` limits how long parties wait"),
            );
        }
        if search.recoding != Recoding::Global {
            let problem = self.source.problem(
                "search.recoding",
                "parties agree on one level per column: boxes for single classes would tell each other's rows",
            );
            problems.push(problem.advise("Leave it out; recoding = \"local\" is for a table in one hand"));
        }
        if search.practical_monotonicity {
            let problem = self
                .source
                .problem("search.practical_monotonicity", "a joint search concludes only what is proven");
            problems.push(problem.advise("Leave it out"));
        }
    }

    /// The file, in its one canonical form.
    pub fn to_toml(&self) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut text = String::from(
            "# What the parties of a joint release agree on. Made by `paravent party invite`; see docs/guide/federation.md\nversion = 1\n",
        );
        let mut line = |entry: String| {
            text.push_str(&entry);
            text.push('\n');
        };
        line(format!("run = {}", quoted(&self.run)));
        line(format!("nonce = {}", quoted(&self.nonce)));
        line(format!("protocol = \"{}\"", self.protocol.letter().to_ascii_lowercase()));
        line(format!("split = \"{}\"", split_name(self.split)));
        line(format!("receiver = {}", quoted(&self.receiver)));
        if let Some(identifier) = &self.identifier {
            line(format!("identifier = {}", quoted(identifier)));
        }
        if let Protocol::C(pseudo) = self.protocol {
            line(format!("pseudo_percent = {}", pseudo.percent));
            line(format!("pseudo_shape = \"{}\"", shape_name(pseudo.shape)));
        }
        if let Some(party) = &self.marked_by {
            line(format!("marked_by = {}", quoted(party)));
        }
        line(format!("m_privacy = {}", self.participants == Participants::Curious));
        line(format!("private_keys = {}", self.column_keys == ColumnKeys::Private));
        if self.gaps == Gaps::Placeholders {
            line("fill_gaps = true".to_owned());
        }
        for party in &self.parties {
            line(format!("\n[[parties]]\nname = {}\nrole = \"{}\"", quoted(&party.name), party.part.name()));
            if let Some(address) = &party.address {
                line(format!("address = {}", quoted(address)));
            }
            if let Some(fingerprint) = party.fingerprint {
                line(format!("fingerprint = \"{fingerprint}\""));
            }
            if let Some(approved) = &party.approved {
                line(format!("approved = {}", quoted(approved)));
            }
        }
        for column in &self.columns {
            line(format!(
                "\n[[columns]]\nname = {}\nrole = \"{}\"\ntype = \"{}\"",
                quoted(&column.name),
                column.role.name(),
                column.data_type.name()
            ));
            if let Some(owner) = &column.owner {
                line(format!("owner = {}", quoted(owner)));
            }
            if let Some(Levels { height, lowest, highest, weight, hierarchy, shares }) = &column.levels {
                line(format!(
                    "height = {height}\nmin_level = {lowest}\nmax_level = {highest}\nweight = {weight:?}\nhierarchy = {}\nshares = \"{}\"",
                    quoted(hierarchy),
                    shares.name()
                ));
            }
            if let Some(Tree { height, hierarchy }) = &column.tree {
                line(format!("height = {height}\nhierarchy = {}", quoted(hierarchy)));
            }
        }
        text.push_str(&self.terms.to_toml());
        text
    }
}

/// The sensitive columns whose hierarchy a promise needs.
pub fn needs_tree(models: &[Model]) -> impl Iterator<Item = &str> {
    models.iter().filter_map(|model| match model {
        Model::TCloseness { attribute, distance: Distance::Hierarchical, .. } => Some(attribute.as_str()),
        _ => None,
    })
}

/// Where a release arrives: at the last but one of a ring; at the last where it goes round to be decoded; else at the first.
pub fn receiver_of(protocol: Protocol, keys: ColumnKeys, primaries: usize) -> usize {
    match (protocol, keys) {
        (Protocol::A, _) => primaries.saturating_sub(2),
        (Protocol::B | Protocol::C(_), ColumnKeys::Private) => primaries.saturating_sub(1),
        (Protocol::B | Protocol::C(_), ColumnKeys::Common) => 0,
    }
}

/// As it is written.
pub fn split_name(split: Split) -> &'static str {
    match split {
        Split::Horizontal => "horizontal",
        Split::Vertical => "vertical",
    }
}

fn shape_name(shape: PseudoShape) -> &'static str {
    match shape {
        PseudoShape::Copies => "copies",
        PseudoShape::Blocks => "blocks",
        PseudoShape::Flat => "flat",
    }
}

/// A protocol by its letter.
pub fn protocol_of(letter: &str, percent: u16, shape: PseudoShape) -> Option<Protocol> {
    match letter {
        "a" => Some(Protocol::A),
        "b" => Some(Protocol::B),
        "c" => Some(Protocol::C(PseudoRows { percent, shape })),
        _ => None,
    }
}
