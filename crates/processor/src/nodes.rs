//! Where a question is worked out: what a node must be able to do before anything may leave it, and what may be left to others.
//!
//! A plan can be cut at every edge between two of its operators. Below the guard, an edge has rows of people in it, and nobody but the node that
//! has them may see those: such a cut is never legal. Above the guard there are figures that the policy gives to the recipient, so whoever works
//! for that recipient may go on with them, as far from the people as the demands of the policy let parts come. Of the legal cuts the lowest sends the most cells; so a node does all that it can.

use crate::adapt::{Adapted, Way};
use crate::fragment::Opened;
use crate::kept::{Form, is_rows};
use crate::question::Figure;
use crate::refusal::Refusal;
use paravent_policy::{Aggregate, Node, Operation, Policy, Zone};

/// Where an answer is worked out, and how far.
#[derive(Clone, Copy, Debug, Default)]
pub struct At<'a> {
    /// The node; none: this one, whatever it is called, which can do everything.
    pub node: Option<&'a str>,
    /// Means are left to others, even where the node could take them.
    pub is_part: bool,
}

/// How far the node gets.
///
/// # Errors
/// A refusal: an unknown node, one that has not the table, or one that cannot do what must be done before anything may leave it.
pub fn form(policy: &Policy, adapted: &Adapted<'_>, at: At<'_>) -> Result<Form, Refusal> {
    if at.is_part && is_rows(adapted) {
        return Err(Refusal::new(
            "rows are answered whole: what makes them anonymous looks at all of them",
            "Leave --part out, or ask for figures",
        ));
    }
    let form = reached(policy, adapted, at)?;
    if form == Form::Part {
        means_may_be_split(policy, adapted)?;
    }
    Ok(form)
}

/// A mean that leaves as a sum and a number of values shows its sum.
fn means_may_be_split(policy: &Policy, adapted: &Adapted<'_>) -> Result<(), Refusal> {
    for figure in &adapted.question.figures {
        let Figure::Avg(of) = figure else { continue };
        let (part, own) = adapted.of(of);
        let effective = policy.column(&adapted.asker, &part.table.name, own);
        if !effective.access.aggregate.contains(&Aggregate::Sum) {
            let rules = effective.rules.iter().map(|rule| rule.id.clone()).collect();
            return Err(Refusal::new(
                format!("avg of {of} cannot be left to others: its sum would leave, and no rule allows that"),
                "Ask for the whole answer, or the owner adds \"sum\" to the rule",
            )
            .by(rules));
        }
    }
    Ok(())
}

fn reached(policy: &Policy, adapted: &Adapted<'_>, at: At<'_>) -> Result<Form, Refusal> {
    let Some(name) = at.node else {
        return Ok(if at.is_part { Form::Part } else { Form::Whole });
    };
    let Some(node) = policy.node(name) else {
        let names: Vec<&str> = policy.nodes.iter().map(|node| node.name.as_str()).collect();
        let advice = match names.is_empty() {
            true => "The policy names none: [[nodes]]".to_owned(),
            false => format!("Nodes: {}", names.join(", ")),
        };
        return Err(Refusal::new("the policy has no node of that name", advice));
    };
    if let Some(table) = adapted.question.tables.iter().find(|table| !node.tables.contains(table)) {
        return Err(Refusal::new(
            format!("the node {name} has not the table {table}"),
            "Ask a node that has all tables of the question: rows of people do not leave their node",
        ));
    }
    let missing: Vec<String> = before_the_guard(policy, adapted)
        .into_iter()
        .filter(|one| !node.can.contains(one))
        .map(|one| one.to_string())
        .collect();
    if !missing.is_empty() {
        return Err(Refusal::new(
            format!(
                "the node {name} cannot {}, and before that there are rows of people in what would leave it",
                missing.join(", ")
            ),
            "Ask a node that can, or ask for less",
        ));
    }
    let divides = adapted.question.figures.iter().any(|figure| matches!(figure, Figure::Avg(_)));
    Ok(match at.is_part || divides && !node.can.contains(&Operation::Project) {
        true => Form::Part,
        false => Form::Whole,
    })
}

/// What is done up to the guard, the guard among it.
fn before_the_guard(policy: &Policy, adapted: &Adapted<'_>) -> Vec<Operation> {
    // Who has not agreed, and who wants to be left out, are rows that are not chosen.
    let chooses = !adapted.conditions.is_empty()
        || policy.consent.is_some()
        || adapted.parts.iter().any(|part| !part.selections.is_empty() || !part.left_out.is_empty());
    let guard = match &adapted.way {
        Way::Noisy(_) => Operation::Private,
        Way::Exact(_) => Operation::Group,
        Way::Rows(demand) if demand.together.is_empty() => Operation::Generalize,
        Way::Rows(_) => Operation::Slice,
    };
    let chosen = chooses.then_some(Operation::Select);
    let joined = adapted.is_join().then_some(Operation::Join);
    let grouped = matches!(adapted.way, Way::Noisy(_)).then_some(Operation::Group);
    [chosen, joined, grouped, Some(guard)].into_iter().flatten().collect()
}

/// Whether a part may be handed to a node: the demands on its tables say how far from the people it may come.
///
/// # Errors
/// A refusal, by the name of the table.
pub fn may_reach(policy: &Policy, part: &Opened, node: &Node) -> Result<(), Refusal> {
    for name in part.tables() {
        if policy.table(name).is_none() {
            let message = format!("the part is about a table {name}, which the policy does not have");
            return Err(Refusal::new(message, "Hand it over under the policy that it was answered under"));
        }
        let farthest = policy.demand(name).parts_to.unwrap_or(Zone::Region);
        if node.zone > farthest {
            let message = format!(
                "the node {} is in the zone {}, and parts of answers about {name} go no farther than {farthest}",
                node.name, node.zone
            );
            let advice =
                format!("The owner allows it: [[demands]] table = \"{name}\", parts_to = \"{}\"", node.zone);
            return Err(Refusal::new(message, advice));
        }
    }
    Ok(())
}

/// The node, for the annotation.
pub(crate) fn told<'p>(policy: &'p Policy, at: Option<At<'_>>) -> Option<&'p Node> {
    policy.node(at?.node?)
}
