//! A sentence with gaps.

/// An English sentence with gaps, and the same in another language.
pub(super) struct Pattern {
    /// What stands before, between and after the gaps.
    literals: Vec<&'static str>,
    /// `{}` takes the gaps in order, `{1}` the second one, counted from 0.
    other: &'static str,
    /// Sentences in it, at most.
    pub(super) sentences: usize,
}

impl Pattern {
    pub(super) fn new(english: &'static str, other: &'static str) -> Pattern {
        // A gap may begin with a tag, where a sentence may begin as well.
        let sentences = super::page::split(&english.replace("{}", "<i>")).len();
        Pattern { literals: english.split("{}").collect(), other, sentences }
    }

    pub(super) fn literal_length(&self) -> usize {
        self.literals.iter().map(|literal| literal.len()).sum()
    }

    /// The other sentence with the gaps filled, if `english` fits.
    pub(super) fn apply(&self, english: &str, fill: &dyn Fn(&str) -> String) -> Option<String> {
        let (first, rest) = self.literals.split_first()?;
        let mut gaps = Vec::new();
        if !matched(english.strip_prefix(first)?, rest, &mut gaps) {
            return None;
        }
        let mut text = String::new();
        let (mut next, mut left) = (0, self.other);
        while let Some(open) = left.find('{') {
            let close = left[open..].find('}')? + open;
            text.push_str(&left[..open]);
            let gap = match &left[open + 1..close] {
                "" => {
                    next += 1;
                    next - 1
                }
                number => number.parse().ok()?,
            };
            text.push_str(&fill(gaps.get(gap)?));
            left = &left[close + 1..];
        }
        text.push_str(left);
        Some(text)
    }
}

/// Fills the gaps before each literal, the shortest first; a gap is never empty and closes every tag it opens.
fn matched<'t>(text: &'t str, literals: &[&str], gaps: &mut Vec<&'t str>) -> bool {
    let Some((literal, rest)) = literals.split_first() else { return text.is_empty() };
    let ends: Vec<usize> = match rest.is_empty() && literal.is_empty() {
        true => vec![text.len()],
        false => text.match_indices(literal).map(|(at, _)| at).collect(),
    };
    for end in ends.into_iter().filter(|&end| end > 0) {
        let gap = &text[..end];
        if gap.matches('<').count() != gap.matches('>').count()
            || gap.matches("</").count() * 2 != gap.matches('<').count() - gap.matches("<wbr>").count()
        {
            continue;
        }
        gaps.push(gap);
        if matched(&text[end + literal.len()..], rest, gaps) {
            return true;
        }
        gaps.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_in_order_or_by_number() {
        let fill = |part: &str| part.to_uppercase();
        let pattern = Pattern::new("{} of {} rows", "von {1} Zeilen {0}");
        assert_eq!(pattern.apply("a of b rows", &fill).as_deref(), Some("von B Zeilen A"));
        assert_eq!(pattern.apply("a of b of c rows", &fill).as_deref(), Some("von B OF C Zeilen A"));
        assert_eq!(pattern.apply(" of b rows", &fill), None);
        assert_eq!(pattern.apply("a of b rows!", &fill), None);
        let pattern = Pattern::new("at most {}", "höchstens {}");
        assert_eq!(pattern.apply("at most <b>x</b>", &fill).as_deref(), Some("höchstens <B>X</B>"));
        assert_eq!(pattern.apply("at most <b>x", &fill), None);
    }
}
