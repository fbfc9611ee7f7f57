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
        Projection { columns, codes, records, people: None }
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
