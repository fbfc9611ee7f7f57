//! What cannot be done is refused before any data moves.

use crate::error::{Refusal, Refusals};
use crate::parties::Holds;
use crate::plan::{
    Closeness, ColumnKeys, Criterion, Gaps, Guarantee, Participants, Plan, Protocol, PseudoRows, PseudoShape,
    Role, SamePerson, Split,
};
use paravent_core::criteria::Monotonicity;
use paravent_core::exact::Fraction;
use paravent_core::quality::Metric;
use paravent_core::search::LossBy;
use paravent_core::task::Case;

/// More parties than this make no sense on a ring.
const MOST_PARTIES: usize = 64;
/// Largest share of made-up rows, in percent.
pub(crate) const MOST_PSEUDO: u16 = 5000;

impl Plan {
    /// Protocol C: the case of monotonicity, which decides what a search can conclude without asking. `None` for promises that
    /// [`validate`](Self::validate) refuses.
    pub fn counted_case(&self) -> Option<Case> {
        crate::engine::counted_case(self).ok().map(|(_, case)| case)
    }

    /// Everything that speaks against the plan.
    pub fn validate(&self) -> Result<(), Refusals> {
        let mut refusals = Vec::new();
        self.parties_suffice(&mut refusals);
        self.columns_fit(&mut refusals);
        self.criteria_work_on_tokens(&mut refusals);
        if let Protocol::C(_) = self.protocol {
            self.counters_suffice(&mut refusals);
        }
        self.participants_can_be_guarded_against(&mut refusals);
        self.search_finds_the_best(&mut refusals);
        if self.suppression_limit > Fraction::ONE {
            refusals.push(Refusal::new("suppression limit", "is a share of the rows, at most 1"));
        }
        if refusals.is_empty() { Ok(()) } else { Err(Refusals(refusals)) }
    }

    fn parties_suffice(&self, refusals: &mut Vec<Refusal>) {
        let holding = self.members.iter().filter(|member| member.holds == Holds::Data).count();
        let n = self.members.len();
        if holding < 2 || n > MOST_PARTIES {
            refusals.push(Refusal::new(
                "parties",
                format!("{holding} parties hold data; 2 to {MOST_PARTIES} can take part"),
            ));
        }
        if (self.protocol, self.split) == (Protocol::A, Split::Horizontal) {
            // The master gets its own rows back encrypted, together with those of n − 2 others.
            let master_holds_data = self.members.first().is_some_and(|member| member.holds == Holds::Data);
            if master_holds_data && holding < 3 {
                refusals.push(
                    Refusal::new(
                        "protocol A, horizontal",
                        "with two parties that hold rows, a master that is one of them sees its own rows unmixed and can match the other's",
                    )
                    .advise("Put a third party without data first in the list of parties, or use protocol B or C"),
                );
            }
        }
        let others_hold_nothing = self.members.iter().any(|member| member.holds == Holds::Nothing);
        if others_hold_nothing && self.protocol != Protocol::A {
            refusals
                .push(Refusal::new("parties", "only protocol A has use for a primary party without data"));
        }
        if others_hold_nothing && self.split == Split::Vertical {
            refusals.push(Refusal::new("parties", "in a vertical split every primary party holds a column"));
        }
    }

    fn columns_fit(&self, refusals: &mut Vec<Refusal>) {
        let quasi = self.quasi_identifiers().len();
        if quasi == 0 || self.columns.len() > 1000 {
            refusals
                .push(Refusal::new("columns", "1 to 1000 columns, at least one of them a quasi-identifier"));
        }
        for column in &self.columns {
            if let Role::QuasiIdentifier { height, lowest, highest, weight, .. } = column.role
                && (lowest > highest || highest > height || !weight.is_finite() || weight < 0.0)
            {
                refusals.push(Refusal::new(
                    &column.name,
                    "levels lie between 0 and the height, weights are at least 0",
                ));
            }
            let owner = self.members.get(usize::from(column.owner.0));
            if self.split == Split::Vertical && owner.is_none_or(|member| member.holds == Holds::Nothing) {
                refusals.push(Refusal::new(&column.name, "no party that holds data is its owner"));
            }
        }
        let mut names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            refusals.push(Refusal::new("columns", "two have the same name"));
        }
        let memberships = self.columns.iter().filter(|column| column.role == Role::Membership).count();
        if memberships > 1 {
            refusals
                .push(Refusal::new("columns", "there is one table to release, hence one membership column"));
        }
        if self.split == Split::Horizontal && self.column_keys == ColumnKeys::Private {
            refusals.push(
                Refusal::new(
                    "column keys",
                    "parties that hold the same columns must encrypt equal cells alike",
                )
                .advise("Use common keys"),
            );
        }
        if self.gaps == Gaps::Placeholders && (self.protocol != Protocol::B || self.split != Split::Vertical)
        {
            refusals.push(Refusal::new(
                "gaps",
                "only the helper of protocol B, with a vertical split, can fill in placeholders",
            ));
        }
        self.several_holders_fit(refusals);
        if self.same_person == SamePerson::Refused && self.split == Split::Vertical {
            refusals.push(Refusal::new(
                "same person",
                "in a vertical split every person is at several parties; rows are matched there anyway",
            ));
        }
    }

    /// A hybrid split: rows and columns at once.
    fn several_holders_fit(&self, refusals: &mut Vec<Refusal>) {
        if !self.is_hybrid() {
            return;
        }
        let what = "hybrid split";
        if self.protocol != Protocol::B || self.split != Split::Vertical {
            let why = "whoever puts rows and columns together must see which rows are of one person, and count what it sees: the helper of protocol B";
            refusals.push(Refusal::new(what, why).advise("Use protocol B"));
        }
        if self.column_keys == ColumnKeys::Private {
            let why = "parties that hold the same column must encrypt equal cells alike";
            refusals.push(Refusal::new(what, why).advise("Use common keys"));
        }
        for column in self.columns.iter().filter(|column| !column.sharers.is_empty()) {
            let mut holders: Vec<u16> =
                column.sharers.iter().chain([&column.owner]).map(|holder| holder.0).collect();
            holders.sort_unstable();
            let known = |holder: &u16| {
                self.members.get(usize::from(*holder)).is_some_and(|member| member.holds == Holds::Data)
            };
            if !holders.windows(2).all(|pair| pair[0] < pair[1]) || !holders.iter().all(known) {
                refusals.push(Refusal::new(&column.name, "is held twice by one party, or by none with data"));
            }
            if column.role == Role::Membership {
                refusals.push(Refusal::new(&column.name, "one party marks the rows to release"));
            }
        }
    }

    fn criteria_work_on_tokens(&self, refusals: &mut Vec<Refusal>) {
        if self.criteria.is_empty() {
            refusals.push(Refusal::new("criteria", "nothing is promised"));
        }
        for criterion in &self.criteria {
            for column in criterion.columns() {
                let role = self.columns.get(usize::from(column)).map(|column| &column.role);
                if !matches!(role, Some(Role::Sensitive { .. })) {
                    refusals.push(Refusal::new(
                        criterion.name(),
                        format!("column {column} of the plan is not sensitive"),
                    ));
                }
            }
            match criterion {
                Criterion::OnValues { .. } => refusals.push(Refusal::new(
                    criterion.name(),
                    "names or computes with values; to say which token is which would break the encryption",
                )),
                Criterion::TCloseness { distance: Closeness::Ordered, .. } => refusals.push(
                    Refusal::new(
                        criterion.name(),
                        "the ordered distance needs the order of the values, which tokens do not have",
                    )
                    .advise("Use the equal or the hierarchical distance"),
                ),
                Criterion::TCloseness { column, distance: Closeness::Hierarchical, .. } => {
                    let height =
                        self.columns.get(usize::from(*column)).map_or(0, crate::plan::PlanColumn::height);
                    if height == 0 {
                        refusals.push(Refusal::new(
                            criterion.name(),
                            "the hierarchical distance needs a hierarchy of the sensitive column",
                        ));
                    }
                }
                _ => {}
            }
            let has_membership = self.columns.iter().any(|column| column.role == Role::Membership);
            if criterion.reads_population() && !has_membership {
                refusals.push(Refusal::new(
                    criterion.name(),
                    "needs a membership column that tells table and population apart",
                ));
            }
        }
    }

    /// What the reader of the counters would need and cannot have.
    fn counters_suffice(&self, refusals: &mut Vec<Refusal>) {
        for criterion in &self.criteria {
            let why = match criterion {
                Criterion::MultiAttributeLDiversity { .. } => {
                    "would show the reader of the counters how sensitive values go together"
                }
                _ => continue,
            };
            refusals
                .push(Refusal::new(criterion.name(), format!("protocol C: {why}")).advise("Use protocol B"));
        }
        if let Protocol::C(PseudoRows { shape: PseudoShape::Copies, .. }) = self.protocol
            && self.marks_rows()
        {
            let why = "with copies only, a row of the release that counts nothing must be of the population";
            refusals.push(
                Refusal::new("made-up rows", why).advise("Use the shape flat or blocks, or protocol B"),
            );
        }
        if self.suppression_limit > Fraction::ZERO && self.metric.reads_suppressed_values() {
            let why = "charges for which values are suppressed, and nobody in protocol C knows both values and counts";
            let others = Metric::listed("", |metric| !metric.reads_suppressed_values());
            refusals.push(
                Refusal::new(self.metric.name(), format!("protocol C: {why}"))
                    .advise(&format!("Use {others}, or a suppression limit of 0")),
            );
        }
        if let Protocol::C(pseudo) = self.protocol
            && pseudo.percent > MOST_PSEUDO
        {
            refusals.push(Refusal::new("pseudo tuples", format!("at most {MOST_PSEUDO} per hundred rows")));
        }
    }

    /// Where it is not known before rows are there what may be concluded, only algorithms pass that need no conclusions.
    fn search_finds_the_best(&self, refusals: &mut Vec<Refusal>) {
        if self.guarantee == Guarantee::Waived {
            return;
        }
        let weights: Vec<f64> = self.columns.iter().filter_map(|column| column.role.weight()).collect();
        let nothing = Case { criterion: Monotonicity::None, monotone_metric: false };
        let case = self.counted_case().unwrap_or(nothing);
        if let Err(doubt) = self.algorithm.guarantees(case, LossBy::of(self.metric, &weights)) {
            let name = self.algorithm.name();
            refusals.push(
                Refusal::new("algorithm", format!("{name} cannot guarantee the best release here: {doubt}"))
                    .advise(
                        "Write algorithm = \"auto\", or add force = true to take what it finds, best or not",
                    ),
            );
        }
    }

    fn participants_can_be_guarded_against(&self, refusals: &mut Vec<Refusal>) {
        if self.participants == Participants::Trusted {
            return;
        }
        let what = "curious participants";
        if self.split == Split::Vertical {
            refusals.push(Refusal::new(
                what,
                "in a vertical split every party holds a part of every row: none can be taken away",
            ));
        } else if self.protocol == Protocol::A {
            refusals.push(
                Refusal::new(what, "protocol A hides from the master whose row a row is, so nobody can count without one party's")
                    .advise("Use protocol B or C"),
            );
        }
        if !self.criteria.iter().any(|criterion| matches!(criterion, Criterion::KAnonymity { .. })) {
            refusals.push(Refusal::new(what, "say how many rows must remain").advise("Add k-anonymity"));
        }
    }
}
