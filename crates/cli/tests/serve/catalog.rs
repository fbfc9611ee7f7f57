//! What tools can see.

use crate::place::{Place, has_clients};

#[test]
fn psql_describes_what_may_be_asked_about_and_nothing_else() {
    if !has_clients() {
        return;
    }
    let place = Place::new();
    let told = place.psql("ada", "\\d\n\\dt\n\\d patients\n\\dn\n\\l\n\\du\n\\dt+\n\\conninfo\n");
    assert!(!told.err.contains("ERROR"), "{}", told.err);
    for column in ["age", "sex", "zip", "diagnosis", "salary"] {
        assert!(told.out.contains(&format!("{column}|")), "{column}: {}", told.out);
    }
    // Denied columns and those of the person, other users, figures about rows.
    let lines: Vec<&str> = told.out.lines().collect();
    assert!(
        !lines.iter().any(|line| line.starts_with("name|")
            || line.starts_with("id|")
            || line.starts_with("admitted|")),
        "{}",
        told.out
    );
    assert!(!told.out.contains("bob"), "{}", told.out);
    // For the gait study there is no rule about diagnoses.
    let gait = place.psql_as(
        &place.connection("ada", "options='-c paravent.purpose=gait-study'"),
        crate::place::PASSWORD,
        "\\d patients\n",
    );
    assert!(gait.out.contains("age|") && !gait.out.contains("diagnosis"), "{}", gait.out);
    assert!(!place.path("state").exists());
}

#[test]
fn statements_on_the_catalog_reach_no_table_of_people() {
    if !has_clients() {
        return;
    }
    let place = Place::new();
    let told = place.psql(
        "ada",
        "SELECT c.relname, p.name FROM pg_catalog.pg_class c, patients p;\n\
         SELECT (SELECT name FROM patients LIMIT 1) FROM pg_catalog.pg_class;\n\
         SELECT count(*) FROM pg_class a, pg_class b, pg_type c, pg_type d, pg_type e, pg_type f, pg_type g, pg_type h;\n\
         SELECT repeat('x', 1000000000);\n\
         SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' ~ '(a+)+$';\n\
         SELECT pg_read_file('/etc/passwd');\n\
         SELECT * FROM pg_authid;\n",
    );
    for code in ["42P01", "54001", "42883"] {
        assert!(told.err.contains(code), "{code}: {}", told.err);
    }
    assert_eq!(told.out, "f\n", "{}", told.out);
    assert!(!place.path("state").exists());
}
