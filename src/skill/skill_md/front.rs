//! Front matter of a Markdown file: finds its end, and parses its YAML to fields with lines.
//!
//! Knows YAML and its traps; does not know what the fields mean.

use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

/// Deepest nesting; the standard has two levels.
const MAX_DEPTH: usize = 16;

/// Most nodes of a front matter.
const MAX_NODES: usize = 4_096;

/// File split into front matter and body.
pub struct Split<'a> {
    /// The lines between the two lines `---`.
    pub front: &'a str,
    /// The text behind the second line `---`.
    pub body: &'a str,
    /// Line of the file in which the body begins, from 1.
    pub body_line: u64,
}

/// Reason why a file cannot be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsplit {
    /// The first line is not `---`.
    NoFrontMatter,
    /// No later line is `---`.
    NotClosed,
}

/// Splits a text with `\n` line ends at the two lines `---`. Three hyphens anywhere else are text.
///
/// # Errors
///
/// One of the two lines is not there.
pub fn split(text: &str) -> Result<Split<'_>, Unsplit> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_mark(line)).ok_or(Unsplit::NoFrontMatter)?;
    let start = first.len();
    let mut end = start;
    for (index, line) in lines.enumerate() {
        if is_mark(line) {
            let body = &text[end + line.len()..];
            return Ok(Split { front: &text[start..end], body, body_line: index as u64 + 3 });
        }
        end += line.len();
    }
    Err(Unsplit::NotClosed)
}

/// Returns whether a line is `---` at the margin, alone or before a comment.
fn is_mark(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| {
        rest.trim().is_empty()
            || rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#')
    })
}

/// Key and value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Key, as written.
    pub key: String,
    /// Line of the file.
    pub line: u64,
    /// Value of the key.
    pub value: Value,
    /// YAML syntax in it that the reference implementation does not read: `a flow collection`, `an anchor`.
    pub style: Option<&'static str>,
}

/// Advice if a text is expected.
pub const NO_TEXT: &str = "write it as text behind the colon";

impl Field {
    /// Returns its text without surrounding white space; `None` if it is empty.
    ///
    /// # Errors
    ///
    /// The value is a list or a mapping; the error is a message that says so.
    pub fn one_text(&self) -> Result<Option<String>, String> {
        match &self.value {
            Value::Text(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Value::Empty => Ok(None),
            other => Err(format!("{}: expected a text, got {}", self.key, other.what())),
        }
    }
}

/// Value. Every scalar is a text, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, or `null`.
    Empty,
    /// A scalar.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping.
    Map(Vec<Field>),
}

impl Value {
    /// Returns a phrase for "got …".
    pub(super) fn what(&self) -> &'static str {
        match self {
            Value::Empty => "nothing",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// Reason why a front matter is not YAML.
pub struct NotYaml {
    /// Line of the file, if known.
    pub line: Option<u64>,
    /// The parser's message.
    pub message: String,
}

/// Parsed front matter.
#[derive(Debug, Default)]
pub struct Front {
    /// Keys and values, in the order of the file.
    pub fields: Vec<Field>,
    /// Lines with a tab where some parsers accept only blanks: outside of quotes, block texts and comments.
    pub tabs: Vec<u64>,
}

/// Parses the YAML of a front matter that begins in line 2 of its file.
///
/// # Errors
///
/// It is not a mapping in YAML, nested too deeply, or too large.
pub fn parse(front: &str) -> Result<Front, NotYaml> {
    if front.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Front::default());
    }
    // An empty line in place of the `---`, so that line numbers match the file.
    let source = format!("\n{front}");
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES, max_documents: 1 },
        with_snippet: false,
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::PassThrough,
    };
    let read = serde_saphyr::from_str_with_options::<Spanned<Node>>(&source, options);
    match read {
        Ok(Spanned { value: Node::Map(entries), .. }) => {
            let mut scalars = Vec::new();
            entries.iter().for_each(|(_, node)| collect(&source, node, &mut scalars));
            Ok(Front { tabs: tabs(&source, &scalars), fields: fields(&source, entries) })
        }
        Ok(other) => Err(NotYaml {
            line: Some(other.referenced.line()),
            message: "expected lines such as `name: …`, got no mapping".into(),
        }),
        Err(error) => Err(NotYaml {
            line: error.location().map(|location| location.line()).filter(|line| *line > 0),
            message: error.without_snippet().to_string(),
        }),
    }
}

fn fields(source: &str, entries: Vec<(Spanned<String>, Spanned<Node>)>) -> Vec<Field> {
    let field = |(key, node): (Spanned<String>, Spanned<Node>)| Field {
        line: key.referenced.line().max(1),
        style: style(source, &key.referenced, &node),
        value: value(source, node),
        key: key.value,
    };
    entries.into_iter().map(field).collect()
}

fn value(source: &str, node: Spanned<Node>) -> Value {
    match node.value {
        Node::Text(text) => Value::Text(text),
        // A number, a boolean or `null` is a text here, as the author wrote it.
        Node::Typed | Node::Null => match slice(source, &node.referenced).map(str::trim) {
            Some(text) if !text.is_empty() => Value::Text(text.to_owned()),
            _ => Value::Empty,
        },
        Node::List(items) => {
            Value::List(items.into_iter().map(|item| value(source, item)).collect())
        }
        Node::Map(entries) => Value::Map(fields(source, entries)),
    }
}

fn slice<'a>(source: &'a str, location: &Location) -> Option<&'a str> {
    source.get(range(location)?)
}

fn range(location: &Location) -> Option<Range<usize>> {
    let start = usize::try_from(location.span().byte_offset()?).ok()?;
    let length = usize::try_from(location.span().byte_len()?).ok()?;
    Some(start..start.checked_add(length)?)
}

/// Collects the byte ranges of all scalars in order, and whether a tab is text in them.
fn collect(source: &str, node: &Spanned<Node>, scalars: &mut Vec<(Range<usize>, bool)>) {
    match &node.value {
        Node::List(items) => items.iter().for_each(|item| collect(source, item, scalars)),
        Node::Map(entries) => {
            entries.iter().for_each(|(_, value)| collect(source, value, scalars));
        }
        Node::Text(_) | Node::Typed | Node::Null => {
            if let Some(range) = range(&node.referenced)
                && let Some(text) = source.get(range.clone())
            {
                // A block text begins in the line after its indicator.
                let sign = source[..range.start].split_whitespace().next_back().unwrap_or("");
                let marked =
                    text.starts_with(['"', '\'', '|', '>']) || sign.starts_with(['|', '>']);
                scalars.push((range, marked));
            }
        }
    }
}

/// Returns the lines with a tab that is neither in a text nor in a comment.
fn tabs(source: &str, scalars: &[(Range<usize>, bool)]) -> Vec<u64> {
    let mut lines = Vec::new();
    let mut scalars = scalars.iter().peekable();
    let (mut line, mut comment, mut before) = (1, false, '\n');
    for (at, c) in source.char_indices() {
        while scalars.next_if(|(range, _)| range.end <= at).is_some() {}
        let scalar = scalars.peek().filter(|(range, _)| range.contains(&at));
        match c {
            '\n' => (line, comment) = (line + 1, false),
            '#' if scalar.is_none() && before.is_whitespace() => comment = true,
            '\t' if !comment && !scalar.is_some_and(|(_, marked)| *marked) => lines.push(line),
            _ => {}
        }
        before = c;
    }
    lines.dedup();
    lines
}

/// Returns the syntax between a key and its value, or at the start of the value, that the reference implementation refuses.
fn style(source: &str, key: &Location, node: &Spanned<Node>) -> Option<&'static str> {
    let key_end = key.span().byte_offset()?.checked_add(key.span().byte_len()?)?;
    let key_end = usize::try_from(key_end).ok()?;
    let start = usize::try_from(node.referenced.span().byte_offset()?).ok()?;
    // The closing quote of a quoted key may be included.
    let between = source.get(key_end..start.max(key_end))?.trim_start_matches(['"', '\'']);
    let between = between.trim_start().strip_prefix(':').unwrap_or(between);
    let property = between
        .lines()
        .map(|line| line.split(" #").next().unwrap_or(line).trim())
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    let begin = property.or_else(|| source.get(start..))?.chars().next()?;
    match (begin, &node.value) {
        ('[' | '{', Node::List(_) | Node::Map(_)) => Some("a collection in brackets"),
        ('&', _) => Some("an anchor"),
        ('*', _) => Some("an alias"),
        ('!', _) => Some("a tag"),
        _ => None,
    }
}

/// YAML node; scalars that are not texts are read from the source.
#[derive(Debug)]
enum Node {
    Null,
    Text(String),
    Typed,
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("YAML")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Typed)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn only_a_line_of_its_own_closes() {
        let split = split("---\nname: a\ndescription: a --- b\n  --- c\n---\nbody\n---\nmore\n")
            .unwrap_or_else(|_| panic!("cut"));
        assert_eq!(split.front, "name: a\ndescription: a --- b\n  --- c\n");
        assert_eq!((split.body, split.body_line), ("body\n---\nmore\n", 6));
        assert_eq!(super::split("# x\n").err(), Some(Unsplit::NoFrontMatter));
        assert_eq!(super::split("----\nname: x\n---\n").err(), Some(Unsplit::NoFrontMatter));
        assert_eq!(super::split("---\nname: x ---\n ---\n").err(), Some(Unsplit::NotClosed));
        assert_eq!(super::split("--- # x\n---").map(|split| split.body).ok(), Some(""));
    }

    #[test]
    fn scalars_are_text_as_written() {
        let fields = parse("a: 1.0\nb: true\nc: 0x1F\nd: ~\ne:\nf: '1'\ng: 007\nh: 1e400\n")
            .ok()
            .unwrap()
            .fields;
        let values: Vec<_> = fields.into_iter().map(|field| field.value).collect();
        let wanted = [
            text("1.0"),
            text("true"),
            text("0x1F"),
            text("~"),
            Value::Empty,
            text("1"),
            text("007"),
            text("1e400"),
        ];
        assert_eq!(values, wanted);
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let fields = parse("# note\nname: a\n\nmetadata:\n  x: y\n").ok().unwrap().fields;
        assert_eq!((fields[0].line, fields[1].line), (3, 5));
        let Value::Map(inner) = &fields[1].value else { panic!("mapping") };
        assert_eq!((inner[0].key.as_str(), inner[0].line), ("x", 6));
        assert_eq!(parse("name: a\ndescription: b: c\n").err().unwrap().line, Some(3));
    }

    #[test]
    fn styles_that_the_reference_does_not_read() {
        for (yaml, style) in [
            ("a: [x]", Some("a collection in brackets")),
            ("a: {x: y}", Some("a collection in brackets")),
            ("a:\n  {x: y}", Some("a collection in brackets")),
            ("a: &b x", Some("an anchor")),
            ("a: !!str x", Some("a tag")),
            ("a: # &b\n  x", None),
            ("a: '[x]'", None),
            ("'a': x", None),
            ("\"a\": [x]", Some("a collection in brackets")),
            ("a: |\n  [x]", None),
            ("a: x & y [z]", None),
            ("a:\n  - x", None),
            ("a:", None),
        ] {
            assert_eq!(parse(yaml).ok().unwrap().fields[0].style, style, "{yaml}");
        }
    }

    #[test]
    fn tabs_that_not_all_read() {
        for (yaml, lines) in [
            ("a: b\tc\nd: e", vec![2]),
            ("a:\tb", vec![2]),
            ("a: b\t# c", vec![2]),
            ("a: b\n\t\nc: d\n\t\n", vec![3, 5]),
            ("a: b # c\td\n#\t\ne: f", vec![]),
            ("a: 'b\tc'\nd: \"e\tf\"", vec![]),
            ("a: |\n  b\tc\n  # d\te\nf: g\th", vec![5]),
            ("a: >-\n  b\tc\n", vec![]),
            ("a: b#\tc", vec![2]),
            ("a:\n  b: c\td", vec![3]),
            ("a:\n  - c\td", vec![3]),
        ] {
            assert_eq!(parse(yaml).ok().unwrap().tabs, lines, "{yaml}");
        }
    }

    #[test]
    fn bombs_and_duplicates_are_refused() {
        let deep = "[".repeat(100_000);
        let wide = format!("a: [{}]", "x,".repeat(10_000));
        for yaml in
            [deep.as_str(), &wide, "a: 1\na: 2", "- a", "just text", "a: *b", "a: b\n---\nc: d"]
        {
            assert!(parse(yaml).is_err(), "{}", &yaml[..yaml.len().min(20)]);
        }
    }
}
