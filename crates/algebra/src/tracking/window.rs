//! Windows: over the rows of one person each.

use super::people::bare;
use super::relation::Tracker;
use super::{Mixed, People, Unit};
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, Window, WindowFrameBound, WindowFrameUnits, WindowFunctionDefinition,
};
use std::sync::Arc;

/// Aggregates whose value over a whole frame does not depend on the order of equal rows. A sum does in its last digit, where the numbers are
/// floating-point ones.
const AGGREGATES: &[&str] = &["count", "sum", "min", "max"];
/// Equal rows have equal ranks.
const RANKS: &[&str] = &["rank", "dense_rank"];

impl Tracker<'_> {
    pub(super) fn windowed(&mut self, window: &Window) -> Result<People, Mixed> {
        let people = self.of_people(&window.input, "a window function")?;
        let Unit::Columns(person) = self.unit else {
            return Err(Mixed::new(
                "a window function",
                "every row is a person here, and a window sees several; let the job say whose rows they are: [privacy] person",
            ));
        };
        let mut expressions = Vec::new();
        for expr in &window.window_expr {
            let Expr::WindowFunction(function) = bare(expr) else {
                return Err(Mixed::new("a window of this kind", "nobody knows which rows it sees"));
            };
            if !people.all_among(&function.params.partition_by) {
                return Err(Mixed::new(
                    "a window over several people (OVER without PARTITION BY the person)",
                    format!("its value depends on all of them; PARTITION BY {}", person.columns().join(", ")),
                ));
            }
            expressions.push(decided(function, expr, &people)?);
        }
        let shown = window.schema.columns();
        let windowed = Window::try_new(expressions, Arc::new(people.plan.clone()))?;
        people.over(LogicalPlan::Window(windowed), shown)
    }
}

/// The window function with nothing left to chance. The engine puts equal rows in any order, which may change with other people's rows: so
/// either equal rows get equal values, or all columns decide among them.
fn decided(function: &WindowFunction, expr: &Expr, people: &People) -> Result<Expr, Mixed> {
    let name = function.fun.name().to_owned();
    let frame = &function.params.window_frame;
    let whole = matches!(&frame.start_bound, WindowFrameBound::Preceding(by) if by.is_null())
        && match &frame.end_bound {
            WindowFrameBound::Following(by) => by.is_null(),
            WindowFrameBound::CurrentRow => frame.units == WindowFrameUnits::Range,
            WindowFrameBound::Preceding(_) => false,
        };
    let aggregate = matches!(function.fun, WindowFunctionDefinition::AggregateUDF(_));
    match aggregate {
        true if name == "sum" && floating(&function.params.args, people)? => Err(Mixed::new(
            "sum() OVER of floating-point numbers",
            "its last digit depends on the order of the rows; CAST the column to DECIMAL(20, 4)",
        )),
        true if AGGREGATES.contains(&name.as_str()) && whole && !function.params.distinct => Ok(expr.clone()),
        false if RANKS.contains(&name.as_str()) => Ok(expr.clone()),
        false if name == "row_number" => {
            let mut ordered = function.clone();
            let columns = people.plan.schema().columns().into_iter();
            ordered.params.order_by.extend(columns.map(|column| Expr::Column(column).sort(true, false)));
            let (qualifier, name) = expr.qualified_name();
            Ok(Expr::WindowFunction(Box::new(ordered)).alias_qualified(qualifier, name))
        }
        _ => Err(Mixed::new(
            format!("{name}() OVER with this frame"),
            "its value depends on the order of equal rows; possible are count, sum, min, max over whole frames, rank, dense_rank and row_number",
        )),
    }
}

fn floating(args: &[Expr], people: &People) -> Result<bool, Mixed> {
    for value in args {
        if value.get_type(people.plan.schema().as_ref())?.is_floating() {
            return Ok(true);
        }
    }
    Ok(false)
}
