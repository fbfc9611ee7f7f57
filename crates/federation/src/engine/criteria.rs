//! The plan's criteria as criteria of the engine.

use super::coded::{CodedTable, Combinations, ladder_of};
use super::participants::KWithoutAnyOne;
use crate::error::{ProtocolError, Refusal, Refusals};
use crate::plan::{Closeness, Criterion, Participants, Plan};
use paravent_core::criteria::{
    ClassCriterion, Criteria, DeltaPresence, Distance, DistinctLDiversity, EntropyLDiversity, KAnonymity,
    KMap, MultiAttributeLDiversity, RecursiveLDiversity, Suppression, TCloseness, ValueTree,
};
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::Ladder;
use paravent_core::table::FrequencyTable;
use paravent_core::task::Case;

/// Something whose distribution in a class criteria read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum View {
    /// A sensitive column.
    Column(u16),
    /// Combinations of several.
    Joint(Vec<u16>),
    /// The parties that brought the rows.
    Origin,
}

/// The views that the criteria of a plan read, each once.
pub(crate) fn views(plan: &Plan) -> Vec<View> {
    let mut views: Vec<View> = Vec::new();
    for criterion in &plan.criteria {
        let view = match (criterion, criterion.columns()) {
            (Criterion::MultiAttributeLDiversity { .. }, columns) => View::Joint(columns),
            (_, columns) => match columns.first() {
                Some(&column) => View::Column(column),
                None => continue,
            },
        };
        if !views.contains(&view) {
            views.push(view);
        }
    }
    if plan.participants == Participants::Curious {
        views.push(View::Origin);
    }
    views
}

/// The criteria of a plan whose counters the primary parties read, and the case of monotonicity that they make with the metric. What
/// classes are compared with changes neither, so one value stands for all.
pub(crate) fn counted_case(plan: &Plan) -> Result<(Criteria, Case), ProtocolError> {
    let columns = plan.close_columns().into_iter().map(|column| WholeColumn {
        column,
        totals: vec![1],
        levels: vec![vec![0]; plan.reference_height(column).unwrap_or(0).into()],
    });
    let criteria = counted_criteria(plan, &columns.collect::<Vec<_>>())?;
    let case = Case::of(&criteria, plan.metric, counted_suppression(plan));
    Ok((criteria, case))
}

/// Without the number of real rows "may suppress" is the safe assumption: it only makes the search conclude less.
fn counted_suppression(plan: &Plan) -> Suppression {
    if plan.suppression_limit == Fraction::ZERO { Suppression::Forbidden } else { Suppression::Allowed }
}

/// A column with t-closeness in the whole table; values have numbers.
pub(crate) struct WholeColumn {
    /// Position in the plan.
    pub(crate) column: u16,
    /// By value: how often it occurs.
    pub(crate) totals: Vec<u64>,
    /// By level from 1, by value: its group; no levels where no distance climbs.
    pub(crate) levels: Vec<Vec<u32>>,
}

/// The criteria of a plan for counters, where classes are compared with these columns.
pub(crate) fn counted_criteria(plan: &Plan, columns: &[WholeColumn]) -> Result<Criteria, ProtocolError> {
    let views = views(plan);
    let mut totals = vec![Vec::new(); views.len()];
    let mut ladders: Vec<Option<Ladder>> = vec![None; plan.columns.len()];
    for WholeColumn { column, totals: found, levels } in columns {
        let view = views.iter().position(|view| view.column() == Some(*column));
        if let Some(known) = view.and_then(|view| totals.get_mut(view)) {
            known.clone_from(found);
        }
        if !levels.is_empty() {
            ladders[usize::from(*column)] = Some(ladder_of(found.len(), levels, &[])?);
        }
    }
    let ladders = ladders.iter().map(Option::as_ref).collect();
    let whole = Whole { totals, ladders, combinations: &[] };
    Ok(Criteria::new(class_criteria(plan, &views, Some(&whole))?, counted_suppression(plan)))
}

impl View {
    /// Whether values must be told apart from class to class, because their distribution is compared with the whole table's.
    pub(crate) fn is_numbered(&self, plan: &Plan) -> bool {
        self.column().is_some_and(|column| plan.reference_height(column).is_some())
    }

    /// The column, of a single one.
    pub(crate) fn column(&self) -> Option<u16> {
        match self {
            View::Column(column) => Some(*column),
            View::Joint(_) | View::Origin => None,
        }
    }
}

/// What some criteria need to know of the whole table.
pub(crate) struct Whole<'a> {
    /// By view: how often each code occurs.
    pub(crate) totals: Vec<Vec<u64>>,
    /// By column of the plan: its hierarchy.
    pub(crate) ladders: Vec<Option<&'a Ladder>>,
    /// By view: what joint codes stand for.
    pub(crate) combinations: &'a [Combinations],
}

impl<'a> Whole<'a> {
    /// Of a counted table.
    pub(crate) fn of(
        table: &FrequencyTable,
        coded: &'a CodedTable,
        combinations: &'a [Combinations],
    ) -> Whole<'a> {
        Whole {
            totals: table.sensitive().iter().map(|column| column.totals()).collect(),
            ladders: coded.columns.iter().map(|column| column.ladder.as_ref()).collect(),
            combinations,
        }
    }
}

/// The criteria; those that compare with the whole table need it.
pub(crate) fn class_criteria(
    plan: &Plan,
    views: &[View],
    table: Option<&Whole<'_>>,
) -> Result<Vec<Box<dyn ClassCriterion>>, ProtocolError> {
    let refused = |criterion: &Criterion| {
        ProtocolError::Refused(Refusals(vec![Refusal::new(criterion.name(), "cannot be judged here")]))
    };
    let at = |view: View| views.iter().position(|known| *known == view).unwrap_or_default();
    let mut members: Vec<Box<dyn ClassCriterion>> = Vec::new();
    for criterion in &plan.criteria {
        if let (Criterion::KAnonymity { k }, Participants::Curious) = (criterion, plan.participants) {
            members.push(Box::new(KWithoutAnyOne { origins: at(View::Origin), k: *k }));
        }
        members.push(match criterion {
            Criterion::KAnonymity { k } => Box::new(KAnonymity { k: *k }),
            Criterion::KMap { k } => Box::new(KMap { k: *k }),
            Criterion::DeltaPresence { min, max } => Box::new(DeltaPresence { min: *min, max: *max }),
            Criterion::DistinctLDiversity { column, l } => {
                Box::new(DistinctLDiversity { sensitive: at(View::Column(*column)), l: *l })
            }
            Criterion::EntropyLDiversity { column, l } => {
                Box::new(EntropyLDiversity { sensitive: at(View::Column(*column)), l: *l })
            }
            Criterion::RecursiveLDiversity { column, c, l } => {
                Box::new(RecursiveLDiversity { sensitive: at(View::Column(*column)), c: *c, l: *l })
            }
            Criterion::MultiAttributeLDiversity { columns, diversity } => {
                let whole = table.ok_or_else(|| refused(criterion))?;
                let joint = at(View::Joint(columns.clone()));
                let combinations =
                    whole.combinations.get(joint).cloned().ok_or_else(|| refused(criterion))?;
                Box::new(MultiAttributeLDiversity { joint, combinations, diversity: *diversity })
            }
            Criterion::TCloseness { column, t, distance } => {
                let whole = table.ok_or_else(|| refused(criterion))?;
                let view = at(View::Column(*column));
                let distance = match distance {
                    Closeness::Equal => Distance::Equal,
                    Closeness::KullbackLeibler => Distance::KullbackLeibler,
                    Closeness::Hierarchical => {
                        let ladder = whole.ladders[usize::from(*column)];
                        let ladder = ladder.filter(|ladder| ladder.cardinality(ladder.max_level()) == 1);
                        let ladder = ladder.ok_or_else(|| refused(criterion))?;
                        let steps = (0..ladder.max_level()).map(|level| ladder.step(level, level + 1));
                        Distance::Hierarchical(ValueTree::new(steps.collect()))
                    }
                    Closeness::Ordered => return Err(refused(criterion)),
                };
                Box::new(TCloseness::new(view, *t, distance, whole.totals[view].clone()))
            }
            Criterion::OnValues { .. } => return Err(refused(criterion)),
        });
    }
    Ok(members)
}
