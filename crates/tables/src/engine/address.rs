//! Where a table lives that is not a file.

use super::TableName;
use std::fmt;
use std::path::Path;

/// `postgres://host/database#table` or `sc://host:port/;key=value#table`, taken apart. Never holds a password or a token: one in the
/// address is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What speaks there.
    pub scheme: Scheme,
    /// The role, where the address names one.
    pub user: Option<String>,
    /// Name or number of the machine, or the folder of a socket.
    pub host: String,
    /// `None`: the usual one.
    pub port: Option<u16>,
    /// The database; empty where none is named.
    pub database: String,
    /// What follows the question mark (or semicolons, with Spark).
    pub parameters: Vec<(String, String)>,
    /// The table.
    pub table: TableName,
}

/// What speaks at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `postgres://` or `postgresql://`
    Postgres,
    /// `sc://`: Spark Connect.
    Spark,
}

impl Scheme {
    /// The feature of the build that brings it.
    pub fn feature(self) -> &'static str {
        match self {
            Scheme::Postgres => "postgres",
            Scheme::Spark => "spark",
        }
    }

    /// What stands before `://`.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Postgres => "postgres",
            Scheme::Spark => "sc",
        }
    }

    fn of(text: &str) -> Option<(Scheme, &str)> {
        let known = [
            ("postgres://", Scheme::Postgres),
            ("postgresql://", Scheme::Postgres),
            ("sc://", Scheme::Spark),
        ];
        known.iter().find_map(|(prefix, scheme)| Some((*scheme, text.strip_prefix(prefix)?)))
    }
}

/// What is wrong with an address. Messages do not repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum AddressError {
    #[error("the address has no table; write it behind a #, as in postgres://host/database#patients")]
    NoTable,
    #[error("the table's name cannot be read; quote odd parts of it, as in study.\"odd.name\"")]
    Table,
    #[error("a password does not belong into an address; put it into PGPASSWORD or a pass file")]
    Password,
    #[error(
        "a token does not belong into an address; put it into SPARK_CONNECT_AUTHENTICATE_TOKEN, or into a file that SPARK_CONNECT_TOKEN_FILE names"
    )]
    Token,
    #[error("the address has no host, as in postgres://host/database or sc://host:15002")]
    Host,
    #[error(
        "parameters stand behind a slash and a semicolon, as in sc://host:15002/;user_id=ana;use_ssl=true"
    )]
    Parameters,
    #[error("the port must be a number from 1 to 65535")]
    Port,
    #[error("the address has a % that no two hexadecimal digits follow, or text that is not UTF-8")]
    Escape,
}

impl Address {
    /// Whether a path on a command line, or of a job, is an address.
    pub fn is_one(path: &Path) -> bool {
        path.to_str().and_then(Scheme::of).is_some()
    }

    /// The address in a path; `None` if it is a file.
    pub fn of_path(path: &Path) -> Option<Result<Address, AddressError>> {
        path.to_str().filter(|text| Scheme::of(text).is_some()).map(Address::parse)
    }

    /// Takes an address apart.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let (scheme, rest) = Scheme::of(text).ok_or(AddressError::Host)?;
        let (rest, table) = rest.split_once('#').ok_or(AddressError::NoTable)?;
        // In a fragment a % may be itself: names of tables are not escaped.
        let table = TableName::parse(table).ok_or(AddressError::Table)?;
        match scheme {
            Scheme::Postgres => Address::of_postgres(rest, table),
            Scheme::Spark => Address::of_spark(rest, table),
        }
    }

    /// `user@host:port/database?key=value&…`
    fn of_postgres(rest: &str, table: TableName) -> Result<Address, AddressError> {
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        if user.is_some_and(|user| user.contains(':')) {
            return Err(AddressError::Password);
        }
        let mut parameters = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (key, value) = (decoded(key)?, decoded(value)?);
            if ["password", "sslpassword", "token"].contains(&key.as_str()) {
                return Err(AddressError::Password);
            }
            parameters.push((key, value));
        }
        let (host, port) = split_port(place)?;
        let socket = parameters.iter().position(|(key, _)| key == "host").map(|at| parameters.remove(at).1);
        let host = socket.unwrap_or(host);
        if host.is_empty() {
            return Err(AddressError::Host);
        }
        let user = user.filter(|user| !user.is_empty()).map(decoded).transpose()?;
        let scheme = Scheme::Postgres;
        Ok(Address { scheme, user, host, port, database: decoded(database)?, parameters, table })
    }

    /// `host:port/;key=value;…`, as Spark Connect defines it.
    fn of_spark(rest: &str, table: TableName) -> Result<Address, AddressError> {
        let (place, rest) = rest.split_once('/').unwrap_or((rest, ""));
        if !rest.is_empty() && !rest.starts_with(';') {
            return Err(AddressError::Parameters);
        }
        let mut parameters = Vec::new();
        for pair in rest.split(';').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or(AddressError::Parameters)?;
            let (key, value) = (decoded(key)?, decoded(value)?);
            if is_secret(&key) {
                return Err(AddressError::Token);
            }
            parameters.push((key, value));
        }
        if place.contains('@') {
            return Err(AddressError::Host);
        }
        let (host, port) = split_port(place)?;
        if host.is_empty() {
            return Err(AddressError::Host);
        }
        let user = parameters.iter().position(|(key, _)| key == "user_id").map(|at| parameters.remove(at).1);
        let (scheme, database) = (Scheme::Spark, String::new());
        Ok(Address { scheme, user, host, port, database, parameters, table })
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// For messages, reports and the register: neither role nor parameters.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let port = self.port.map_or_else(String::new, |port| format!(":{port}"));
        write!(f, "{}://{host}{port}/{}#{}", self.scheme.name(), self.database, self.table)
    }
}

/// Whether the name of a parameter, which may become a header, says that its value is a secret.
fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["token", "authorization", "password", "secret", "cookie"].iter().any(|word| key.contains(word))
}

fn split_port(place: &str) -> Result<(String, Option<u16>), AddressError> {
    let number = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0).ok_or(AddressError::Port);
    if let Some(rest) = place.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or(AddressError::Host)?;
        let port = match rest.strip_prefix(':') {
            Some(port) => Some(number(port)?),
            None if rest.is_empty() => None,
            None => return Err(AddressError::Port),
        };
        return Ok((host.to_owned(), port));
    }
    match place.rsplit_once(':') {
        Some((host, port)) => Ok((decoded(host)?, Some(number(port)?))),
        None => Ok((decoded(place)?, None)),
    }
}

/// Undoes `%20` and the like.
///
/// # Errors
/// If a `%` is not followed by two hexadecimal digits, or what comes out is no text.
pub fn decoded(text: &str) -> Result<String, AddressError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        match (first, more) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).map_err(|_| AddressError::Escape)?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|_| AddressError::Escape)?);
                rest = after;
            }
            (b'%', _) => return Err(AddressError::Escape),
            (byte, more) => {
                bytes.push(byte);
                rest = more;
            }
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| AddressError::Escape)?;
    if text.contains('\0') { Err(AddressError::Escape) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let address =
            Address::parse("postgres://an%40a@db.example:5433/registry?sslmode=verify-full#study.people")
                .unwrap();
        assert_eq!(address.user.as_deref(), Some("an@a"));
        assert_eq!((address.host.as_str(), address.port), ("db.example", Some(5433)));
        assert_eq!(address.database, "registry");
        assert_eq!(address.parameter("sslmode"), Some("verify-full"));
        assert_eq!(address.table.parts(), ["study", "people"]);
        assert_eq!(address.to_string(), "postgres://db.example:5433/registry#study.people");
        let socket = Address::parse("postgresql:///registry?host=/run/postgresql#people").unwrap();
        assert_eq!((socket.host.as_str(), socket.port), ("/run/postgresql", None));
        let six = Address::parse("postgres://[::1]:5/d#t").unwrap();
        assert_eq!((six.host.as_str(), six.to_string().as_str()), ("::1", "postgres://[::1]:5/d#t"));
    }

    #[test]
    fn an_address_of_spark_connect_is_taken_apart() {
        let text = "sc://spark.example:443/;user_id=an%40a;use_ssl=true;x-cluster=7#lake.study.people";
        let address = Address::parse(text).unwrap();
        assert_eq!((address.scheme, address.port), (Scheme::Spark, Some(443)));
        assert_eq!((address.host.as_str(), address.user.as_deref()), ("spark.example", Some("an@a")));
        assert_eq!((address.parameter("use_ssl"), address.parameter("x-cluster")), (Some("true"), Some("7")));
        assert_eq!(address.to_string(), "sc://spark.example:443/#lake.study.people");
        let files = Address::parse("sc://localhost#parquet:/lake/people").unwrap();
        assert_eq!(files.to_string(), "sc://localhost/#parquet:/lake/people");
    }

    #[test]
    fn what_is_wrong_is_told_without_the_address() {
        for (text, expected) in [
            ("postgres://ana:secret@h/d#t", AddressError::Password),
            ("postgres://h/d?password=secret#t", AddressError::Password),
            ("postgres://h/d", AddressError::NoTable),
            ("postgres://h/d#", AddressError::Table),
            ("postgres:///d#t", AddressError::Host),
            ("postgres://h:0/d#t", AddressError::Port),
            ("postgres://h/%zz#t", AddressError::Escape),
            ("sc://h:1/;token=secret#t", AddressError::Token),
            ("sc://h/;x-access-Token=secret#t", AddressError::Token),
            ("sc://ana:secret@h#t", AddressError::Host),
            ("sc://h/secret#t", AddressError::Parameters),
            ("sc://h/;use_ssl#t", AddressError::Parameters),
            ("sc:///;use_ssl=true#t", AddressError::Host),
        ] {
            let error = Address::parse(text).unwrap_err();
            assert_eq!(error, expected, "{text}");
            assert!(!error.to_string().contains("secret"));
        }
        assert!(!Address::is_one("patients.csv".as_ref()));
    }
}
