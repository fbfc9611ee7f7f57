//! One connection, from its first byte to its last.
//!
//! A session exists only behind a right proof of the password: there is no state in which a statement is run for somebody who is not logged in.

use crate::answer::{self, Column, Formats, Rows};
use crate::fault::Fault;
use crate::limits::{LOGIN, STRANGER, WRONG_PASSWORD};
use crate::negotiation::{Unopened, Wish, open};
use crate::parameters;
use crate::prepared::{Begun, Ending, Life, Portal, Statement};
use crate::scram::{self, Verifier};
use crate::session::{Outcome, Session, Transaction};
use crate::shared::Shared;
use crate::statement;
use crate::users::Found;
use crate::wire::{Wire, is_whole_login};
use pgwire::messages::data::{NoData, ParameterDescription};
use pgwire::messages::extendedquery::{
    Bind, BindComplete, CloseComplete, Execute, Parse, ParseComplete, PortalSuspended,
    TARGET_TYPE_BYTE_PORTAL, TARGET_TYPE_BYTE_STATEMENT,
};
use pgwire::messages::response::{
    CommandComplete, EmptyQueryResponse, NoticeResponse, ReadyForQuery, TransactionStatus,
};
use pgwire::messages::startup::{
    Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, PasswordMessageFamily,
    SecretKey, Startup,
};
use pgwire::messages::{PgWireBackendMessage as Out, PgWireFrontendMessage as In};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};

/// Why a connection ends.
enum End {
    /// The client wants it, or is gone.
    Gone,
    /// To be told.
    Told(Fault),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> End {
        End::Gone
    }
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        End::Told(fault)
    }
}

/// Serves a client until one of both hangs up.
pub(crate) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let Ok(opened) = tokio::time::timeout(LOGIN, open(stream, shared.tls.as_ref())).await else { return };
    let (stream, startup) = match opened {
        Ok((stream, Wish::Start(startup))) => (stream, startup),
        Ok((_, Wish::Cancel(cancel))) => return shared.cancel(cancel.pid, &cancel.secret_key),
        Err(Unopened::Told(stream, fault)) => return end(Wire::new(stream), &fault).await,
        Err(Unopened::Gone) => return,
    };
    let mut wire = Wire::new(stream);
    match talk(&mut wire, startup, &shared).await {
        Ok(()) | Err(End::Gone) => wire.close().await,
        Err(End::Told(fault)) => end(wire, &fault).await,
    }
}

/// Tells a client why nobody talks to it, behind the encryption that it asked for: an error before that is not believed by clients.
pub(crate) async fn refuse(stream: TcpStream, shared: &Shared, fault: &Fault) {
    match open(stream, shared.tls.as_ref()).await {
        Ok((stream, Wish::Start(_))) => end(Wire::new(stream), fault).await,
        Ok((_, Wish::Cancel(cancel))) => shared.cancel(cancel.pid, &cancel.secret_key),
        Err(Unopened::Told(stream, fault)) => end(Wire::new(stream), &fault).await,
        Err(Unopened::Gone) => {}
    }
}

async fn end(mut wire: Wire, fault: &Fault) {
    let fault = Fault { is_fatal: true, ..fault.clone() };
    let _ = wire.put(Out::ErrorResponse(fault.response())).await;
    wire.close().await;
}

async fn talk(wire: &mut Wire, startup: Startup, shared: &Arc<Shared>) -> Result<(), End> {
    let Ok(user) = tokio::time::timeout(LOGIN, log_in(wire, &startup, shared)).await else {
        return Err(Fault::fatal("57014", "logging in takes too long").into());
    };
    let user = user?;
    let cancelled = Arc::new(Notify::new());
    let registered = shared.register(Arc::clone(&cancelled)).ok_or(End::Gone)?;
    let name = user.user.name.clone();
    let mut session = Session::new(Arc::clone(shared), user, cancelled);
    if let Some(purpose) = wished_purpose(&startup.parameters) {
        session.set_purpose(&purpose)?;
    }
    wire.put(Out::Authentication(Authentication::Ok)).await?;
    let application = startup.parameters.get("application_name").cloned().unwrap_or_default();
    for (key, value) in [
        ("server_version", crate::catalog::SERVER_VERSION),
        ("server_encoding", "UTF8"),
        ("client_encoding", "UTF8"),
        ("DateStyle", "ISO, YMD"),
        ("IntervalStyle", "postgres"),
        ("TimeZone", "UTC"),
        ("integer_datetimes", "on"),
        ("standard_conforming_strings", "on"),
        ("is_superuser", "off"),
        ("default_transaction_read_only", "on"),
        ("session_authorization", &name),
        ("application_name", &application),
    ] {
        wire.put(Out::ParameterStatus(ParameterStatus::new(key.to_owned(), value.to_owned()))).await?;
    }
    wire.put(Out::BackendKeyData(BackendKeyData::new(registered.pid, SecretKey::I32(registered.secret))))
        .await?;
    ready(wire, &session).await?;
    let mut stop = shared.stopping.subscribe();
    // Behind an error, messages of the extended protocol are passed over until the client begins anew.
    let mut skips = false;
    loop {
        let most = shared.limits.statement + 64;
        let message = tokio::select! {
            biased;
            () = stopped(&mut stop) => return Err(Fault::fatal("57P01", "the server is stopping").into()),
            message = tokio::time::timeout(shared.limits.idle, wire.next(most)) => message,
        };
        let Ok(message) = message else {
            return Err(Fault::fatal("57P05", "the connection was silent for too long").into());
        };
        let Some(message) = message? else { return Err(End::Gone) };
        if skips && !matches!(message, In::Sync(_) | In::Terminate(_)) {
            continue;
        }
        let is_simple = matches!(message, In::Query(_));
        match dispatch(wire, &mut session, message).await {
            Ok(()) => skips = false,
            Err(End::Told(fault)) if !fault.is_fatal => {
                if session.transaction == Transaction::Open {
                    session.transaction = Transaction::Failed;
                }
                wire.put(Out::ErrorResponse(fault.response())).await?;
                match is_simple {
                    true => ready(wire, &session).await?,
                    false => skips = true,
                }
                wire.flush().await?;
            }
            Err(end) => return Err(end),
        }
    }
}

/// Waits until the server stops.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// The user behind a right proof.
async fn log_in(wire: &mut Wire, startup: &Startup, shared: &Shared) -> Result<Found, End> {
    let strange = || Fault::fatal("08P01", "this is no message of a login");
    let options: Vec<String> =
        startup.parameters.keys().filter(|key| key.starts_with("_pq_.")).cloned().collect();
    if startup.protocol_number_minor > 0 || !options.is_empty() {
        wire.put(Out::NegotiateProtocolVersion(NegotiateProtocolVersion::new(
            Startup::PROTOCOL_VERSION_3_0,
            options,
        )))
        .await?;
    }
    let name = startup.parameters.get("user").cloned().unwrap_or_default();
    let known = shared.users.find(&name).map_err(|error| {
        (shared.log)(&error.to_string());
        Fault::fatal("28000", "nobody can log in; the owner finds why in the log")
    })?;
    let known = known.filter(|found| shared.policy.recipients.iter().any(|one| one.role == found.user.role));
    let verifier = match &known {
        Some(found) => found.verifier.clone(),
        // Whether a name exists does not show.
        None => Verifier::of_nobody(&shared.secret, &name),
    };
    wire.put(Out::Authentication(Authentication::SASL(vec!["SCRAM-SHA-256".to_owned()]))).await?;
    wire.flush().await?;
    let first = login_message(wire).await?;
    let PasswordMessageFamily::Raw(body) = &first else { return Err(strange().into()) };
    if !is_whole_login(body) {
        return Err(strange().into());
    }
    let first = first.into_sasl_initial_response().map_err(|_| strange())?;
    if first.auth_method != "SCRAM-SHA-256" {
        return Err(strange().into());
    }
    let mut fresh = [0; 18];
    getrandom::fill(&mut fresh).map_err(|_| Fault::fatal("XX000", "the system gives no random numbers"))?;
    let reply = scram::first(&first.data.unwrap_or_default(), verifier, &fresh).ok_or_else(strange)?;
    wire.put(Out::Authentication(Authentication::SASLContinue(reply.message.clone().into()))).await?;
    wire.flush().await?;
    let last = login_message(wire).await?.into_sasl_response().map_err(|_| strange())?;
    match (reply.last(&last.data), known) {
        (Some(signature), Some(found)) => {
            wire.put(Out::Authentication(Authentication::SASLFinal(signature.into()))).await?;
            Ok(found)
        }
        _ => {
            tokio::time::sleep(WRONG_PASSWORD).await;
            Err(Fault::fatal("28P01", "name or password is wrong").into())
        }
    }
}

async fn login_message(wire: &mut Wire) -> Result<PasswordMessageFamily, End> {
    match wire.next(STRANGER).await? {
        Some(In::PasswordMessageFamily(message)) => Ok(message),
        Some(_) => Err(Fault::fatal("08P01", "this is no message of a login").into()),
        None => Err(End::Gone),
    }
}

/// `options=-c paravent.purpose=statistics`, or the parameter itself.
fn wished_purpose(parameters: &BTreeMap<String, String>) -> Option<String> {
    if let Some(purpose) = parameters.get("paravent.purpose") {
        return Some(purpose.clone());
    }
    let options = parameters.get("options")?;
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let setting =
            if word == "-c" { words.next()? } else { word.trim_start_matches("--").trim_start_matches("-c") };
        if let Some(purpose) = setting.strip_prefix("paravent.purpose=") {
            return Some(purpose.to_owned());
        }
    }
    None
}

async fn ready(wire: &mut Wire, session: &Session) -> Result<(), End> {
    let status = match session.transaction {
        Transaction::None => TransactionStatus::Idle,
        Transaction::Open => TransactionStatus::Transaction,
        Transaction::Failed => TransactionStatus::Error,
    };
    wire.put(Out::ReadyForQuery(ReadyForQuery::new(status))).await?;
    Ok(wire.flush().await?)
}

async fn dispatch(wire: &mut Wire, session: &mut Session, message: In) -> Result<(), End> {
    match message {
        In::Query(query) => {
            simple(wire, session, &query.query).await?;
            ready(wire, session).await
        }
        In::Parse(Parse { name, query, type_oids, .. }) => {
            statement::checked(&query)?;
            session.prepared.put(name, Statement { sql: query, types: type_oids })?;
            Ok(wire.put(Out::ParseComplete(ParseComplete::new())).await?)
        }
        In::Bind(bind) => {
            let (name, portal) = portal(session, bind)?;
            session.prepared.bind(name, portal)?;
            Ok(wire.put(Out::BindComplete(BindComplete::new())).await?)
        }
        In::Describe(describe) if describe.target_type == TARGET_TYPE_BYTE_STATEMENT => {
            describe_statement(wire, session, describe.name.as_deref()).await
        }
        In::Describe(describe) if describe.target_type == TARGET_TYPE_BYTE_PORTAL => {
            let portal = session.prepared.portal(describe.name.as_deref())?;
            let (sql, parameters, formats) =
                (portal.sql.clone(), portal.parameters.clone(), portal.formats.clone());
            let known = portal.begun.as_ref().map(|begun| begun.rows.columns.clone());
            let columns = match known {
                Some(columns) => Some(columns),
                None => session.describe(&sql, &parameters)?,
            };
            described(wire, columns.as_deref(), &formats).await
        }
        In::Execute(execute) => executed(wire, session, execute).await,
        In::Close(close) => {
            match close.target_type {
                TARGET_TYPE_BYTE_STATEMENT => session.prepared.close_statement(close.name.as_deref()),
                _ => session.prepared.close_portal(close.name.as_deref()),
            }
            Ok(wire.put(Out::CloseComplete(CloseComplete::new())).await?)
        }
        In::Flush(_) => Ok(wire.flush().await?),
        In::Sync(_) => {
            if session.transaction == Transaction::None {
                session.prepared.end_transaction(Ending::Commit);
            }
            ready(wire, session).await
        }
        In::Terminate(_) => Err(End::Gone),
        _ => Err(Fault::fatal("08P01", "a message that is not expected here").into()),
    }
}

fn is_empty(sql: &str) -> bool {
    sql.chars().all(|c| c == ';' || c.is_whitespace())
}

async fn simple(wire: &mut Wire, session: &mut Session, sql: &str) -> Result<(), End> {
    if is_empty(sql) {
        return Ok(wire.put(Out::EmptyQueryResponse(EmptyQueryResponse::new())).await?);
    }
    let formats = Formats::default();
    for outcome in session.run(sql, &[]).await? {
        let (rows, said, verb) = match outcome {
            Outcome::Rows(rows, said) => (rows, said, "SELECT"),
            Outcome::Fetched(rows) => (rows, None, "FETCH"),
            Outcome::Declared(said) => {
                notice(wire, said).await?;
                complete(wire, "DECLARE CURSOR").await?;
                continue;
            }
            Outcome::Done(tag) => {
                complete(wire, tag).await?;
                continue;
            }
        };
        notice(wire, said).await?;
        wire.put(Out::RowDescription(answer::description(&rows.columns, &formats))).await?;
        send(wire, &rows, 0..rows.rows.len(), &formats).await?;
        complete(wire, &format!("{verb} {}", rows.rows.len())).await?;
    }
    Ok(())
}

fn portal(session: &Session, bind: Bind) -> Result<(Option<String>, Portal), Fault> {
    let statement = session.prepared.statement(bind.statement_name.as_deref())?;
    let wanted = statement::parameters(&statement.sql);
    if bind.parameters.len() != wanted {
        let message =
            format!("the statement has {wanted} parameters, and {} were sent", bind.parameters.len());
        return Err(Fault::new("08P01", message));
    }
    let formats = Formats(bind.parameter_format_codes);
    let parameters = parameters::texts(&bind.parameters, &formats, &statement.types)?;
    let formats = Formats(bind.result_column_format_codes);
    let (sql, life) = (statement.sql.clone(), Life::Transaction);
    Ok((bind.portal_name, Portal { sql, parameters, formats, begun: None, life }))
}

/// Parameters are texts unless the client says otherwise.
async fn describe_statement(wire: &mut Wire, session: &mut Session, name: Option<&str>) -> Result<(), End> {
    let Statement { sql, types } = session.prepared.statement(name)?.clone();
    let count = statement::parameters(&sql);
    let known = (0..count).map(|place| types.get(place).copied().filter(|kind| *kind != 0));
    let types = known.map(|kind| kind.unwrap_or(answer::oid::TEXT)).collect();
    let columns = session.describe_unbound(&sql, count)?;
    wire.put(Out::ParameterDescription(ParameterDescription::new(types))).await?;
    described(wire, columns.as_deref(), &Formats::default()).await
}

async fn described(wire: &mut Wire, columns: Option<&[Column]>, formats: &Formats) -> Result<(), End> {
    match columns {
        Some(columns) => wire.put(Out::RowDescription(answer::description(columns, formats))).await?,
        None => wire.put(Out::NoData(NoData::new())).await?,
    }
    Ok(())
}

async fn executed(wire: &mut Wire, session: &mut Session, execute: Execute) -> Result<(), End> {
    let name = execute.name.as_deref();
    let portal = session.prepared.portal(name)?;
    let formats = portal.formats.clone();
    let Begun { rows, sent: begin, verb } = match portal.begun.take() {
        Some(begun) => begun,
        None => {
            let (sql, parameters) = (portal.sql.clone(), portal.parameters.clone());
            if is_empty(&sql) {
                return Ok(wire.put(Out::EmptyQueryResponse(EmptyQueryResponse::new())).await?);
            }
            match session.run(&sql, &parameters).await?.pop() {
                Some(Outcome::Rows(rows, said)) => {
                    notice(wire, said).await?;
                    Begun { rows, sent: 0, verb: "SELECT" }
                }
                Some(Outcome::Fetched(rows)) => Begun { rows, sent: 0, verb: "FETCH" },
                Some(Outcome::Declared(said)) => {
                    notice(wire, said).await?;
                    return complete(wire, "DECLARE CURSOR").await;
                }
                Some(Outcome::Done(tag)) => return complete(wire, tag).await,
                None => return Ok(wire.put(Out::EmptyQueryResponse(EmptyQueryResponse::new())).await?),
            }
        }
    };
    let most = usize::try_from(execute.max_rows).unwrap_or(0);
    let end = match most {
        0 => rows.rows.len(),
        most => rows.rows.len().min(begin + most),
    };
    send(wire, &rows, begin..end, &formats).await?;
    if let Ok(portal) = session.prepared.portal(name) {
        portal.begun = Some(Begun { rows, sent: end, verb });
    }
    if most > 0 && end - begin == most {
        return Ok(wire.put(Out::PortalSuspended(PortalSuspended::new())).await?);
    }
    complete(wire, &format!("{verb} {}", end - begin)).await
}

async fn send(
    wire: &mut Wire,
    rows: &Rows,
    which: std::ops::Range<usize>,
    formats: &Formats,
) -> Result<(), End> {
    for cells in &rows.rows[which] {
        wire.put(Out::DataRow(answer::row(&rows.columns, cells, formats)?)).await?;
    }
    Ok(())
}

async fn complete(wire: &mut Wire, tag: &str) -> Result<(), End> {
    Ok(wire.put(Out::CommandComplete(CommandComplete::new(tag.to_owned()))).await?)
}

async fn notice(wire: &mut Wire, said: Option<String>) -> Result<(), End> {
    let Some(said) = said else { return Ok(()) };
    let fields = vec![
        (b'S', "NOTICE".to_owned()),
        (b'V', "NOTICE".to_owned()),
        (b'C', "00000".to_owned()),
        (b'M', said),
    ];
    Ok(wire.put(Out::NoticeResponse(NoticeResponse::new(fields))).await?)
}
