//! What a client is told instead of an answer. No cell and no path is in it.

use paravent_processor::{AskError, Refusal};
use pgwire::messages::response::ErrorResponse;

/// An error with its SQLSTATE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Five characters.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// The connection ends.
    pub(crate) is_fatal: bool,
    /// For the owner's log; not for the client.
    pub(crate) log: Option<String>,
}

impl Fault {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), hint: None, is_fatal: false, log: None }
    }

    pub(crate) fn fatal(code: &'static str, message: impl Into<String>) -> Fault {
        Fault { is_fatal: true, ..Fault::new(code, message) }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Fault {
        Fault { hint: Some(hint.into()), ..self }
    }

    /// What is not there.
    pub(crate) fn unsupported(what: &str) -> Fault {
        Fault::new("0A000", format!("{what} is not supported"))
    }

    /// The message on the wire.
    pub(crate) fn response(&self) -> ErrorResponse {
        let severity = if self.is_fatal { "FATAL" } else { "ERROR" }.to_owned();
        let mut fields = vec![
            (b'S', severity.clone()),
            (b'V', severity),
            (b'C', self.code.to_owned()),
            (b'M', self.message.clone()),
        ];
        fields.extend(self.hint.iter().map(|hint| (b'H', hint.clone())));
        ErrorResponse::new(fields)
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Fault {
        let message = match refusal.rules.is_empty() {
            true => refusal.message,
            false => format!("{} (rules: {})", refusal.message, refusal.rules.join(", ")),
        };
        Fault::new("42501", message).hint(refusal.advice)
    }
}

impl From<AskError> for Fault {
    fn from(error: AskError) -> Fault {
        let own = |code, message: &str, error: AskError| Fault {
            log: Some(error.to_string()),
            ..Fault::new(code, message)
        };
        match error {
            AskError::Refused(refusal) => refusal.into(),
            error @ AskError::Problems(_) => own(
                "F0000",
                "the policy or a job is wrong, so nothing was answered; its owner finds why in the log",
                error,
            ),
            error @ AskError::State { .. } => {
                own("58030", "the state of the policy cannot be kept, so nothing was answered", error)
            }
            error => {
                own("XX000", "this question could not be answered; the owner finds why in the log", error)
            }
        }
    }
}
