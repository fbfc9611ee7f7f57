//! The addresses below `/api/v1`.

use crate::fault::Fault;
use crate::runs::Run;
use crate::shared::Shared;
use crate::wire::{
    JobView, MetricView, ModelKey, ModelView, PatchJob, PutJob, RunRequest, RunState, RunView, SessionView,
    Started,
};
use crate::{upload, work};
use axum::Json;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::stream;
use paravent_core::quality::Metric;
use paravent_job::models::ModelName;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

type App = State<Arc<Shared>>;
type Answer<T> = Result<Json<T>, Fault>;
type Told<T> = Result<Json<T>, JsonRejection>;

/// Time between two lines of a progress stream, at least.
const BREATH: Duration = Duration::from_millis(80);

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/session", get(session))
        .route("/models", get(models))
        .route("/metrics", get(metrics))
        .route("/data", axum::routing::put(data).delete(no_data))
        .route("/demo", post(demo))
        .route("/job", get(job).put(put_job).patch(patch_job))
        .route("/job/undo", post(undo))
        .route("/job/redo", post(redo))
        .route("/hierarchies/{name}", axum::routing::put(hierarchy_file))
        .route("/key", post(key))
        .route("/runs", post(start))
        .route("/runs/{id}", get(run).delete(stop))
        .route("/runs/{id}/events", get(events))
        .route("/release/{name}", get(release_file))
        .route("/register/withdraw", post(withdraw))
        .fallback(|| async { Fault::absent("there is no such address") })
}

/// What cannot be read is told without a word of what was sent.
fn body<T>(told: Told<T>) -> Result<T, Fault> {
    told.map(|Json(value)| value).map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Fault::too_large("the body of a request may have at most 1 MiB"),
        _ => Fault::request("the request is not written as this version of the page writes it"),
    })
}

async fn session(State(shared): App) -> Json<SessionView> {
    Json(shared.project.session(shared.data_limit))
}

async fn models() -> Json<Vec<ModelView>> {
    let view = |name: &ModelName| {
        let card = name.card();
        let keys =
            card.keys.iter().map(|key| ModelKey { name: key.name, says: key.says, example: key.example });
        ModelView {
            name: card.name,
            title: card.title,
            statement: card.statement,
            meaning: card.meaning,
            source: card.source,
            keys: keys.collect(),
        }
    };
    Json(ModelName::ALL.iter().map(view).collect())
}

async fn metrics() -> Json<Vec<MetricView>> {
    let view = |metric: Metric| {
        let card = metric.card();
        MetricView { name: card.name, title: card.title, meaning: card.meaning }
    };
    Json(Metric::ALL.into_iter().map(view).collect())
}

async fn data(State(shared): App, request: Request) -> Answer<SessionView> {
    let (parts, body) = request.into_parts();
    upload::receive(&shared.project, &parts.headers, body, shared.data_limit).await?;
    Ok(Json(shared.project.session(shared.data_limit)))
}

async fn no_data(State(shared): App) -> Json<SessionView> {
    shared.project.forget_data();
    Json(shared.project.session(shared.data_limit))
}

async fn demo(State(shared): App) -> Answer<SessionView> {
    paravent_pipeline::demo::write(shared.project.folder()).map_err(|error| {
        Fault::input_output(error.to_string()).advise("Begin with an empty folder: paravent ui --project DIR")
    })?;
    shared.project.forget_data();
    Ok(Json(shared.project.session(shared.data_limit)))
}

async fn job(State(shared): App) -> Json<JobView> {
    Json(shared.project.view())
}

async fn put_job(State(shared): App, told: Told<PutJob>) -> Answer<JobView> {
    let PutJob { text, digest } = body(told)?;
    shared.project.put(text, digest.as_deref()).map(Json)
}

async fn patch_job(State(shared): App, told: Told<PatchJob>) -> Answer<JobView> {
    let PatchJob { changes, digest } = body(told)?;
    shared.project.patch(&changes, digest.as_deref()).map(Json)
}

async fn undo(State(shared): App) -> Answer<JobView> {
    shared.project.step(true).map(Json)
}

async fn redo(State(shared): App) -> Answer<JobView> {
    shared.project.step(false).map(Json)
}

/// A hierarchy file that was dropped goes into the project's folder of hierarchies; the answer is the path to write into the job.
async fn hierarchy_file(State(shared): App, Path(name): Path<String>, content: Bytes) -> Answer<String> {
    work::import_hierarchy(&shared.project, &name, &content).map(Json)
}

async fn key(State(shared): App) -> Answer<SessionView> {
    paravent_pipeline::release::generate(&shared.project.key_file())?;
    Ok(Json(shared.project.session(shared.data_limit)))
}

async fn start(State(shared): App, told: Told<RunRequest>) -> Result<(StatusCode, Json<Started>), Fault> {
    let request = body(told)?;
    let project = shared.project.clone();
    let run = shared.runs.start(work::kind(&request), move |run| work::run(&project, &request, run))?;
    Ok((StatusCode::ACCEPTED, Json(Started { id: run.id() })))
}

fn found(shared: &Shared, id: u64) -> Result<Arc<Run>, Fault> {
    shared.runs.get(id).ok_or_else(|| Fault::absent("there is no such run"))
}

async fn run(State(shared): App, Path(id): Path<u64>) -> Answer<RunView> {
    Ok(Json(found(&shared, id)?.view()))
}

async fn stop(State(shared): App, Path(id): Path<u64>) -> Answer<RunView> {
    let run = found(&shared, id)?;
    run.stop();
    Ok(Json(run.view()))
}

/// A line of JSON for every change, until the run has ended.
async fn events(State(shared): App, Path(id): Path<u64>) -> Result<Response, Fault> {
    let run = found(&shared, id)?;
    let listener = run.listen();
    let lines = stream::unfold(Some((run, listener, 0usize, false)), |going_on| async {
        let (run, mut listener, mut from, waits) = going_on?;
        if waits {
            // Many changes are told together; the end is told at once.
            let _ = tokio::time::timeout(BREATH, run.wait()).await;
            // Silence is no end: the page sees that somebody is there.
            let _ = tokio::time::timeout(Duration::from_secs(5), listener.changed()).await;
        }
        listener.mark_unchanged();
        let event = run.event(from);
        from += event.points.len();
        let mut line = serde_json::to_vec(&event).unwrap_or_default();
        line.push(b'\n');
        let next = (event.run.state == RunState::Running).then_some((run, listener, from, true));
        Some((Ok::<_, Infallible>(Bytes::from(line)), next))
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response())
}

async fn release_file(State(shared): App, Path(name): Path<String>) -> Result<Response, Fault> {
    let path = work::release_file(&shared.project, &name)?;
    let content = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
    let content =
        content.map_err(|_| Fault::internal())?.map_err(|error| Fault::input_output(error.to_string()))?;
    let kind = "application/octet-stream";
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, "attachment")], content).into_response())
}

/// Which release is withdrawn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Withdraw {
    sequence: u64,
    reason: Option<String>,
}

async fn withdraw(State(shared): App, told: Told<Withdraw>) -> Result<StatusCode, Fault> {
    let Withdraw { sequence, reason } = body(told)?;
    work::withdraw(&shared.project, sequence, reason)?;
    Ok(StatusCode::NO_CONTENT)
}
