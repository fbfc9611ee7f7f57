//! Records of another table, written as a release would write them.

use super::classes::Classes;

/// One code of a released column per record, for the columns that both tables have.
///
/// Full-domain generalization gives each raw value one label, so a record of the other table fits exactly the rows with its
/// labels: joining is a look-up. `None` stands for a label that the release does not show (or a value without one).
#[derive(Clone, Debug)]
pub struct Projection {
    /// Places of the released columns.
    pub columns: Vec<usize>,
    /// By column, then by record.
    pub codes: Vec<Vec<Option<u32>>>,
    /// How many records there are.
    pub records: usize,
    /// Whose record each record is, where that is known.
    pub people: Option<Vec<u32>>,
    /// By column: all labels that a record's value lies in, where labels of several levels are shown. `None` in a column: one label each.
    pub lies: Option<Vec<Option<Lies>>>,
}

/// Values and the labels they lie in.
#[derive(Clone, Debug)]
pub struct Lies {
    /// By record: its value.
    pub values: Vec<u32>,
    /// By value: the released codes that it lies in.
    pub codes: Vec<Vec<u32>>,
}

impl Projection {
    /// The records with these codes.
    ///
    /// # Panics
    ///
    /// If the columns differ in length.
    #[must_use]
    pub fn new(columns: Vec<usize>, codes: Vec<Vec<Option<u32>>>) -> Projection {
        let records = codes.first().map_or(0, Vec::len);
        assert!(
            columns.len() == codes.len() && codes.iter().all(|column| column.len() == records),
            "one code per cell"
        );
        Projection { columns, codes, records, people: None, lies: None }
    }

    /// The same records, with a number that says whose each is.
    ///
    /// # Panics
    ///
    /// If there is not a number per record.
    #[must_use]
    pub fn with_people(self, people: Option<Vec<u32>>) -> Projection {
        assert!(people.as_ref().is_none_or(|people| people.len() == self.records), "a person per record");
        Projection { people, ..self }
    }

    /// The same records, with all labels that their values lie in, by column.
    ///
    /// # Panics
    ///
    /// If there is not an entry per column.
    #[must_use]
    pub fn lying_in(self, lies: Option<Vec<Option<Lies>>>) -> Projection {
        assert!(lies.as_ref().is_none_or(|lies| lies.len() == self.columns.len()), "an entry per column");
        Projection { lies, ..self }
    }

    /// The released codes that a record lies in, in the column at this position.
    pub fn lies_in(&self, position: usize, record: usize) -> impl Iterator<Item = u32> + '_ {
        let lies = self.lies.as_ref().and_then(|lies| lies[position].as_ref());
        let (own, several) = match lies {
            None => (self.codes[position][record], &[][..]),
            Some(lies) => (None, &lies.codes[lies.values[record] as usize][..]),
        };
        own.into_iter().chain(several.iter().copied())
    }

    /// Without the columns at these places.
    #[must_use]
    pub fn without(mut self, places: &[usize]) -> Projection {
        let kept: Vec<bool> = self.columns.iter().map(|place| !places.contains(place)).collect();
        let mut keep = kept.iter();
        self.columns.retain(|_| *keep.next().unwrap_or(&true));
        let mut keep = kept.iter();
        self.codes.retain(|_| *keep.next().unwrap_or(&true));
        if let Some(lies) = &mut self.lies {
            let mut keep = kept.iter();
            lies.retain(|_| *keep.next().unwrap_or(&true));
        }
        self
    }

    /// The code of a record in the released column at `place`; `None` also if the other table lacks the column.
    #[must_use]
    pub fn code(&self, place: usize, record: usize) -> Option<u32> {
        let position = self.columns.iter().position(|&known| known == place)?;
        self.codes[position][record]
    }

    /// The class of each record, where the classes are made of some of these columns.
    ///
    /// # Panics
    ///
    /// If the classes need a column that is not here.
    #[must_use]
    pub fn classes(&self, classes: &Classes) -> Vec<Option<u32>> {
        let positions: Vec<usize> = classes
            .columns()
            .iter()
            .map(|place| {
                self.columns.iter().position(|known| known == place).expect("a column of the projection")
            })
            .collect();
        (0..self.records)
            .map(|record| classes.find(positions.iter().map(|&position| self.codes[position][record])))
            .collect()
    }

    /// The places that are among `places`, in the order of `places`.
    #[must_use]
    pub fn shared(&self, places: &[usize]) -> Vec<usize> {
        places.iter().copied().filter(|place| self.columns.contains(place)).collect()
    }
}
