//! When two operators are the same.

/// Two operators are the same if the same is asked of the same relation. What they give out follows from that, so the schema, which has no order, is left aside.
macro_rules! same_if_asked_the_same {
    ($operator:ty) => {
        impl PartialEq for $operator {
            fn eq(&self, other: &$operator) -> bool {
                self.what == other.what && self.input == other.input
            }
        }

        impl Eq for $operator {}

        impl std::hash::Hash for $operator {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.what.hash(state);
                self.input.hash(state);
            }
        }

        impl PartialOrd for $operator {
            fn partial_cmp(&self, other: &$operator) -> Option<std::cmp::Ordering> {
                match self.what.partial_cmp(&other.what) {
                    Some(std::cmp::Ordering::Equal) => self.input.partial_cmp(&other.input),
                    different => different,
                }
            }
        }
    };
}
