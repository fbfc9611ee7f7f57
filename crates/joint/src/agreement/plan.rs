//! The agreement as the protocols see it, and what they refuse of it.

use super::{Agreement, Holders, MARK_ROWS, NO_POPULATION_FILE, Part};
use crate::promises;
use paravent_core::exact::Fraction;
use paravent_core::search::Algorithm;
use paravent_federation::{
    ColumnKeys, Guarantee, Holds, Member, PartyId, Plan, PlanColumn, Protocol, Role as PlanRole, RunId,
};
use paravent_job::{Population, Problems, Recoding, Role};

impl Agreement {
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
            sharers: column.sharers.iter().map(|name| place(Some(name))).collect(),
        });
        // The marks come last: the release does not have them.
        let marks = self.marks().map(|column| PlanColumn {
            name: column.to_owned(),
            role: PlanRole::Membership,
            owner: place(self.marked_by.as_ref()),
            sharers: Vec::new(),
        });
        let position = |name: &str| {
            let found =
                self.columns.iter().position(|column| column.name == name && column.role == Role::Sensitive);
            found.map(|at| at as u16)
        };
        let models = &self.terms.privacy.models;
        self.population_is_marked(&mut problems);
        self.identifier_does_nothing_else(&mut problems);
        self.helper_joins_rows_and_columns(&mut problems);
        self.search_is_kept(&mut problems);
        if !problems.0.is_empty() {
            return Err(problems);
        }
        let problem = |key: &str, message: String| self.source.problem(key, message);
        let criteria = promises::criteria(models, position, problem);
        let limit = Fraction::parse(self.terms.privacy.suppression_limit.as_str());
        let metric = self.terms.search.metric;
        let (criteria, limit) = match (criteria, limit) {
            (Ok(criteria), Ok(limit)) => (criteria, limit),
            (Err(problem), _) => {
                problems.push(problem);
                return Err(problems);
            }
            _ => {
                problems.push(self.source.problem("search", "the suppression limit cannot be used"));
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
            same_person: self.same_person,
        };
        plan.algorithm = promises::algorithm(self.terms.search.algorithm, &plan);
        self.protocol_can_keep(&plan, &mut problems);
        problems.into_result(plan)
    }

    /// No party may read a file of the population: rows are marked instead.
    fn population_is_marked(&self, problems: &mut Problems) {
        for (index, model) in self.terms.privacy.models.iter().enumerate() {
            if let Some(Population::Table(_)) = model.population() {
                let problem = self.source.problem(
                    &format!("privacy.models[{index}]"),
                    format!("{}: {NO_POPULATION_FILE}", model.name().name()),
                );
                problems.push(problem.advise(MARK_ROWS));
            }
        }
    }

    /// The column by which rows are matched is there for that alone: it is not released, and marks nothing.
    fn identifier_does_nothing_else(&self, problems: &mut Problems) {
        let Some(identifier) = &self.identifier else { return };
        let released = self.columns.iter().any(|column| column.name == *identifier);
        let why = match (released, self.marks() == Some(identifier)) {
            (true, _) => "is released, too: who has the release would know whose row is whose",
            (false, true) => "marks the rows to release, too: it cannot tell people apart",
            (false, false) => return,
        };
        let problem = self.source.problem("identifier", format!("{identifier:?} {why}"));
        problems.push(problem.advise("Name a column that every job declares with role = \"identifying\""));
    }

    /// Known from the first invitation on, whoever turns out to share a column.
    fn helper_joins_rows_and_columns(&self, problems: &mut Problems) {
        if self.holders == Holders::Several && self.protocol != Protocol::B {
            let message = "hybrid: whoever puts rows and columns together must see which rows are of one person, and count what it sees: the helper of protocol B";
            problems.push(self.source.problem("split", message).advise("Use protocol B"));
        }
        if self.holders == Holders::Several && self.column_keys == ColumnKeys::Private {
            let message = "hybrid: parties that hold the same column must encrypt equal cells alike";
            problems.push(self.source.problem("private_keys", message).advise("Use common keys"));
        }
    }

    /// What the protocol refuses, and a receiver at whom the release does not arrive.
    fn protocol_can_keep(&self, plan: &Plan, problems: &mut Problems) {
        if let Err(refusals) = plan.validate() {
            for refusal in refusals.0 {
                let promise =
                    self.terms.privacy.models.iter().position(|model| model.name().name() == refusal.what);
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
        if search.gs_factor.is_some() {
            let problem = self
                .source
                .problem("search.gs_factor", "parties count generalized and suppressed cells alike");
            problems.push(problem.advise("Leave it out"));
        }
        if search.practical_monotonicity {
            let problem = self
                .source
                .problem("search.practical_monotonicity", "a joint search concludes only what is proven");
            problems.push(problem.advise("Leave it out"));
        }
    }
}

/// Where a release arrives: at the last but one of a ring; at the last where it goes round to be decoded; else at the first.
pub fn receiver_of(protocol: Protocol, keys: ColumnKeys, primaries: usize) -> usize {
    match (protocol, keys) {
        (Protocol::A, _) => primaries.saturating_sub(2),
        (Protocol::B | Protocol::C(_), ColumnKeys::Private) => primaries.saturating_sub(1),
        (Protocol::B | Protocol::C(_), ColumnKeys::Common) => 0,
    }
}
