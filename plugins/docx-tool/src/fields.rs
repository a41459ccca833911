//! Fields and form fields of a part: their instructions and what they show.

use crate::story::shorten;
use crate::xml::{Id, Ns, Tree};

/// Most characters of an instruction or of a shown text that are kept.
const MAX_SHOWN: usize = 200;

/// A field.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The run that begins it, or `w:fldSimple`.
    pub(crate) node: Id,
    /// `PAGE`, `REF`, `FORMTEXT`.
    pub(crate) kind: String,
    pub(crate) instruction: String,
    /// The text that it shows.
    pub(crate) result: String,
    /// Name of a form field.
    pub(crate) name: Option<String>,
    /// Choices of a form field.
    pub(crate) choices: Vec<String>,
}

/// A field that has not ended.
struct Open {
    run: Id,
    data: Option<Id>,
    instruction: String,
    /// Where its result begins in the text of the part.
    result: Option<usize>,
    /// Its place among the fields of the part.
    number: usize,
}

/// Finds the fields of a part in the order in which they begin. Fields that do not end are left out, and so are those that
/// a tracked change deletes.
pub(crate) fn find(tree: &Tree) -> Vec<Field> {
    let mut out: Vec<(usize, Field)> = Vec::new();
    let Some(root) = tree.root() else { return Vec::new() };
    let mut open: Vec<Open> = Vec::new();
    let mut text = String::new();
    let mut count = 0;
    let mut below = tree.descendants(root);
    while let Some(node) = below.next() {
        match tree.name(node) {
            // The other form of a text box has the same fields.
            "" if tree.ns(node) == Ns::Mc && tree.local(node) == "Fallback" => {
                below.skip_children();
            }
            "del" | "moveFrom" => below.skip_children(),
            "t" => text.push_str(&tree.text(node)),
            "instrText" => {
                if let Some(last) = open.last_mut().filter(|it| it.result.is_none())
                    && last.instruction.len() < 4 * MAX_SHOWN
                {
                    last.instruction.push_str(&tree.text(node));
                }
            }
            "fldSimple" => {
                let instruction = tree.attr(node, "instr").unwrap_or_default().into_owned();
                let result = shown(tree, node);
                out.push((count, field(tree, node, &instruction, &result, None)));
                count += 1;
            }
            "fldChar" => match tree.attr(node, "fldCharType").as_deref() {
                Some("begin") => {
                    let Some(run) = tree.parent(node) else { continue };
                    let data = tree.child(node, "ffData");
                    let instruction = String::new();
                    open.push(Open { run, data, instruction, result: None, number: count });
                    count += 1;
                }
                Some("separate") => {
                    if let Some(last) = open.last_mut() {
                        last.result = Some(text.len());
                    }
                }
                Some("end") => {
                    if let Some(it) = open.pop() {
                        let result = it.result.map_or("", |start| &text[start..]);
                        let found = field(tree, it.run, &it.instruction, result, it.data);
                        out.push((it.number, found));
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    out.sort_by_key(|it| it.0);
    out.into_iter().map(|it| it.1).collect()
}

fn field(tree: &Tree, node: Id, instruction: &str, result: &str, data: Option<Id>) -> Field {
    let instruction = shorten(instruction.trim(), MAX_SHOWN);
    let kind = instruction.split_whitespace().next().unwrap_or_default().to_uppercase();
    let mut found = Field {
        node,
        kind,
        instruction,
        result: shorten(result.trim(), MAX_SHOWN),
        name: data.and_then(|it| tree.value(it, "name")).map(|it| it.into_owned()),
        choices: Vec::new(),
    };
    let Some(data) = data else { return found };
    if let Some(state) = tree.child(data, "checkBox") {
        let value = tree.child(state, "checked").or_else(|| tree.child(state, "default"));
        let is_on = value.is_some_and(|it| is_on(tree, it));
        found.result = is_on.to_string();
    }
    if let Some(list) = tree.child(data, "ddList") {
        let entries = tree.elements(list).filter(|&it| tree.is(it, "listEntry")).take(100);
        found.choices =
            entries.filter_map(|it| tree.attr(it, "val")).map(|it| it.into_owned()).collect();
        let index = tree.value(list, "result").and_then(|it| it.parse::<usize>().ok());
        found.result = found.choices.get(index.unwrap_or(0)).cloned().unwrap_or_default();
    }
    found
}

/// Returns the instruction of a field: `PAGE`, `REF _Ref1 \h`.
pub(crate) fn instruction(tree: &Tree, field: Id) -> String {
    if tree.is(field, "fldSimple") {
        return tree.attr(field, "instr").unwrap_or_default().trim().to_owned();
    }
    let mut text = String::new();
    let mut at = Some(field);
    while let Some(run) = at {
        for it in tree.descendants(run) {
            match tree.name(it) {
                "instrText" | "delInstrText" => text.push_str(&tree.text(it)),
                "fldChar" if tree.attr(it, "fldCharType").as_deref() == Some("separate") => {
                    return shorten(text.trim(), 120);
                }
                _ => {}
            }
        }
        at = tree.next(run).filter(|_| text.len() < 500);
    }
    shorten(text.trim(), 120)
}

/// Returns `true` unless the value of a switch is off.
pub(crate) fn is_on(tree: &Tree, node: Id) -> bool {
    tree.attr(node, "val").is_none_or(|it| matches!(&*it, "1" | "true" | "on"))
}

/// Returns the beginning of the text below a node.
fn shown(tree: &Tree, node: Id) -> String {
    let mut out = String::new();
    for it in tree.descendants(node) {
        if tree.is(it, "t") {
            out.push_str(&tree.text(it));
        }
        if out.len() > 4 * MAX_SHOWN {
            break;
        }
    }
    out
}
