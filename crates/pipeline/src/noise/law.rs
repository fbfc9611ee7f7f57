//! Noise as it is written on the command line: `sex=0.2`, `sex=0.2:uniform('f', 'm')`, `age=epsilon(1):laplace(min => 0, max => 100)`.

use paravent_job::{
    AddedLaw, KernelTable, MissingNoise, NoiseBy, NoiseCase, NoiseLaw, NoiseRest, NoiseSpec, NoiseTails,
    OutsideCells, Strength,
};

/// A column and its noise.
pub type NamedNoise = (String, NoiseSpec);

/// A value in an argument.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Text(String),
    Number(String),
    Word(String),
    List(Vec<Value>),
    Call(String, Vec<Value>, Vec<(String, Value)>),
}

/// Reads `NAME=STRENGTH[:LAW]`. The strength is a probability, `epsilon(ε)` or `epsilon(ε, δ)`.
///
/// # Errors
/// With what to write instead.
pub fn column(text: &str) -> Result<NamedNoise, String> {
    let Some((name, rest)) = text.split_once('=') else {
        return Err("write NAME=P, such as sex=0.2".to_owned());
    };
    let (strength, law) = match rest.split_once(':') {
        Some((strength, law)) => (strength, Some(law)),
        None => (rest, None),
    };
    let strength = self::strength(strength)?;
    let mut spec = NoiseSpec {
        values: None,
        strength,
        law: NoiseLaw::Uniform,
        outside: OutsideCells::Refuse,
        other: None,
        missing: MissingNoise::Refuse,
        by: None,
    };
    if let Some(law) = law {
        match Reader::all(law)? {
            Value::Word(word) => read(&mut spec, &word, &[], &[])?,
            Value::Call(name, values, named) => read(&mut spec, &name, &values, &named)?,
            _ => return Err(format!("{law:?} is no distribution; write one of {LAWS}")),
        }
    }
    Ok((name.trim().to_owned(), spec))
}

const LAWS: &str = "uniform, learnt, given, steps, kernel, laplace, geometric, gaussian";

fn strength(text: &str) -> Result<Strength, String> {
    let wrong = || format!("{text:?} is no probability; write a number from 0 to 1, or epsilon(1)");
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '/');
    if !text.is_empty() && text.chars().all(number) {
        return Ok(Strength::Probability(text.to_owned()));
    }
    let inside = text.trim().strip_prefix("epsilon(").and_then(|rest| rest.strip_suffix(')'));
    let parts: Vec<&str> = inside.ok_or_else(wrong)?.split(',').map(str::trim).collect();
    match parts.as_slice() {
        [epsilon] => Ok(Strength::Epsilon { epsilon: (*epsilon).to_owned(), delta: None }),
        [epsilon, delta] => {
            Ok(Strength::Epsilon { epsilon: (*epsilon).to_owned(), delta: Some((*delta).to_owned()) })
        }
        _ => Err(wrong()),
    }
}

fn read(spec: &mut NoiseSpec, name: &str, values: &[Value], named: &[(String, Value)]) -> Result<(), String> {
    let mut law = Law { name, values, named: named.to_vec() };
    if let Some(value) = law.take("outside") {
        spec.outside = choice("outside", &value, OutsideCells::ALL, OutsideCells::name)?;
    }
    if let Some(value) = law.take("other") {
        spec.other = Some(text(&value)?);
        spec.outside = OutsideCells::Other;
    }
    if let Some(value) = law.take("missing") {
        spec.missing = choice("missing", &value, MissingNoise::ALL, MissingNoise::name)?;
    }
    if let Some(Value::Word(column) | Value::Text(column)) = law.take("by") {
        spec.by = Some(NoiseBy { column, cases: cases(law.take("cases"))? });
    }
    match name {
        "uniform" => law.uniform(spec)?,
        "learnt" if values.is_empty() => spec.law = NoiseLaw::Learnt,
        "learnt" => return Err("learnt takes no values; it is read off the column".to_owned()),
        "given" => law.given(spec)?,
        "steps" => law.steps(spec)?,
        "kernel" => law.kernel(spec)?,
        "laplace" => law.added(spec, AddedLaw::Laplace)?,
        "geometric" => law.added(spec, AddedLaw::Geometric)?,
        "gaussian" => law.added(spec, AddedLaw::Gaussian)?,
        other => return Err(format!("there is no distribution {other:?}; write one of {LAWS}")),
    }
    match law.named.first() {
        Some((argument, _)) => Err(format!("{name} has no argument {argument}")),
        None => Ok(()),
    }
}

/// `cases => (('north', 0.2), ('south', 0.4))`
fn cases(value: Option<Value>) -> Result<Vec<(String, NoiseCase)>, String> {
    let example = "by needs cases, such as cases => (('north', 0.2), ('south', 0.4))";
    let Some(Value::List(items)) = value else { return Err(example.to_owned()) };
    let case = |item: Value| match item {
        Value::List(pair) => match pair.as_slice() {
            [value, Value::Number(p)] => {
                let strength = Strength::Probability(p.clone());
                Ok((
                    text_or_missing(value)?.unwrap_or_default(),
                    NoiseCase { strength, law: NoiseLaw::Uniform },
                ))
            }
            _ => Err(example.to_owned()),
        },
        _ => Err(example.to_owned()),
    };
    items.into_iter().map(case).collect()
}

struct Law<'a> {
    name: &'a str,
    values: &'a [Value],
    named: Vec<(String, Value)>,
}

impl Law<'_> {
    fn take(&mut self, argument: &str) -> Option<Value> {
        let at = self.named.iter().position(|(name, _)| name == argument)?;
        Some(self.named.remove(at).1)
    }

    fn uniform(&mut self, spec: &mut NoiseSpec) -> Result<(), String> {
        let values = self.values.iter().map(text_or_missing).collect::<Result<Vec<_>, _>>()?;
        if values.contains(&None) {
            spec.missing = MissingNoise::Value;
        }
        let known: Vec<String> = values.into_iter().flatten().collect();
        spec.values = (!known.is_empty()).then_some(known);
        spec.law = NoiseLaw::Uniform;
        Ok(())
    }

    fn given(&mut self, spec: &mut NoiseSpec) -> Result<(), String> {
        let example = "write e.g. given(('f', 0.5), ('m', 0.5))";
        let (mut values, mut weights, mut missing) = (Vec::new(), Vec::new(), None);
        for pair in self.values {
            let Value::List(pair) = pair else { return Err(example.to_owned()) };
            let [value, Value::Number(weight)] = pair.as_slice() else { return Err(example.to_owned()) };
            match text_or_missing(value)? {
                Some(value) => {
                    values.push(value);
                    weights.push(weight.clone());
                }
                None => missing = Some(weight.clone()),
            }
        }
        if values.is_empty() && missing.is_none() {
            return Err(example.to_owned());
        }
        if let Some(weight) = missing {
            spec.missing = MissingNoise::Value;
            weights.push(weight);
        }
        spec.values = Some(values);
        spec.law = NoiseLaw::Weights(weights);
        Ok(())
    }

    fn steps(&mut self, spec: &mut NoiseSpec) -> Result<(), String> {
        let example = "write e.g. steps((-1, 0.5), (1, 0.5), tails => cyclic)";
        let mut steps = Vec::new();
        for pair in self.values {
            let Value::List(pair) = pair else { return Err(example.to_owned()) };
            let [Value::Number(by), Value::Number(weight)] = pair.as_slice() else {
                return Err(example.to_owned());
            };
            let by = by.parse().map_err(|_| format!("{by} is not a whole number of places"))?;
            steps.push((by, weight.clone()));
        }
        if steps.is_empty() {
            return Err(example.to_owned());
        }
        steps.sort();
        let tails = self.take("tails");
        let tails = tails.map_or(Ok(NoiseTails::Clamped), |value| {
            choice("tails", &value, NoiseTails::ALL, NoiseTails::name)
        })?;
        let rest = self.take("rest");
        let rest = rest.map_or(Ok(NoiseRest::Refused), |value| {
            choice("rest", &value, NoiseRest::ALL, NoiseRest::name)
        })?;
        if let Some(domain) = self.take("domain") {
            let items = if let Value::List(items) = domain { items } else { vec![domain] };
            spec.values = Some(items.iter().map(text).collect::<Result<_, _>>()?);
        }
        spec.law = NoiseLaw::Steps { steps, tails, rest };
        Ok(())
    }

    fn kernel(&mut self, spec: &mut NoiseSpec) -> Result<(), String> {
        let [Value::Text(file)] = self.values else {
            return Err("write e.g. kernel('kernel.csv')".to_owned());
        };
        spec.law = NoiseLaw::Kernel(KernelTable::File(file.into()));
        Ok(())
    }

    fn added(&mut self, spec: &mut NoiseSpec, law: AddedLaw) -> Result<(), String> {
        let name = self.name;
        let mut number = |argument: &str, default: Option<&str>| match (self.take(argument), default) {
            (Some(value), _) => text(&value),
            (None, Some(default)) => Ok(default.to_owned()),
            (None, None) => Err(format!("{name} needs {argument}: write e.g. {name}(min => 0, max => 100)")),
        };
        let (min, max, step) = (number("min", None)?, number("max", None)?, number("step", Some("1"))?);
        spec.law = NoiseLaw::Added { law, min, max, step };
        match &spec.strength {
            Strength::Epsilon { .. } => Ok(()),
            _ => Err(format!("{name} needs an ε: write e.g. age=epsilon(1):{name}(min => 0, max => 100)")),
        }
    }
}

fn choice<T: Copy>(
    argument: &str,
    value: &Value,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let written = match value {
        Value::Word(word) | Value::Text(word) => word.as_str(),
        _ => "",
    };
    let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
    all.iter()
        .copied()
        .find(|one| name(*one) == written)
        .ok_or_else(|| format!("{argument} is one of {}", names.join(", ")))
}

fn text(value: &Value) -> Result<String, String> {
    text_or_missing(value)?.ok_or_else(|| "NULL is no value here".to_owned())
}

/// `'f'`, `17`, `true`, `NULL`
fn text_or_missing(value: &Value) -> Result<Option<String>, String> {
    match value {
        Value::Text(text) | Value::Number(text) => Ok(Some(text.clone())),
        Value::Word(word) if word.eq_ignore_ascii_case("null") => Ok(None),
        Value::Word(word) if word == "true" || word == "false" => Ok(Some(word.clone())),
        _ => Err("write values in quotes: 'f'".to_owned()),
    }
}

/// Reads values.
struct Reader<'a> {
    rest: &'a str,
}

/// Deeper nesting is not meant.
const DEEPEST: usize = 8;

impl<'a> Reader<'a> {
    fn all(text: &'a str) -> Result<Value, String> {
        let mut reader = Reader { rest: text };
        let value = reader.value(0)?;
        match reader.rest.trim().is_empty() {
            true => Ok(value),
            false => Err(format!("what does {:?} mean?", reader.rest.trim())),
        }
    }

    fn skip(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err("too many parentheses".to_owned());
        }
        self.rest = self.rest.trim_start();
        if self.skip("'") {
            return self.quoted();
        }
        if self.skip("(") {
            return Ok(Value::List(self.items(depth)?.0));
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_' | '+')))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err("a value is missing".to_owned());
        }
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | '+')) {
            return Ok(Value::Number(word.trim_start_matches('+').to_owned()));
        }
        if self.skip("(") {
            let (values, named) = self.items(depth)?;
            return Ok(Value::Call(word.to_owned(), values, named));
        }
        Ok(Value::Word(word.to_owned()))
    }

    fn quoted(&mut self) -> Result<Value, String> {
        let mut text = String::new();
        loop {
            let Some((before, after)) = self.rest.split_once('\'') else {
                return Err("a quote is not closed".to_owned());
            };
            text.push_str(before);
            match after.strip_prefix('\'') {
                Some(after) => {
                    text.push('\'');
                    self.rest = after;
                }
                None => {
                    self.rest = after;
                    return Ok(Value::Text(text));
                }
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn items(&mut self, depth: usize) -> Result<(Vec<Value>, Vec<(String, Value)>), String> {
        let (mut values, mut named) = (Vec::new(), Vec::new());
        if self.skip(")") {
            return Ok((values, named));
        }
        loop {
            match self.value(depth + 1)? {
                Value::Word(name) if self.skip("=>") => named.push((name, self.value(depth + 1)?)),
                value => values.push(value),
            }
            if self.skip(")") {
                return Ok((values, named));
            }
            if !self.skip(",") {
                return Err("a parenthesis is not closed".to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_written_before_is_read_as_before() {
        let (name, spec) = column("sex=0.2").unwrap();
        assert_eq!((name.as_str(), &spec.strength), ("sex", &Strength::Probability("0.2".to_owned())));
        assert_eq!((spec.law, spec.values), (NoiseLaw::Uniform, None));
        let (_, spec) = column("sex=4/1461:uniform('f', 'it''s', NULL)").unwrap();
        assert_eq!(spec.values, Some(vec!["f".to_owned(), "it's".to_owned()]));
        assert_eq!(spec.missing, MissingNoise::Value);
        assert_eq!(column("zip=0.1:learnt").unwrap().1.law, NoiseLaw::Learnt);
        let (_, spec) = column("b=0.5:given(('0', 0.7), (NULL, 0.3))").unwrap();
        assert_eq!(spec.law, NoiseLaw::Weights(vec!["0.7".to_owned(), "0.3".to_owned()]));
        let (_, spec) =
            column("g=0.3:steps((-1, 0.5), (1, 0.25), tails => cyclic, rest => stays, domain => ('l', 'h'))")
                .unwrap();
        assert_eq!(spec.values, Some(vec!["l".to_owned(), "h".to_owned()]));
        let NoiseLaw::Steps { steps, tails, rest } = spec.law else { panic!("steps") };
        assert_eq!(steps, [(-1, "0.5".to_owned()), (1, "0.25".to_owned())]);
        assert_eq!((tails, rest), (NoiseTails::Cyclic, NoiseRest::Stays));
    }

    #[test]
    fn numbers_kernels_and_cases_are_read() {
        let (_, spec) =
            column("age=epsilon(0.5, 1e-6):gaussian(min => -5, max => 100, step => 0.5, outside => clamp, missing => draw)")
                .unwrap();
        assert_eq!(
            spec.strength,
            Strength::Epsilon { epsilon: "0.5".to_owned(), delta: Some("1e-6".to_owned()) }
        );
        assert_eq!((spec.outside, spec.missing), (OutsideCells::Clamp, MissingNoise::Draw));
        let NoiseLaw::Added { law, min, .. } = spec.law else { panic!("added") };
        assert_eq!((law, min.as_str()), (AddedLaw::Gaussian, "-5"));
        let (_, spec) = column("sex=1:kernel('k.csv', other => 'm')").unwrap();
        assert_eq!(spec.law, NoiseLaw::Kernel(KernelTable::File("k.csv".into())));
        assert_eq!((spec.outside, spec.other.as_deref()), (OutsideCells::Other, Some("m")));
        let (_, spec) =
            column("sex=0.5:uniform('f', 'm', by => ward, cases => (('a', 0.2), (NULL, 0.4)))").unwrap();
        let by = spec.by.unwrap();
        assert_eq!((by.column.as_str(), by.cases.len(), by.cases[1].0.as_str()), ("ward", 2, ""));
    }

    #[test]
    fn what_cannot_be_read_says_what_to_write() {
        for (text, told) in [
            ("sex", "write NAME=P"),
            ("sex=a lot", "is no probability"),
            ("sex=0.2:unifrom", "there is no distribution"),
            ("sex=0.2:uniform('f'", "not closed"),
            ("sex=0.2:uniform('f)", "quote"),
            ("sex=0.2:uniform('f') 3", "what does"),
            ("sex=0.2:uniform(f)", "in quotes"),
            ("sex=0.2:uniform(tails => cyclic)", "no argument tails"),
            ("sex=0.2:laplace(min => 0, max => 1)", "needs an ε"),
            ("sex=epsilon(1):laplace(min => 0)", "needs max"),
            ("sex=0.2:steps((-1, 0.5), tails => round)", "tails is one of"),
            ("sex=0.2:steps()", "write e.g."),
            ("sex=0.2:((((((((((1))))))))))", "parentheses"),
        ] {
            let problem = column(text).unwrap_err();
            assert!(problem.contains(told), "{text}: {problem}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-z=:(),'> 0-9.é-]{0,40}") {
            let _ = column(&text);
        }
    }
}
