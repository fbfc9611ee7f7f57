//! Statements that join tables of people.

use super::families::{Family, quoted};
use paravent_policy::{Policy, Whose};

/// Joins that no policy allows, and the one that a policy declares.
pub(super) fn statements(policy: &Policy) -> Vec<(Family, String)> {
    let mut all = Vec::new();
    for table in &policy.tables {
        let Whose::Links(links) = &table.whose else { continue };
        let Some((_, (root, _))) = links.first_key_value() else { continue };
        let on: Vec<String> = links
            .iter()
            .map(|(own, (_, column))| format!("x.{} = y.{}", quoted(own), quoted(column)))
            .collect();
        let (on, from) = (on.join(" AND "), format!("{} x", quoted(&table.name)));
        let (root, own) = (quoted(root), quoted(links.keys().next().map_or("", String::as_str)));
        let joined = format!("SELECT count(*) FROM {from} JOIN {root} y ON {on}");
        all.push((Family::Guarded("a join along a link"), joined.clone()));
        let mut add =
            |family: &'static str, statement: String| all.push((Family::Forbidden(family), statement));
        add("rows of several people", format!("SELECT count(*) FROM {from} CROSS JOIN {root} y"));
        add(
            "rows of several people",
            format!("SELECT count(*) FROM {from} JOIN {root} y ON x.{own} <> y.{own}"),
        );
        add("rows of several people", format!("SELECT count(*) FROM {from} JOIN {root} y ON {on} OR 1 = 1"));
        add("rows multiplied", format!("SELECT count(*) FROM {from} JOIN {from}2 ON x.{own} = x2.{own}"));
        add("rows multiplied", format!("{joined} JOIN {root} z ON {}", on.replace("y.", "z.")));
        add("a join to one person", format!("{joined} AND x.{own} = '17'"));
        add("a join to one person", format!("{joined} WHERE x.{own} = '17'"));
        add(
            "a join to one person",
            format!("SELECT count(*) FROM {from} JOIN (VALUES ('17')) y(id) ON x.{own} = y.id"),
        );
        add("who has no row", format!("SELECT count(*) FROM {root} y LEFT JOIN {from} ON {on}"));
        add("who has no row", format!("SELECT count(*) FROM {root} y LEFT ANTI JOIN {from} ON {on}"));
    }
    all
}
