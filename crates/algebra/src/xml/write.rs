//! Plans → documents.

use super::document::{Element, MOST_LEVELS, visible};
use super::read::shared_names;
use super::{XmlError, condition, demands, names, noise, types};
use crate::operator::{Buckets, Generalization, Generalize, Operator, Overlap, Promise, Randomize, Slice};
use datafusion::common::{Column, DFSchema, JoinType, NullEquality, ScalarValue, TableReference};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, Join, JoinConstraint, LogicalPlan, Projection, TableScan,
};
use paravent_job::{Metric, Search};

/// The canonical document of a plan: relations before what is done with them, noise sorted by attribute, two spaces per level.
pub fn write(plan: &LogicalPlan) -> Result<String, XmlError> {
    Ok(relation(plan, 1)?.to_document())
}

fn relation(plan: &LogicalPlan, level: usize) -> Result<Element, XmlError> {
    // Two more levels hold the attributes.
    if level + 2 > MOST_LEVELS {
        return Err(XmlError::unwritable(format!("it is nested deeper than {MOST_LEVELS} levels")));
    }
    let inside = |plan: &LogicalPlan| relation(plan, level + 1);
    match plan {
        LogicalPlan::TableScan(scan) => base(scan),
        LogicalPlan::Projection(node) => projection(node, "false", inside),
        LogicalPlan::Distinct(Distinct::All(input)) => match &**input {
            LogicalPlan::Projection(node) => projection(node, "true", inside),
            LogicalPlan::Union(union) => all(
                Element::new("union").with("isDistinct", "true"),
                union.inputs.iter().map(|part| inside(part)),
            ),
            // Duplicates are dropped by a projection that keeps every attribute.
            other => {
                let element = Element::new("projection").with("isDistinct", "true").holding(inside(other)?);
                Ok(element.holding(attributes("attributes", &other.schema().columns(), other)?))
            }
        },
        LogicalPlan::Union(union) => all(
            Element::new("union").with("isDistinct", "false"),
            union.inputs.iter().map(|part| inside(part)),
        ),
        LogicalPlan::Filter(filter) => {
            let text = condition::text(&filter.predicate, filter.input.schema())?;
            let element = Element::new("selection").holding(inside(&filter.input)?);
            Ok(element.holding(Element::new("condition").saying(text)))
        }
        LogicalPlan::Aggregate(aggregate) => grouping(aggregate, inside),
        LogicalPlan::SubqueryAlias(alias) => {
            let element = Element::new("view").with("name", table_name(&alias.alias)?);
            Ok(element.holding(inside(&alias.input)?))
        }
        LogicalPlan::Join(node) => join(node, inside),
        LogicalPlan::Extension(_) => match Operator::of(plan) {
            Some(Operator::Generalize(node)) => generalization(node, inside),
            Some(Operator::Slice(node)) => slicing(node, inside),
            Some(Operator::Randomize(node)) => randomization(node, inside),
            Some(Operator::Private(_)) => {
                Err(XmlError::unwritable("there is no element for noisy aggregates"))
            }
            None => Err(XmlError::unwritable("it has an operator of somebody else")),
        },
        other => Err(XmlError::unwritable(format!("there is no element for {}", kind(other)))),
    }
}

/// The operator's name alone: its expressions are not shown.
fn kind(plan: &LogicalPlan) -> String {
    let shown = plan.display().to_string();
    shown.split([':', ' ']).next().unwrap_or_default().to_owned()
}

fn all(
    element: Element,
    parts: impl Iterator<Item = Result<Element, XmlError>>,
) -> Result<Element, XmlError> {
    let mut element = element;
    for part in parts {
        element = element.holding(part?);
    }
    Ok(element)
}

fn base(scan: &TableScan) -> Result<Element, XmlError> {
    if scan.projection.is_some() || !scan.filters.is_empty() || scan.fetch.is_some() {
        return Err(XmlError::unwritable(
            "a table is scanned in part; write the plan before it is optimized",
        ));
    }
    let mut listed = Element::new("attributes");
    for field in scan.projected_schema.fields() {
        let Some(data_type) = types::name_of(field.data_type()) else {
            return Err(XmlError::unwritable(format!(
                "attribute {:?} has a type without a name",
                field.name()
            )));
        };
        let mut attribute = Element::new("attribute").saying(plain_name(field.name())?);
        if data_type != "text" {
            attribute = attribute.with("type", data_type);
        }
        listed = listed.holding(attribute);
    }
    Ok(Element::new("baseRelation").with("name", table_name(&scan.table_name)?).holding(listed))
}

fn projection(
    node: &Projection,
    distinct: &str,
    inside: impl Fn(&LogicalPlan) -> Result<Element, XmlError>,
) -> Result<Element, XmlError> {
    let mut kept = Vec::new();
    for expr in &node.expr {
        match expr {
            Expr::Column(column) => kept.push(column.clone()),
            _ => return Err(XmlError::unwritable("a projection computes or renames attributes")),
        }
    }
    let element = Element::new("projection").with("isDistinct", distinct).holding(inside(&node.input)?);
    Ok(element.holding(attributes("attributes", &kept, &node.input)?))
}

fn grouping(
    node: &Aggregate,
    inside: impl Fn(&LogicalPlan) -> Result<Element, XmlError>,
) -> Result<Element, XmlError> {
    let mut groups = Vec::new();
    for expr in &node.group_expr {
        match expr {
            Expr::Column(column) => groups.push(column.clone()),
            _ => return Err(XmlError::unwritable("a grouping is by computed values")),
        }
    }
    let mut element = Element::new("grouping").holding(inside(&node.input)?);
    element = element.holding(attributes("attributes", &groups, &node.input)?);
    let mut aggregates = Element::new("aggregates");
    for expr in &node.aggr_expr {
        aggregates = aggregates.holding(aggregate(expr, &node.input)?);
    }
    Ok(if node.aggr_expr.is_empty() { element } else { element.holding(aggregates) })
}

fn aggregate(expr: &Expr, input: &LogicalPlan) -> Result<Element, XmlError> {
    let problem =
        || XmlError::unwritable("an aggregate is more than count, sum, min, max or avg of an attribute");
    let (call, name) = match expr {
        Expr::Alias(alias) => (&*alias.expr, Some(alias.name.as_str())),
        other => (other, None),
    };
    let Expr::AggregateFunction(call) = call else { return Err(problem()) };
    let params = &call.params;
    let function = call.func.name();
    let plain = !params.distinct
        && params.filter.is_none()
        && params.order_by.is_empty()
        && params.null_treatment.is_none();
    if !plain || !["count", "sum", "min", "max", "avg"].contains(&function) {
        return Err(problem());
    }
    let mut element = Element::new("aggregate").with("function", function);
    element = match params.args.as_slice() {
        [Expr::Column(column)] => element.with("attribute", names::text(input, column)?),
        [Expr::Literal(ScalarValue::Int64(Some(1)), _)] if function == "count" => element,
        _ => return Err(problem()),
    };
    Ok(match name {
        Some(name) => element.with("as", plain_name(name)?),
        None => element,
    })
}

fn join(
    node: &Join,
    inside: impl Fn(&LogicalPlan) -> Result<Element, XmlError>,
) -> Result<Element, XmlError> {
    let sides =
        |element: Element, left: &LogicalPlan| all(element, [inside(left), inside(&node.right)].into_iter());
    if let Some(name) = set_operation(node) {
        return match &*node.left {
            LogicalPlan::Distinct(Distinct::All(input)) => {
                sides(Element::new(name).with("isDistinct", "true"), input)
            }
            left => sides(Element::new(name).with("isDistinct", "false"), left),
        };
    }
    if node.join_type != JoinType::Inner || node.null_equality != NullEquality::NullEqualsNothing {
        return Err(XmlError::unwritable("there is no element for an outer or semi join"));
    }
    if is_natural(node) {
        return sides(Element::new("naturalJoin"), &node.left);
    }
    let pairs = node.on.iter().map(|(left, right)| left.clone().eq(right.clone()));
    let element = sides(Element::new("join"), &node.left)?;
    Ok(match conjunction(pairs.chain(node.filter.clone())) {
        Some(predicate) => {
            element.holding(Element::new("condition").saying(condition::text(&predicate, &node.schema)?))
        }
        None => element,
    })
}

/// Whether the join columns are exactly those that both sides have.
fn is_natural(node: &Join) -> bool {
    let names = |pair: &(Expr, Expr)| match pair {
        (Expr::Column(left), Expr::Column(right)) if left.name == right.name => Some(left.name.clone()),
        _ => None,
    };
    let on = node.on.iter().map(names).collect::<Option<Vec<_>>>();
    node.join_constraint == JoinConstraint::Using
        && node.filter.is_none()
        && on.is_some_and(|on| !on.is_empty() && on == shared_names(&node.left, &node.right))
}

fn set_operation(node: &Join) -> Option<&'static str> {
    let name = match node.join_type {
        JoinType::LeftSemi => "intersect",
        JoinType::LeftAnti => "difference",
        _ => return None,
    };
    let at = |schema: &DFSchema, expr: &Expr| match expr {
        Expr::Column(column) => schema.maybe_index_of_column(column),
        _ => None,
    };
    let by_place = node.on.iter().enumerate().all(|(place, (left, right))| {
        at(node.left.schema(), left) == Some(place) && at(node.right.schema(), right) == Some(place)
    });
    let whole = node.on.len() == node.left.schema().fields().len() && node.filter.is_none();
    (by_place && whole && node.null_equality == NullEquality::NullEqualsNull).then_some(name)
}

fn generalization(
    node: &Generalize,
    inside: impl Fn(&LogicalPlan) -> Result<Element, XmlError>,
) -> Result<Element, XmlError> {
    let what = node.what();
    let element = promised(Element::new("generalization"), what)?.holding(inside(node.input())?);
    Ok(element.holding(attributes("generalizationAttributes", &what.quasi, node.input())?))
}

fn slicing(
    node: &Slice,
    inside: impl Fn(&LogicalPlan) -> Result<Element, XmlError>,
) -> Result<Element, XmlError> {
    let what = node.what();
    let mut element = Element::new("slicing");
    let mut classes = None;
    match &what.buckets {
        Buckets::Count(count) => element = element.with("bucketCount", count.to_string()),
        Buckets::Size(rows) => element = element.with("bucketSize", rows.to_string()),
        Buckets::By(column) => element = element.with("bucketBy", names::text(node.input(), column)?),
        Buckets::Classes(what) => {
            classes = Some(promised(attributes("bucketClasses", &what.quasi, node.input())?, what)?);
        }
    }
    element = element.with("leastRows", what.least_rows.to_string());
    if let Overlap::Allowed { least } = what.overlap {
        element = element.with("overlap", least.to_string());
    }
    element = demands::write(element, &what.demands)?.holding(inside(node.input())?);
    let mut groups = Element::new("columnGroups");
    for group in &what.groups {
        groups = groups.holding(attributes("columnGroup", group, node.input())?);
    }
    element = element.holding(groups);
    Ok(match classes {
        Some(classes) => element.holding(classes),
        None => element,
    })
}

fn randomization(
    node: &Randomize,
    inside: impl Fn(&LogicalPlan) -> Result<Element, XmlError>,
) -> Result<Element, XmlError> {
    let mut listed = Vec::new();
    for (column, own) in &node.what().noise {
        let name = names::text(node.input(), column)?;
        listed.push((name.clone(), noise::write(name, own)?));
    }
    listed.sort_by(|(left, _), (right, _)| left.cmp(right));
    let noise = all(Element::new("noiseAttributes"), listed.into_iter().map(|(_, element)| Ok(element)))?;
    Ok(Element::new("differentialPrivacy").holding(inside(node.input())?).holding(noise))
}

/// The k of a promise that is nothing else, and the metric where it is not the height. Threads and memory change no result.
fn promised(element: Element, what: &Generalization) -> Result<Element, XmlError> {
    let (k, search) = (what.promise.k(), &what.promise.search);
    let plain =
        Search { metric: search.metric, threads: search.threads, memory: search.memory, ..Search::default() };
    if *search != plain {
        return Err(XmlError::unwritable("a generalization says how it is searched for"));
    }
    let (models, suppression) = (&what.promise.models, &what.promise.suppression_limit);
    let only_k = Promise::k_anonymity_by(k, search.metric);
    if *models != only_k.models || *suppression != only_k.suppression_limit {
        return Err(XmlError::unwritable(
            "a generalization promises more than k-anonymity without suppression",
        ));
    }
    let element = element.with("k", k.to_string());
    Ok(match search.metric {
        Metric::Height => element,
        metric => element.with("metric", metric.name()),
    })
}

fn attributes(name: &str, columns: &[Column], input: &LogicalPlan) -> Result<Element, XmlError> {
    let listed =
        columns.iter().map(|column| Ok(Element::new("attribute").saying(names::text(input, column)?)));
    all(Element::new(name), listed)
}

fn plain_name(name: &str) -> Result<&str, XmlError> {
    match !name.is_empty()
        && name == name.trim()
        && !name.chars().any(char::is_control)
        && visible(name).is_ok()
    {
        true => Ok(name),
        false => Err(XmlError::unwritable("an attribute has an empty name, or one with spaces around it")),
    }
}

fn table_name(reference: &TableReference) -> Result<&str, XmlError> {
    match reference {
        TableReference::Bare { table }
            if !table.trim().is_empty() && !table.chars().any(char::is_control) && visible(table).is_ok() =>
        {
            Ok(table)
        }
        TableReference::Bare { .. } => Err(XmlError::unwritable("a relation has no name")),
        _ => Err(XmlError::unwritable("a relation is in a schema of a catalog; documents know bare names")),
    }
}
