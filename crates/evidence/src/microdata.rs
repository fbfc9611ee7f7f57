//! A table as its reader sees it.

/// A column: what its codes are written as, and one code per row.
///
/// `Debug` shows sizes only, since labels may be cells.
#[derive(Clone)]
pub struct Column {
    name: String,
    labels: Vec<String>,
    codes: Vec<u32>,
    missing: Option<u32>,
}

impl Column {
    /// A column of `codes`, each an index into `labels`.
    ///
    /// # Panics
    ///
    /// If a code has no label.
    #[must_use]
    pub fn new(name: impl Into<String>, labels: Vec<String>, codes: Vec<u32>) -> Self {
        assert!(codes.iter().all(|&code| (code as usize) < labels.len()), "every code has a label");
        Self { name: name.into(), labels, codes, missing: None }
    }

    /// The same column, with `code` standing for the missing value; its label is not a text of the table.
    #[must_use]
    pub fn with_missing(self, code: Option<u32>) -> Self {
        Self { missing: code, ..self }
    }

    /// The column of these cells; codes follow the sorted labels, so equal cells give equal columns in any order of rows.
    #[must_use]
    pub fn of<'a>(name: impl Into<String>, cells: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        let mut labels: Vec<String> = cells.clone().into_iter().map(str::to_owned).collect();
        labels.sort_unstable();
        labels.dedup();
        let place =
            |cell: &str| labels.binary_search_by(|label| label.as_str().cmp(cell)).unwrap_or_default() as u32;
        let codes = cells.into_iter().map(place).collect();
        Self { name: name.into(), labels, codes, missing: None }
    }

    /// The column's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What each code is written as.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The code of the missing value, where a cell is missing.
    #[must_use]
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }

    /// The cell that a code stands for; `None` if it is missing.
    #[must_use]
    pub fn cell(&self, code: u32) -> Option<&str> {
        if self.missing == Some(code) { None } else { self.labels.get(code as usize).map(String::as_str) }
    }

    /// One code per row.
    #[must_use]
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }
}

impl std::fmt::Debug for Column {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Column({} rows, {} labels)", self.codes.len(), self.labels.len())
    }
}

/// Columns of equal length.
#[derive(Clone, Debug)]
pub struct Microdata {
    columns: Vec<Column>,
    rows: usize,
    people: Option<Vec<u32>>,
}

impl Microdata {
    /// A table of these columns.
    ///
    /// # Panics
    ///
    /// If the columns differ in length.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Self {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        assert!(columns.iter().all(|column| column.codes.len() == rows), "all columns have the same rows");
        Self { columns, rows, people: None }
    }

    /// The same table, with a number that says whose row each row is. What is counted is then people.
    ///
    /// # Panics
    ///
    /// If there is not a number per row.
    #[must_use]
    pub fn with_people(self, people: Option<Vec<u32>>) -> Self {
        assert!(people.as_ref().is_none_or(|people| people.len() == self.rows), "a person per row");
        Self { people, ..self }
    }

    /// Whose row each row is; `None` where every row counts as a person.
    #[must_use]
    pub fn people(&self) -> Option<&[u32]> {
        self.people.as_deref()
    }

    /// Different people, or rows where their people are not known.
    #[must_use]
    pub fn people_count(&self) -> u64 {
        match &self.people {
            None => self.rows as u64,
            Some(people) => {
                let mut people = people.clone();
                people.sort_unstable();
                people.dedup();
                people.len() as u64
            }
        }
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Its columns, in the table's order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The place of the column with this name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}
