//! The job's promises as the parties agree on them.

use paravent_core::criteria::Diversity;
use paravent_core::exact::Fraction;
use paravent_core::search::Algorithm;
use paravent_federation::{Closeness, Criterion, Plan, Protocol};
use paravent_job::{self as job, DecimalText, Distance, Diversity as Base, Model, Problem};

/// The criteria; `position` finds a sensitive column of the plan by name, `problem` says where a promise was written.
pub fn criteria(
    models: &[Model],
    position: impl Fn(&str) -> Option<u16>,
    problem: impl Fn(&str, String) -> Problem,
) -> Result<Vec<Criterion>, Problem> {
    let models = models.iter().enumerate();
    models
        .map(|(index, model)| criterion(&format!("privacy.models[{index}]"), model, &position, &problem))
        .collect()
}

/// The sensitive columns that a promise is about.
pub fn columns(model: &Model) -> Vec<&str> {
    model.attributes()
}

/// The search that suits a plan, unless the job names one. A look on site costs little, a round trip much: where everything is
/// monotone, bisecting paths asks least, unless losses can be known before.
pub fn algorithm(wanted: job::Algorithm, plan: &Plan) -> Algorithm {
    let by_round_trips = matches!(plan.protocol, Protocol::C(_));
    let bisects =
        by_round_trips && !plan.losses_add_up() && plan.counted_case().is_some_and(|case| case.number() == 1);
    wanted.or(if bisects { Algorithm::Flash } else { Algorithm::BestFirst })
}

fn criterion(
    key: &str,
    model: &Model,
    position: &impl Fn(&str) -> Option<u16>,
    problem: &impl Fn(&str, String) -> Problem,
) -> Result<Criterion, Problem> {
    let number =
        |text: &DecimalText| Fraction::parse(text.as_str()).map_err(|error| problem(key, error.to_string()));
    let column = |name: &String| {
        position(name).ok_or_else(|| problem(key, format!("column {name} is not in the table")))
    };
    Ok(match model {
        Model::KAnonymity(paravent_job::models::KAnonymity { k }) => {
            Criterion::KAnonymity { k: u64::from(*k) }
        }
        Model::KMap(paravent_job::models::KMap { k, .. }) => Criterion::KMap { k: u64::from(*k) },
        Model::DeltaPresence(paravent_job::models::DeltaPresence { min, max, .. }) => {
            Criterion::DeltaPresence { min: number(min)?, max: number(max)? }
        }
        Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity { attribute, l }) => {
            Criterion::DistinctLDiversity { column: column(attribute)?, l: u64::from(*l) }
        }
        Model::EntropyLDiversity(paravent_job::models::EntropyLDiversity { attribute, l }) => {
            Criterion::EntropyLDiversity { column: column(attribute)?, l: number(l)? }
        }
        Model::RecursiveLDiversity(paravent_job::models::RecursiveLDiversity { attribute, c, l }) => {
            Criterion::RecursiveLDiversity { column: column(attribute)?, c: number(c)?, l: u64::from(*l) }
        }
        Model::MultiAttributeLDiversity(paravent_job::models::MultiAttributeLDiversity {
            attributes,
            base,
        }) => Criterion::MultiAttributeLDiversity {
            columns: attributes.iter().map(column).collect::<Result<_, _>>()?,
            diversity: match base {
                Base::Distinct { l } => Diversity::Distinct { l: u64::from(*l) },
                Base::Entropy { l } => Diversity::Entropy { l: number(l)? },
                Base::Recursive { c, l } => Diversity::Recursive { c: number(c)?, l: u64::from(*l) },
            },
        },
        Model::TCloseness(paravent_job::models::TCloseness { attribute, t, distance }) => {
            Criterion::TCloseness {
                column: column(attribute)?,
                t: number(t)?,
                distance: match distance {
                    Distance::Equal | Distance::Variation => Closeness::Equal,
                    Distance::Hierarchical => Closeness::Hierarchical,
                    Distance::KullbackLeibler => Closeness::KullbackLeibler,
                    Distance::Ordered => Closeness::Ordered,
                },
            }
        }
        // Models that tokens cannot carry.
        other => Criterion::OnValues { model: other.name().name().to_owned() },
    })
}
