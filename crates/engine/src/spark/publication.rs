//! How a table gets its name where there are no transactions: what is renamed in which order, and what can be said after each failure.

use paravent_tables::engine::{EngineError, TableName};

/// The statements that a publication needs. Whoever carries them out does not give up in the middle of one.
pub(super) trait Naming {
    fn rename(&self, from: &TableName, to: &TableName) -> Result<(), EngineError>;
    fn drop_table(&self, table: &TableName) -> Result<(), EngineError>;
}

/// A table that is to be called otherwise, and what stands in its way.
pub(super) struct Publication<'a> {
    pub(super) staged: &'a TableName,
    pub(super) target: &'a TableName,
    /// What a table that has the name already is called meanwhile; `None`: there is none.
    pub(super) former: Option<&'a TableName>,
}

/// What is left after a publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Former {
    /// Nothing.
    Gone,
    /// The table that was replaced: it is to be removed later.
    Left,
}

impl Publication<'_> {
    /// | 1. target → former | 2. staged → target | 3. former → target | 4. drop former | told |
    /// | --- | --- | --- | --- | --- |
    /// | refused | | | | why; nothing was changed |
    /// | no answer | | | | both names |
    /// | done | no answer | | | both names |
    /// | done | refused | done | | why; nothing was changed |
    /// | done | refused | not done | | the name that the former table has now |
    /// | done | done | | done or not | published |
    pub(super) fn publish(&self, naming: &impl Naming) -> Result<Former, EngineError> {
        if let Some(former) = self.former {
            naming.rename(self.target, former).map_err(|error| self.told(error))?;
        }
        if let Err(error) = naming.rename(self.staged, self.target) {
            return Err(match self.former {
                Some(former) if is_answer(&error) => match naming.rename(former, self.target) {
                    Ok(()) => error,
                    Err(_) => EngineError::NotRestored {
                        table: self.target.to_string(),
                        former: former.to_string(),
                    },
                },
                _ => self.told(error),
            });
        }
        // The new table is public: what cannot be tidied up is no reason to say otherwise.
        match self.former {
            Some(former) if naming.drop_table(former).is_err() => Ok(Former::Left),
            _ => Ok(Former::Gone),
        }
    }

    /// An answer is told; that there was none, with the names under which tables may be now.
    fn told(&self, error: EngineError) -> EngineError {
        if is_answer(&error) {
            return error;
        }
        let table = self.target.to_string();
        match self.former {
            Some(former) => EngineError::ReplacementUnknown { table, former: former.to_string() },
            None => EngineError::OutcomeUnknown { table },
        }
    }
}

/// Whether the server has said no. Else it may have done what it was told to do.
fn is_answer(error: &EngineError) -> bool {
    !matches!(
        error,
        EngineError::Lost
            | EngineError::LeftBehind { .. }
            | EngineError::Stopped
            | EngineError::Ended { .. }
            | EngineError::TooSlow
            | EngineError::Garbled(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::VecDeque;

    /// Answers in this order, and remembers what was asked.
    struct Script {
        answers: RefCell<VecDeque<Result<(), EngineError>>>,
        asked: RefCell<Vec<String>>,
    }

    impl Script {
        fn next(&self, asked: String) -> Result<(), EngineError> {
            self.asked.borrow_mut().push(asked);
            self.answers.borrow_mut().pop_front().expect("nothing more is asked")
        }
    }

    impl Naming for Script {
        fn rename(&self, from: &TableName, to: &TableName) -> Result<(), EngineError> {
            self.next(format!("{from}>{to}"))
        }

        fn drop_table(&self, table: &TableName) -> Result<(), EngineError> {
            self.next(format!("-{table}"))
        }
    }

    fn refused() -> EngineError {
        EngineError::Failed { code: "INTERNAL".to_owned(), place: "while the result was made" }
    }

    /// Publishes with these answers; tells how it ended, and what was asked.
    fn played(replaces: bool, answers: &[Result<(), EngineError>]) -> (Result<Former, EngineError>, String) {
        let name = |text: &str| TableName::parse(text).unwrap();
        let (staged, target, former) = (name("s"), name("t"), name("s_former"));
        let script =
            Script { answers: RefCell::new(answers.iter().cloned().collect()), asked: RefCell::default() };
        let former = replaces.then_some(&former);
        let told = Publication { staged: &staged, target: &target, former }.publish(&script);
        assert!(script.answers.into_inner().is_empty(), "not everything was asked");
        (told, script.asked.into_inner().join(" "))
    }

    #[test]
    fn every_way_to_end_says_what_is_where() {
        let silences = [
            EngineError::Lost,
            EngineError::Stopped,
            EngineError::TooSlow,
            EngineError::LeftBehind { table: "s".to_owned() },
            EngineError::Ended { code: "OPERATION_CANCELED".to_owned() },
        ];
        let unknown = EngineError::OutcomeUnknown { table: "t".to_owned() };
        let both = EngineError::ReplacementUnknown { table: "t".to_owned(), former: "s_former".to_owned() };
        let mut cases = vec![
            (false, vec![Ok(())], Ok(Former::Gone), "s>t"),
            (false, vec![Err(refused())], Err(refused()), "s>t"),
            (true, vec![Ok(()), Ok(()), Ok(())], Ok(Former::Gone), "t>s_former s>t -s_former"),
            (true, vec![Ok(()), Ok(()), Err(refused())], Ok(Former::Left), "t>s_former s>t -s_former"),
            (true, vec![Err(refused())], Err(refused()), "t>s_former"),
            (true, vec![Ok(()), Err(refused()), Ok(())], Err(refused()), "t>s_former s>t s_former>t"),
        ];
        for silence in silences {
            let silent = || Err(silence.clone());
            cases.push((false, vec![silent()], Err(unknown.clone()), "s>t"));
            cases.push((true, vec![silent()], Err(both.clone()), "t>s_former"));
            cases.push((true, vec![Ok(()), silent()], Err(both.clone()), "t>s_former s>t"));
            cases.push((true, vec![Ok(()), Ok(()), silent()], Ok(Former::Left), "t>s_former s>t -s_former"));
            let not_restored =
                EngineError::NotRestored { table: "t".to_owned(), former: "s_former".to_owned() };
            cases.push((
                true,
                vec![Ok(()), Err(refused()), silent()],
                Err(not_restored),
                "t>s_former s>t s_former>t",
            ));
        }
        for (replaces, answers, expected, asked) in cases {
            let (told, was_asked) = played(replaces, &answers);
            assert_eq!((&told, was_asked.as_str()), (&expected, asked), "{answers:?}");
            let Err(error) = told else { continue };
            let is_unchanged = answers.last() == Some(&Ok(())) || answers == [Err(refused())];
            assert_eq!(error.to_string().contains("nothing was written"), is_unchanged, "{error}");
        }
    }
}
