//! Anonymization as operators of a relational algebra, on the logical plans of a SQL engine.
