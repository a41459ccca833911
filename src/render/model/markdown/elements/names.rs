//! Meanings of HTML elements, by name.

use super::super::super::doc::TextStyle;

/// Meaning of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Format(InlineFormat),
    /// Code, keys, output: everything in monospaced letters.
    Code,
    /// Replacement text for something that is shown.
    Dropped,
    Link,
    Image,
    Break,
    Rule,
    /// A block without a meaning of its own.
    Block,
    Summary,
    Heading(u8),
    Quote,
    List {
        is_numbered: bool,
    },
    Item,
    Table,
    Row,
    Cell,
    Preformatted,
    /// Has no visible effect.
    Nothing,
    /// Would run, or hide what follows: shown as text.
    Shown,
    Unknown,
}

/// Formatting of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InlineFormat {
    Strong,
    Emphasis,
    Struck,
    Style(TextStyle),
    /// Enclosed by these quotation marks.
    Quoted(&'static str, &'static str),
}

impl Meaning {
    /// Returns `true` if it begins on a new line.
    pub(super) fn is_block(self) -> bool {
        matches!(
            self,
            Meaning::Block
                | Meaning::Summary
                | Meaning::Heading(_)
                | Meaning::Quote
                | Meaning::List { .. }
                | Meaning::Item
                | Meaning::Preformatted
                | Meaning::Rule
        )
    }
}

/// Returns the meaning of an element, by its name in lower case.
pub(super) fn meaning(name: &str) -> Meaning {
    use TextStyle::{Mark, Subscript, Superscript, Underline};
    match name {
        "b" | "strong" | "dt" => Meaning::Format(InlineFormat::Strong),
        "i" | "em" | "cite" | "dfn" | "var" => Meaning::Format(InlineFormat::Emphasis),
        "s" | "strike" | "del" => Meaning::Format(InlineFormat::Struck),
        "u" | "ins" => Meaning::Format(InlineFormat::Style(Underline)),
        "mark" => Meaning::Format(InlineFormat::Style(Mark)),
        "sub" => Meaning::Format(InlineFormat::Style(Subscript)),
        "sup" => Meaning::Format(InlineFormat::Style(Superscript)),
        "q" => Meaning::Format(InlineFormat::Quoted("“", "”")),
        "rt" => Meaning::Format(InlineFormat::Quoted("(", ")")),
        "code" | "kbd" | "samp" | "tt" => Meaning::Code,
        "rp" => Meaning::Dropped,
        "a" => Meaning::Link,
        "img" => Meaning::Image,
        "br" => Meaning::Break,
        "hr" => Meaning::Rule,
        "p" | "div" | "center" | "details" | "section" | "article" | "aside" | "header"
        | "footer" | "main" | "nav" | "figure" | "figcaption" | "address" | "hgroup" | "dl"
        | "dd" | "caption" | "body" | "html" => Meaning::Block,
        "summary" => Meaning::Summary,
        "h1" => Meaning::Heading(1),
        "h2" => Meaning::Heading(2),
        "h3" => Meaning::Heading(3),
        "h4" => Meaning::Heading(4),
        "h5" => Meaning::Heading(5),
        "h6" => Meaning::Heading(6),
        "blockquote" => Meaning::Quote,
        "ul" => Meaning::List { is_numbered: false },
        "ol" => Meaning::List { is_numbered: true },
        "li" => Meaning::Item,
        "table" => Meaning::Table,
        "tr" => Meaning::Row,
        "td" | "th" => Meaning::Cell,
        "pre" => Meaning::Preformatted,
        "span" | "font" | "small" | "big" | "abbr" | "acronym" | "time" | "data" | "bdi"
        | "bdo" | "label" | "picture" | "source" | "wbr" | "ruby" | "rb" | "rtc" | "thead"
        | "tbody" | "tfoot" | "colgroup" | "col" | "nobr" => Meaning::Nothing,
        "script" | "style" | "iframe" | "title" | "textarea" | "xmp" | "noembed" | "noframes"
        | "plaintext" => Meaning::Shown,
        _ => Meaning::Unknown,
    }
}

/// Returns `true` if an element without a meaning here is an HTML element.
pub(super) fn is_html(name: &str) -> bool {
    matches!(
        name,
        "applet"
            | "area"
            | "audio"
            | "base"
            | "button"
            | "canvas"
            | "datalist"
            | "dialog"
            | "embed"
            | "fieldset"
            | "form"
            | "frame"
            | "frameset"
            | "head"
            | "input"
            | "legend"
            | "link"
            | "map"
            | "marquee"
            | "math"
            | "menu"
            | "meta"
            | "meter"
            | "noscript"
            | "object"
            | "optgroup"
            | "option"
            | "output"
            | "param"
            | "progress"
            | "search"
            | "select"
            | "slot"
            | "svg"
            | "template"
            | "track"
            | "video"
    )
}
