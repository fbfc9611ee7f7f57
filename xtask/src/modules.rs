//! Which module of a crate uses which, read from the source: no two may need each other.
//!
//! The nodes are the modules that a crate's root declares, each with all that is below it. A path counts wherever it is written, in a
//! `use` with braces, as `super::super::` or in the middle of an expression. What the root re-exports counts as the module it comes
//! from. Tests may look at the whole crate.

use crate::tokens::{Token, production_tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Who uses whom, with one place for each edge.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// From the user to the used, and the file that says so.
    pub(crate) edges: BTreeMap<String, BTreeMap<String, String>>,
}

/// A source file: where it is in the tree of modules, and its tokens without tests.
struct Source {
    name: String,
    module: Vec<String>,
    tokens: Vec<Token>,
}

/// The graph of the crate whose sources are below `src`.
pub(crate) fn graph(src: &Path, files: &[PathBuf]) -> anyhow::Result<Graph> {
    let mut sources = Vec::new();
    let mut test_modules: BTreeSet<Vec<String>> = BTreeSet::new();
    for file in files {
        let relative = file.strip_prefix(src)?;
        // Programs beside the library are crates of their own.
        if relative.starts_with("bin") {
            continue;
        }
        let module = module_of(relative);
        let (tokens, tests) = production_tokens(&fs::read_to_string(file)?);
        test_modules.extend(tests.into_iter().map(|name| [module.clone(), vec![name]].concat()));
        sources.push(Source { name: relative.display().to_string(), module, tokens });
    }
    sources.retain(|source| !test_modules.iter().any(|tests| source.module.starts_with(tests)));
    Ok(graph_of(&sources))
}

fn graph_of(sources: &[Source]) -> Graph {
    let modules: BTreeSet<&String> = sources.iter().filter_map(|source| source.module.first()).collect();
    let mut exported: BTreeMap<String, String> = BTreeMap::new();
    for root in sources.iter().filter(|source| source.module.is_empty()) {
        for path in uses(&root.tokens) {
            let path: Vec<String> =
                path.into_iter().filter(|part| part != "crate" && part != "self").collect();
            if let [module, .., name] = &path[..]
                && modules.contains(module)
            {
                exported.insert(name.clone(), module.clone());
            }
        }
    }
    let mut graph = Graph::default();
    for source in sources {
        let Some(user) = source.module.first() else { continue };
        for path in paths(&source.tokens) {
            let Some(first) = absolute(&source.module, &path).into_iter().next() else { continue };
            let used = if modules.contains(&first) { Some(&first) } else { exported.get(&first) };
            if let Some(used) = used.filter(|used| *used != user) {
                let place = graph.edges.entry(user.clone()).or_default();
                place.entry(used.clone()).or_insert_with(|| source.name.clone());
            }
        }
    }
    graph
}

impl Graph {
    /// Modules that need each other, as one way around with the file behind every step.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let mut left: BTreeSet<&String> = self.edges.keys().collect();
        loop {
            // What uses nobody who is left is in no cycle.
            let free = |module: &&&String| !self.edges[**module].keys().any(|used| left.contains(used));
            match left.iter().find(free).copied() {
                Some(module) => left.remove(module),
                None => break,
            };
        }
        let mut found = Vec::new();
        while let Some(start) = left.iter().next().copied() {
            let mut way = vec![start];
            let around = loop {
                let last = way[way.len() - 1];
                let Some(next) = self.edges[last].keys().find(|used| left.contains(used)) else { break None };
                match way.iter().position(|seen| *seen == next) {
                    Some(from) => break Some(way.split_off(from)),
                    None => way.push(next),
                }
            };
            let Some(around) = around else {
                left.remove(start);
                continue;
            };
            let steps = around.iter().zip(around.iter().cycle().skip(1));
            let told: Vec<String> = steps
                .map(|(user, used)| format!("{user} uses {used} ({})", self.edges[*user][*used]))
                .collect();
            found.push(told.join(", "));
            around.into_iter().for_each(|module| {
                left.remove(module);
            });
        }
        found
    }
}

/// `grouping/tally.rs` is `grouping::tally`, `grouping/mod.rs` is `grouping`, `lib.rs` is the root.
fn module_of(relative: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// A path seen from the crate's root.
fn absolute(module: &[String], path: &[String]) -> Vec<String> {
    let up = path.iter().take_while(|part| *part == "super").count();
    let rest = &path[up..];
    match path.first().map(String::as_str) {
        Some("crate") => path[1..].to_vec(),
        Some("self") => [module, &path[1..]].concat(),
        _ => [&module[..module.len().saturating_sub(up)], rest].concat(),
    }
}

/// All paths that begin with `crate`, `super` or `self`, with braces multiplied out.
fn paths(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let begins =
            matches!(token, Token::Word(word) if word == "crate" || word == "super" || word == "self");
        let goes_on = tokens.get(at + 1) == Some(&Token::Colons);
        let within = at > 0 && tokens[at - 1] == Token::Colons;
        if begins && goes_on && !within {
            tree(tokens, at, &[], &mut found);
        }
    }
    found
}

/// All paths of `use` declarations.
fn uses(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if matches!(token, Token::Word(word) if word == "use") {
            tree(tokens, at + 1, &[], &mut found);
        }
    }
    found
}

/// Reads a path from `at` on; returns where it ends.
fn tree(tokens: &[Token], mut at: usize, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let known = before.len();
    let mut path = before.to_vec();
    loop {
        match tokens.get(at) {
            Some(Token::Word(word)) => {
                path.push(word.clone());
                at += 1;
                if tokens.get(at) == Some(&Token::Colons) {
                    at += 1;
                    continue;
                }
            }
            Some(Token::Sign('{')) if path.len() > known || known > 0 => {
                at += 1;
                while !matches!(tokens.get(at), None | Some(Token::Sign('}'))) {
                    let end = tree(tokens, at, &path, found);
                    // A path that is none ends where it begins.
                    at = end.max(at + 1);
                    while matches!(tokens.get(at), Some(Token::Sign(','))) {
                        at += 1;
                    }
                }
                return at + 1;
            }
            Some(Token::Sign('*')) => at += 1,
            _ => {}
        }
        break;
    }
    // `a::b as c` is known as `c` from here on; where it comes from stays.
    if matches!(tokens.get(at), Some(Token::Word(word)) if word == "as") {
        if let Some(Token::Word(alias)) = tokens.get(at + 1) {
            path.push(alias.clone());
        }
        at += 2;
    }
    found.push(path);
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of_texts(texts: &[(&str, &str)]) -> Graph {
        let sources: Vec<Source> = texts
            .iter()
            .map(|(name, text)| Source {
                name: (*name).to_owned(),
                module: module_of(Path::new(name)),
                tokens: production_tokens(text).0,
            })
            .collect();
        graph_of(&sources)
    }

    #[test]
    fn two_modules_that_need_each_other_are_found() {
        let one_way = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b/mod.rs", "mod c;")];
        assert!(graph_of_texts(&one_way).cycles().is_empty());
        for back in ["use crate::a::A;", "use crate::{std, a::{A, X}};", "fn f() { crate::a::run() }"] {
            let cycle = graph_of_texts(&[&one_way[..], &[("b/c.rs", back)]].concat()).cycles();
            assert_eq!(cycle, ["a uses b (a.rs), b uses a (b/c.rs)"], "{back}");
        }
        let cycle = graph_of_texts(&[&one_way[..], &[("b/c.rs", "use super::super::a;")]].concat()).cycles();
        assert_eq!(cycle.len(), 1);
    }

    #[test]
    fn what_the_root_re_exports_counts_as_its_module() {
        let texts = [
            ("lib.rs", "pub use a::{A, more::Other as Renamed};"),
            ("a/mod.rs", "use crate::b::B;"),
            ("b.rs", "use crate::Renamed;"),
        ];
        assert_eq!(graph_of_texts(&texts).cycles().len(), 1);
    }

    #[test]
    fn tests_comments_and_strings_use_nobody() {
        let text = r#"
            // use crate::a::A;
            const TEXT: &str = "crate::a::A";
            #[cfg(test)]
            mod tests { use crate::a::A; }
        "#;
        let texts = [("lib.rs", ""), ("a.rs", "use crate::b::B;"), ("b.rs", text)];
        assert!(graph_of_texts(&texts).cycles().is_empty());
    }

    #[test]
    fn a_way_around_three_modules_is_told_once() {
        let texts = [
            ("lib.rs", ""),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use super::c::C;"),
            ("c.rs", "use super::a::A;"),
            ("d.rs", "use super::a::A;"),
        ];
        assert_eq!(graph_of_texts(&texts).cycles(), ["a uses b (a.rs), b uses c (b.rs), c uses a (c.rs)"]);
    }
}
