//! What tools ask of a database before they ask a question: its tables, columns and types.
//!
//! All of it is made from the policy, for one recipient and purpose: tables and columns that may be used in some way, and no figure about rows.
//! Statements on it are interpreted here, over these few lists. There is no way from here to a file, a table of people or the SQL engine.

mod expression;
mod from;
mod function;
mod kind;
mod pattern;
mod select;
mod tables;
mod value;

use crate::answer::{Column, Rows};
use crate::fault::Fault;
use paravent_job::Job;
use paravent_policy::{Asker, Policy};
use select::Interpreter;
use sqlparser::ast::Query;
use std::collections::BTreeMap;
use tables::Relation;
use value::Value;

/// Which PostgreSQL tools should take this for: what they ask of the catalog depends on it.
pub(crate) const SERVER_VERSION: &str = "15.0 (Paravent)";

/// The lists of one recipient.
pub(crate) struct Catalog {
    relations: BTreeMap<String, Relation>,
    user: String,
    database: String,
}

impl Catalog {
    /// What the asker may know; without one, that there is nothing.
    pub(crate) fn of(
        policy: &Policy,
        asker: Option<&Asker<'_>>,
        jobs: &BTreeMap<String, Job>,
        user: &str,
        annotation: Option<&serde_json::Value>,
    ) -> Catalog {
        let visible = asker.map(|asker| tables::visible(policy, asker, jobs)).unwrap_or_default();
        let mut relations = tables::relations(&visible, user, &policy.name);
        let told = annotation.map(|annotation| vec![Value::Text(annotation.to_string())]);
        relations.insert(
            "paravent.annotation".to_owned(),
            Relation::closed(&[("annotation", crate::answer::oid::JSON)], told.into_iter().collect()),
        );
        Catalog { relations, user: user.to_owned(), database: policy.name.clone() }
    }

    /// With the cursors of the connection.
    pub(crate) fn with_cursors(mut self, names: &[String]) -> Catalog {
        let rows = names.iter().map(|name| vec![Value::Text(name.clone())]).collect();
        let columns = [("name", crate::answer::oid::TEXT)];
        self.relations.insert("pg_catalog.pg_cursors".to_owned(), Relation::open(&columns, rows));
        self
    }

    /// Answers a query over the lists.
    pub(crate) fn answer(&self, query: &Query, parameters: &[Option<String>]) -> Result<Rows, Fault> {
        let relation = Interpreter::new(self, parameters).query(query, None)?;
        let columns = relation.columns.into_iter().map(|(name, oid)| Column { name, oid }).collect();
        let rows = relation.rows.iter().map(|row| row.iter().map(Value::text).collect()).collect();
        Ok(Rows { columns, rows })
    }

    fn relation(&self, name: &str) -> Result<&Relation, Fault> {
        let found = match name.contains('.') {
            true => self.relations.get(name),
            false => self.relations.get(&format!("pg_catalog.{name}")),
        };
        // The name is the client's own word.
        found.ok_or_else(|| Fault::new("42P01", "there is no such table in the catalog"))
    }

    /// The number of a table that is visible.
    fn class(&self, name: &str) -> Option<i64> {
        self.named("pg_catalog.pg_class", "relname", name)
    }

    fn named(&self, relation: &str, column: &str, name: &str) -> Option<i64> {
        let relation = self.relations.get(relation)?;
        let (oid, own) = (relation.place("oid")?, relation.place(column)?);
        let row = relation.rows.iter().find(|row| row[own] == Value::Text(name.to_owned()))?;
        row[oid].number()
    }

    fn name_of(&self, relation: &str, column: &str, oid: i64) -> Option<String> {
        let relation = self.relations.get(relation)?;
        let (number, own) = (relation.place("oid")?, relation.place(column)?);
        relation.rows.iter().find(|row| row[number] == Value::Int(oid))?[own].text()
    }
}

/// Settings that tools ask for.
pub(crate) fn setting(name: &str) -> Option<&'static str> {
    Some(match name {
        "server_version" => SERVER_VERSION,
        "server_version_num" => "150000",
        "server_encoding" | "client_encoding" => "UTF8",
        "standard_conforming_strings"
        | "integer_datetimes"
        | "default_transaction_read_only"
        | "transaction_read_only" => "on",
        "transaction_isolation" | "default_transaction_isolation" => "read committed",
        "datestyle" => "ISO, YMD",
        "intervalstyle" => "postgres",
        "timezone" => "UTC",
        "search_path" => "\"$user\", public",
        "max_identifier_length" => "63",
        "lc_collate" | "lc_ctype" => "C",
        "bytea_output" => "hex",
        "is_superuser" => "off",
        "extra_float_digits" => "1",
        "max_index_keys" => "32",
        "lc_monetary" | "lc_messages" => "C",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
