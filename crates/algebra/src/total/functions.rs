//! The functions that may stand below a protecting operator. What is not here is refused.
//!
//! A function is on the list if its answer depends on its arguments alone, and is not much longer than they are. Functions that can fail
//! are marked; they give NULL instead. Left out on purpose:
//!
//! - chance and time: `random`, `uuid`, `now`, `current_date`;
//! - answers of any length: `concat` (write `||`), `repeat`, `lpad`, `rpad`, `replace`, `overlay`, `array_agg`, `string_agg`;
//! - patterns of one's own: `regexp_…`, `SIMILAR TO`, `~`;
//! - formats of one's own: `to_char`, `to_date`, `to_timestamp`;
//! - answers that depend on the order of rows: `first_value`, `last_value`, `nth_value`, `approx_…`;
//! - arrays, structs and everything that makes rows: `unnest`, `generate_series`.

/// A scalar function that may be used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function {
    /// The engine's own name for it.
    name: &'static str,
    /// Whether it may fail, or make a text longer: NULL then.
    pub(super) fails: bool,
    /// Arguments that must be written as numbers or texts, so that what they do wrong does not depend on a row.
    pub(super) constants: &'static [usize],
}

const fn plain(name: &'static str) -> Function {
    Function { name, fails: false, constants: &[] }
}

const fn partial(name: &'static str) -> Function {
    Function { name, fails: true, constants: &[] }
}

const fn fixed(name: &'static str, constants: &'static [usize]) -> Function {
    Function { name, fails: true, constants }
}

const SCALAR: &[Function] = &[
    // conditions
    plain("coalesce"),
    plain("nullif"),
    plain("nvl"),
    plain("nvl2"),
    plain("greatest"),
    plain("least"),
    // texts
    plain("lower"),
    plain("upper"),
    plain("btrim"),
    plain("ltrim"),
    plain("rtrim"),
    plain("character_length"),
    plain("octet_length"),
    plain("strpos"),
    plain("starts_with"),
    plain("ends_with"),
    plain("contains"),
    plain("reverse"),
    plain("initcap"),
    plain("ascii"),
    fixed("substr", &[1, 2]),
    fixed("left", &[1]),
    fixed("right", &[1]),
    fixed("split_part", &[1, 2]),
    // numbers
    partial("abs"),
    partial("ceil"),
    partial("floor"),
    fixed("round", &[1]),
    fixed("trunc", &[1]),
    partial("signum"),
    partial("sqrt"),
    partial("cbrt"),
    partial("exp"),
    partial("ln"),
    partial("log2"),
    partial("log10"),
    partial("log"),
    partial("power"),
    partial("sin"),
    partial("cos"),
    partial("tan"),
    partial("asin"),
    partial("acos"),
    partial("atan"),
    partial("atan2"),
    partial("degrees"),
    partial("radians"),
    plain("pi"),
    plain("isnan"),
    plain("iszero"),
    plain("nanvl"),
    // dates
    fixed("date_part", &[0]),
];

/// Aggregates whose answer does not depend on the order of the rows, and which wrap or round instead of failing. `avg` of decimals can
/// fail, and is refused where its argument is one.
const AGGREGATE: &[&str] = &[
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "stddev",
    "stddev_pop",
    "var",
    "var_pop",
    "corr",
    "covar_samp",
    "covar_pop",
    "bool_and",
    "bool_or",
];

/// Window functions that cannot fail.
const WINDOW: &[&str] = &["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "lag", "lead"];

/// What is known about a scalar function; none if it is not on the list.
pub(super) fn scalar(name: &str) -> Option<Function> {
    SCALAR.iter().find(|function| function.name == name).copied()
}

/// Whether an aggregate is on the list.
pub(super) fn is_aggregate(name: &str) -> bool {
    AGGREGATE.contains(&name)
}

/// Whether a window function is on the list.
pub(super) fn is_window(name: &str) -> bool {
    WINDOW.contains(&name)
}
