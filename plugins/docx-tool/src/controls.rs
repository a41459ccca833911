//! Content controls: their kinds, values and choices.

use crate::fields::is_on;
use crate::story::shorten;
use crate::text::Line;
use crate::xml::{Id, Ns, Tree};
use std::collections::HashSet;

/// Most choices of a list that are kept.
const MAX_CHOICES: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlKind {
    Text,
    RichText,
    DropDown,
    ComboBox,
    CheckBox,
    Date,
    /// A picture, a group, a repeated section, a bibliography: its value is no text.
    Other(&'static str),
}

impl ControlKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::RichText => "rich text",
            Self::DropDown => "drop-down",
            Self::ComboBox => "combo box",
            Self::CheckBox => "check box",
            Self::Date => "date",
            Self::Other(name) => name,
        }
    }
}

/// A content control.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    /// `w:sdt`.
    pub(crate) node: Id,
    pub(crate) kind: ControlKind,
    pub(crate) title: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) is_locked: bool,
    /// `true` if it is filled from data of the document.
    pub(crate) is_bound: bool,
}

/// Finds the content controls of a part, outermost first. Both forms of a text box have theirs.
pub(crate) fn find(tree: &Tree) -> Vec<Control> {
    let Some(root) = tree.root() else { return Vec::new() };
    let all = tree.descendants(root).filter(|&it| tree.is(it, "sdt"));
    all.map(|it| read(tree, it)).collect()
}

pub(crate) fn read(tree: &Tree, node: Id) -> Control {
    let properties = tree.child(node, "sdtPr");
    let value = |name: &str| {
        let found = properties.and_then(|it| tree.value(it, name));
        found.filter(|it| !it.is_empty()).map(|it| it.into_owned())
    };
    Control {
        node,
        kind: properties.map_or(ControlKind::RichText, |it| kind(tree, it)),
        title: value("alias"),
        tag: value("tag"),
        is_locked: value("lock").is_some_and(|it| it.contains("ontentLocked")),
        is_bound: properties
            .is_some_and(|it| tree.elements(it).any(|it| tree.local(it) == "dataBinding")),
    }
}

fn kind(tree: &Tree, properties: Id) -> ControlKind {
    let known = |it: Id| {
        Some(match (tree.ns(it), tree.local(it)) {
            (Ns::W, "text") => ControlKind::Text,
            (Ns::W, "richText") => ControlKind::RichText,
            (Ns::W, "dropDownList") => ControlKind::DropDown,
            (Ns::W, "comboBox") => ControlKind::ComboBox,
            (Ns::W, "date") => ControlKind::Date,
            (Ns::W14, "checkbox") => ControlKind::CheckBox,
            (Ns::W, "picture") => ControlKind::Other("picture"),
            (Ns::W, "group") => ControlKind::Other("group"),
            (Ns::W, "equation") => ControlKind::Other("equation"),
            (Ns::W, "citation" | "bibliography") => ControlKind::Other("bibliography"),
            (Ns::W, "docPartObj" | "docPartList") => ControlKind::Other("building block"),
            (Ns::W15, "repeatingSection" | "repeatingSectionItem") => {
                ControlKind::Other("repeated section")
            }
            _ => return None,
        })
    };
    tree.elements(properties).find_map(known).unwrap_or(ControlKind::RichText)
}

/// Returns the paragraphs of a control without those of its text boxes. The list is empty for an inline control.
pub(crate) fn paragraphs(tree: &Tree, control: Id) -> Vec<Id> {
    let mut out = Vec::new();
    let Some(content) = tree.child(control, "sdtContent") else { return out };
    let mut below = tree.descendants(content);
    while let Some(it) = below.next() {
        if tree.is(it, "p") {
            out.push(it);
            below.skip_children();
        } else if tree.is(it, "r") {
            below.skip_children();
        }
    }
    out
}

/// Returns `true` if a control shows its hint instead of a value.
pub(crate) fn is_placeholder(tree: &Tree, control: Id) -> bool {
    let properties = tree.child(control, "sdtPr");
    properties.and_then(|it| tree.child(it, "showingPlcHdr")).is_some_and(|it| is_on(tree, it))
}

/// Returns the value of a control: its text, or `true` or `false` of a check box. It is empty while the hint is shown.
pub(crate) fn value(tree: &Tree, control: &Control, codes: &HashSet<Id>) -> String {
    if control.kind == ControlKind::CheckBox {
        return is_checked(tree, control.node).to_string();
    }
    if is_placeholder(tree, control.node) {
        return String::new();
    }
    let Some(content) = tree.child(control.node, "sdtContent") else { return String::new() };
    let inner = paragraphs(tree, control.node);
    if inner.is_empty() {
        return Line::read(tree, content, codes).text;
    }
    let lines: Vec<String> =
        inner.iter().take(1_000).map(|&it| Line::read(tree, it, codes).text).collect();
    lines.join("\n")
}

/// Returns the element with the state of a check box.
pub(crate) fn check_box(tree: &Tree, control: Id) -> Option<Id> {
    let properties = tree.child(control, "sdtPr")?;
    tree.elements(properties).find(|&it| tree.ns(it) == Ns::W14 && tree.local(it) == "checkbox")
}

fn is_checked(tree: &Tree, control: Id) -> bool {
    let state = check_box(tree, control).and_then(|it| tree.any_child(it, "checked"));
    state.is_some_and(|it| is_on(tree, it))
}

/// Returns the choices of a drop-down or a combo box: what is shown, and the value behind it.
pub(crate) fn choices(tree: &Tree, control: Id) -> Vec<(String, String)> {
    let Some(properties) = tree.child(control, "sdtPr") else { return Vec::new() };
    let list = tree.child(properties, "dropDownList").or(tree.child(properties, "comboBox"));
    let Some(list) = list else { return Vec::new() };
    let items = tree.elements(list).filter(|&it| tree.is(it, "listItem")).take(MAX_CHOICES);
    items
        .map(|it| {
            let value = tree.attr(it, "value").unwrap_or_default().into_owned();
            let shown = tree.attr(it, "displayText").map_or_else(|| value.clone(), |it| it.into());
            (shown, value)
        })
        .collect()
}

/// Names a control in a list of details: `` `Client` (drop-down, locked) ``.
pub(crate) fn label(control: &Control) -> String {
    let name = control.title.as_deref().or(control.tag.as_deref()).unwrap_or_default();
    let mut notes = Vec::new();
    if !matches!(control.kind, ControlKind::Text | ControlKind::RichText) {
        notes.push(control.kind.name());
    }
    if control.is_locked {
        notes.push("locked");
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("`{}`{notes}", shorten(name, 80))
}
