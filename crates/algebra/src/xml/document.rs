//! Elements, their attributes and texts: as little of XML as plans need, and nothing that could hurt.
//!
//! No document type, no entities but the five of XML, no namespaces, at most [`MOST_LEVELS`] levels and [`MOST_BYTES`] bytes.

use super::XmlError;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::{escape, resolve_predefined_entity};
use quick_xml::events::{BytesStart, Event};

/// The longest document, in bytes.
pub(super) const MOST_BYTES: usize = 256 * 1024;
/// The deepest nesting of elements.
pub(super) const MOST_LEVELS: usize = 200;
const MOST_ATTRIBUTES: usize = 16;

/// A place in a document, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// An element with either children or a text.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    pub(super) text: String,
    pub(super) at: Position,
}

impl Element {
    /// An element to be written.
    pub(super) fn new(name: &str) -> Element {
        let at = Position { line: 1, column: 1 };
        Element {
            name: name.to_owned(),
            attributes: Vec::new(),
            children: Vec::new(),
            text: String::new(),
            at,
        }
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Element {
        self.attributes.push((name.to_owned(), value.into()));
        self
    }

    pub(super) fn holding(mut self, child: Element) -> Element {
        self.children.push(child);
        self
    }

    pub(super) fn saying(mut self, text: impl Into<String>) -> Element {
        self.text = text.into();
        self
    }

    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// A problem with this element.
    pub(super) fn problem(&self, problem: impl Into<String>) -> XmlError {
        XmlError::at(self.at, problem)
    }

    /// The root of a document.
    pub(super) fn parse(document: &str) -> Result<Element, XmlError> {
        if document.len() > MOST_BYTES {
            return Err(XmlError::TooLong { bytes: document.len(), most: MOST_BYTES });
        }
        Parser { places: Places::new(document), open: Vec::new(), root: None }.run(document)
    }

    /// The document, two spaces per level.
    pub(super) fn to_document(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0);
        text
    }

    fn write(&self, out: &mut String, level: usize) {
        let indent = "  ".repeat(level);
        out.push_str(&format!("{indent}<{}", self.name));
        for (name, value) in &self.attributes {
            out.push_str(&format!(" {name}=\"{}\"", escape(value.as_str())));
        }
        if self.children.is_empty() && self.text.is_empty() {
            out.push_str("/>\n");
        } else if self.children.is_empty() {
            // Between tags only these two mean something, and `]]>` must not appear.
            let text = self.text.replace('&', "&amp;").replace('<', "&lt;").replace("]]>", "]]&gt;");
            out.push_str(&format!(">{text}</{}>\n", self.name));
        } else {
            out.push_str(">\n");
            for child in &self.children {
                child.write(out, level + 1);
            }
            out.push_str(&format!("{indent}</{}>\n", self.name));
        }
    }
}

struct Parser<'a> {
    places: Places<'a>,
    /// Elements whose end has not come.
    open: Vec<Element>,
    root: Option<Element>,
}

impl Parser<'_> {
    fn run(mut self, document: &str) -> Result<Element, XmlError> {
        let mut reader = Reader::from_str(document);
        reader.config_mut().check_comments = true;
        loop {
            let at = self.places.of(reader.buffer_position());
            let event = reader
                .read_event()
                .map_err(|error| XmlError::at(self.places.of(reader.error_position()), error.to_string()))?;
            match event {
                Event::Start(tag) => {
                    let element = self.begin(&tag, at)?;
                    self.open.push(element);
                }
                Event::Empty(tag) => {
                    let element = self.begin(&tag, at)?;
                    self.close(element)?;
                }
                Event::End(_) => match self.open.pop() {
                    Some(element) => self.close(element)?,
                    None => return Err(XmlError::at(at, "an end tag without its start")),
                },
                Event::Text(text) => self.say(&text.xml10_content(), at)?,
                Event::CData(text) => self.say(&text.xml10_content(), at)?,
                Event::GeneralRef(reference) => {
                    let character =
                        reference.resolve_char_ref().map_err(|error| XmlError::at(at, error.to_string()))?;
                    match (character, resolve_predefined_entity(&reference)) {
                        (Some(character), _) => self.say(character.encode_utf8(&mut [0; 4]), at)?,
                        (None, Some(text)) => self.say(text, at)?,
                        (None, None) => {
                            return Err(XmlError::at(
                                at,
                                "an unknown entity; only &amp; &lt; &gt; &apos; &quot; are read",
                            ));
                        }
                    }
                }
                Event::Comment(_) => {}
                Event::Decl(_) if self.root.is_none() && self.open.is_empty() => {}
                Event::Decl(_) => {
                    return Err(XmlError::at(at, "the XML declaration is not at the beginning"));
                }
                Event::PI(_) => return Err(XmlError::at(at, "processing instructions are not read")),
                Event::DocType(_) => {
                    return Err(XmlError::at(
                        at,
                        "a document type is not read, and no entity is declared; remove it",
                    ));
                }
                Event::Eof => break,
            }
        }
        if let Some(open) = self.open.last() {
            return Err(open.problem(format!("<{}> is not closed", open.name)));
        }
        self.root.ok_or_else(|| XmlError::at(Position { line: 1, column: 1 }, "there is no element"))
    }

    fn begin(&self, tag: &BytesStart<'_>, at: Position) -> Result<Element, XmlError> {
        if self.root.is_some() {
            return Err(XmlError::at(
                at,
                "there is a second element beside the first; a document is one plan",
            ));
        }
        if self.open.len() >= MOST_LEVELS {
            return Err(XmlError::at(at, format!("elements are nested deeper than {MOST_LEVELS} levels")));
        }
        let name = tag.name().into_inner();
        if name.contains(':') {
            return Err(XmlError::at(at, "names with a namespace are not read; write them without prefix"));
        }
        let mut element = Element::new(name);
        element.at = at;
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| XmlError::at(at, format!("in <{name}>: {error}")))?;
            let key = attribute.key.into_inner();
            if key == "xmlns" || key.contains(':') {
                return Err(XmlError::at(at, "namespaces are not read; write names without prefix"));
            }
            if element.attributes.len() == MOST_ATTRIBUTES {
                return Err(XmlError::at(at, format!("<{name}> has too many attributes")));
            }
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| XmlError::at(at, format!("in attribute {key} of <{name}>: {error}")))?;
            visible(&value).map_err(|problem| XmlError::at(at, problem))?;
            element.attributes.push((key.to_owned(), value.into_owned()));
        }
        Ok(element)
    }

    fn close(&mut self, mut element: Element) -> Result<(), XmlError> {
        element.text = element.text.trim().to_owned();
        if !element.children.is_empty() && !element.text.is_empty() {
            return Err(element.problem(format!("<{}> has text between its elements", element.name)));
        }
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
        Ok(())
    }

    fn say(&mut self, text: &str, at: Position) -> Result<(), XmlError> {
        visible(text).map_err(|problem| XmlError::at(at, problem))?;
        match self.open.last_mut() {
            Some(element) => element.text.push_str(text),
            None if text.trim().is_empty() => {}
            None => return Err(XmlError::at(at, "there is text outside of the elements")),
        }
        Ok(())
    }
}

/// Refuses characters that XML cannot hold.
pub(super) fn visible(text: &str) -> Result<(), &'static str> {
    let hidden = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    if text.chars().any(hidden) { Err("a control character is not read") } else { Ok(()) }
}

/// Line and column of ascending offsets, in one pass over the document.
struct Places<'a> {
    document: &'a str,
    seen: usize,
    now: Position,
}

impl<'a> Places<'a> {
    fn new(document: &'a str) -> Places<'a> {
        Places { document, seen: 0, now: Position { line: 1, column: 1 } }
    }

    fn of(&mut self, offset: u64) -> Position {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.document.len());
        let passed = self.document.as_bytes().get(self.seen..offset).unwrap_or_default();
        for byte in passed {
            match byte {
                b'\n' => self.now = Position { line: self.now.line + 1, column: 1 },
                // Only the first byte of a character counts.
                byte if byte & 0xc0 != 0x80 => self.now.column += 1,
                _ => {}
            }
        }
        self.seen = self.seen.max(offset);
        self.now
    }
}
