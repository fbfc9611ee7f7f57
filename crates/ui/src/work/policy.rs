//! Questions under the project's policy, by the calls that `paravent ask` and `paravent policy explain` make.

use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::{
    AnswerView, ColumnRights, CostView, ExactView, ExplainedView, LedgerLine, PolicyRemark, PolicyView,
    PurposeView, RecipientView, SpentView, StateView, TableRights,
};
use paravent_algebra::error::AlgebraError;
use paravent_job::Job;
use paravent_pipeline::ledger::{BookError, LedgerError, LedgerFile, Spending};
use paravent_policy::{Asker, Extent, Policy, Recipient, check_columns, mentioned_columns, remarks};
use paravent_processor::state::look;
use paravent_processor::{AskError, Refusal, ask_watched, explain as explained};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines of the ledger that are sent.
const MOST_LINES: usize = 100;

/// The policy of the project, where it has one.
fn load(project: &Project) -> Result<Option<Policy>, Fault> {
    let path = project.policy_file();
    match path.exists() {
        true => Ok(Some(Policy::load(&path)?)),
        false => Ok(None),
    }
}

fn needed(project: &Project) -> Result<Policy, Fault> {
    load(project)?.ok_or_else(|| {
        Fault::conflict("there is no policy yet").advise("Propose one: paravent policy init paravent.toml")
    })
}

/// What everybody may do, and what was asked so far; none where there is no policy.
pub(super) fn view(project: &Project) -> Result<Option<PolicyView>, Fault> {
    let Some(policy) = load(project)? else { return Ok(None) };
    let jobs = check_columns(&policy)?;
    let name = project.policy_file().file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Some(PolicyView {
        file: name.unwrap_or_default(),
        name: policy.name.clone(),
        version: policy.version(),
        recipients: policy.recipients.iter().map(|one| recipient(&policy, one, &jobs)).collect(),
        remarks: remarks(&policy)
            .into_iter()
            .map(|remark| PolicyRemark { rules: remark.rules, message: remark.message })
            .collect(),
        state: state(&policy.state_folder())?,
    }))
}

fn recipient(policy: &Policy, recipient: &Recipient, jobs: &BTreeMap<String, Job>) -> RecipientView {
    let purposes = recipient.purposes.iter().map(|purpose| {
        let asker = Asker { recipient, purpose };
        let tables = policy.tables.iter().map(|table| rights(policy, &asker, &table.name, jobs));
        PurposeView { purpose: purpose.clone(), tables: tables.collect() }
    });
    RecipientView {
        role: recipient.role.clone(),
        trust: recipient.trust.to_string(),
        group: recipient.group.clone(),
        budget: recipient.budget.as_ref().map(|budget| CostView {
            epsilon: budget.limit.epsilon.to_string(),
            delta: budget.limit.delta.to_string(),
        }),
        answers_per_day: recipient.answers_per_day,
        purposes: purposes.collect(),
    }
}

fn rights(policy: &Policy, asker: &Asker<'_>, table: &str, jobs: &BTreeMap<String, Job>) -> TableRights {
    let about = policy.rows(asker, table);
    let level = |extent: Extent| match extent {
        Extent::Denied => None,
        Extent::From(level) => Some(level),
    };
    let columns = mentioned_columns(policy, table, jobs).into_iter().map(|column| {
        let effective = policy.column(asker, table, &column);
        let access = &effective.access;
        ColumnRights {
            show: level(access.show),
            filter: level(access.filter),
            group: level(access.group),
            figures: access.aggregate.iter().map(ToString::to_string).collect(),
            noise: access
                .noise
                .as_ref()
                .map(|noise| CostView { epsilon: noise.epsilon.to_string(), delta: noise.delta.to_string() }),
            rules: effective.rules.iter().map(|rule| rule.id.clone()).collect(),
            column,
        }
    });
    TableRights {
        table: table.to_owned(),
        denied: about.denied,
        conditions: about.rows.conditions.iter().map(ToString::to_string).collect(),
        times: about.rows.times.iter().map(|(column, grain)| (column.clone(), grain.to_string())).collect(),
        count: !about.denied && !about.access.aggregate.is_empty(),
        min_people: policy.demand(table).min_people.map(u64::from),
        columns: columns.collect(),
    }
}

/// What the folder of the policy says. Nothing is written, so it is made by the first question.
fn state(folder: &Path) -> Result<StateView, Fault> {
    let kept = look(folder)?;
    let mut broken: Vec<String> = Vec::new();
    let path = folder.join("ledger.jsonl");
    let log = match LedgerFile::read(&path) {
        Ok(log) => Some(log),
        Err(LedgerError::Missing { .. }) => None,
        Err(error) => {
            broken.push(BookError::File(error).to_string());
            None
        }
    };
    let mut ledger = Vec::new();
    let mut spent = Vec::new();
    if let Some(log) = &log {
        for (number, line) in (1..).zip(&log.lines) {
            let Some(paid) = line.record.paid() else { continue };
            ledger.push(LedgerLine {
                line: number,
                time: line.time.clone(),
                group: paid.recipient.clone(),
                cost: CostView { epsilon: paid.epsilon.clone(), delta: paid.delta.clone() },
                label: paid.label.clone(),
            });
        }
        match Spending::of(log, &path) {
            Ok(groups) => spent.extend(groups.iter().map(|one| {
                let sum = one.spent();
                let cost = CostView { epsilon: sum.epsilon().to_string(), delta: sum.delta().to_string() };
                SpentView { group: one.recipient.clone(), cost }
            })),
            Err(error) => broken.push(error.to_string()),
        }
        let line = log.broken.as_ref().map(|broken| format!("ledger, line {}: {}", broken.line, broken.what));
        broken.extend(line);
    }
    let kept_exact = kept.as_ref().and_then(|kept| kept.broken.as_ref());
    broken.extend(kept_exact.map(|what| format!("exact answers, {what}")));
    let lines = ledger.len();
    ledger.reverse();
    ledger.truncate(MOST_LINES);
    let exact = kept.iter().flat_map(|kept| &kept.exact).map(|((group, table), (answers, rows))| ExactView {
        group: group.clone(),
        table: table.clone(),
        answers: *answers,
        rows: *rows,
    });
    let exact = exact.collect();
    let head = log.map(|log| log.head);
    Ok(StateView { answers: kept.map(|kept| kept.answers), spent, ledger, lines, head, exact, broken })
}

/// Asks a question as a recipient. What is sent is the answer that `paravent ask` prints, and nothing besides.
pub(super) fn ask(
    project: &Project,
    role: &str,
    purpose: &str,
    statement: &str,
    run: &Run,
) -> Result<AnswerView, Fault> {
    let policy = needed(project)?;
    let answered = ask_watched(&policy, role, purpose, statement, run).map_err(|error| {
        let missing = matches!(&error, AskError::Engine(AlgebraError::Read(_)));
        let fault = Fault::from(error);
        match (missing, project.dropped()) {
            (true, Some(_)) => fault.advise(
                "A question reads the table that the job names: put the dropped file into the project folder",
            ),
            _ => fault,
        }
    })?;
    Ok(AnswerView { columns: answered.columns, rows: answered.rows, annotation: answered.annotation })
}

/// Says what would become of a question. No table is read.
pub(super) fn explain(
    project: &Project,
    role: &str,
    purpose: &str,
    statement: &str,
) -> Result<ExplainedView, Fault> {
    let policy = needed(project)?;
    let told = explained(&policy, role, purpose, statement)?;
    let free = told.is_exact || told.epsilon == "0";
    Ok(ExplainedView {
        adaptations: told.adaptations,
        reads: told.reads,
        plan: told.plan,
        cost: (!free).then_some(CostView { epsilon: told.epsilon, delta: told.delta }),
        rules: told.rules.into_iter().collect(),
    })
}

impl From<AskError> for Fault {
    fn from(error: AskError) -> Fault {
        match error {
            AskError::Refused(Refusal { message, advice, rules }) => {
                Fault::refused(message, rules).advise(advice)
            }
            AskError::Problems(problems) | AskError::Engine(AlgebraError::Problems(problems)) => {
                problems.into()
            }
            AskError::Engine(AlgebraError::Read(error)) => error.into(),
            AskError::Engine(AlgebraError::Internal) => Fault::internal(),
            AskError::Engine(AlgebraError::Ledger(error)) => Fault::input_output(error.to_string()),
            AskError::Engine(other) => Fault::request(other.to_string()),
            AskError::Stopped => Fault::stopped(),
            other => Fault::input_output(other.to_string()),
        }
    }
}
