//! A formula as data for the template: steps that take parts from a stack and push a result. So the template needs no
//! recursive function, and the depth of its calls is bounded.

use serde_json::{Value, json};

use crate::shared::math::{
    Alphabet, Class, Formula, Grid, GridKind, Letters, Mark, Node, ScriptPlacement, Side, Size,
    Strike, Symbol,
};

/// Returns the steps that draw a formula. `plain` replaces characters that the fonts lack.
pub(super) fn steps(formula: &Formula, plain: &mut dyn FnMut(&str) -> String) -> Vec<Value> {
    let mut writer = Writer { steps: Vec::new(), plain };
    writer.node(&formula.body);
    writer.steps
}

struct Writer<'a> {
    steps: Vec<Value>,
    plain: &'a mut dyn FnMut(&str) -> String,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) {
        let step = match node {
            Node::Row(nodes) => {
                nodes.iter().for_each(|node| self.node(node));
                json!(["row", nodes.len()])
            }
            Node::Symbol(symbol) => symbol_step(symbol),
            Node::Text(text) => {
                let words = (self.plain)(&text.text);
                json!(["text", words, text.is_strong, text.is_italic, text.is_code])
            }
            Node::Operator { name, has_limits } => {
                json!(["function", (self.plain)(name), has_limits])
            }
            Node::Space(width) => json!(["space", width]),
            Node::Fraction { top, bottom, size } => {
                self.node(top);
                self.node(bottom);
                json!(["fraction", size.map(name_of_size)])
            }
            Node::Binomial { top, bottom, size } => {
                self.node(top);
                self.node(bottom);
                json!(["binomial", size.map(name_of_size)])
            }
            Node::Root { index, body } => {
                self.node(body);
                self.optional(index.as_deref());
                json!(["root", index.is_some()])
            }
            Node::Scripts { base, sub, sup, place } => {
                self.node(base);
                self.optional(sub.as_deref());
                self.optional(sup.as_deref());
                let place = match place {
                    ScriptPlacement::Stacked => "stacked",
                    ScriptPlacement::Beside if base.class() == Class::Large => "beside",
                    _ => "usual",
                };
                json!(["scripts", sub.is_some(), sup.is_some(), place])
            }
            Node::Accent { base, accent } => {
                self.node(base);
                json!(["accent", accent.combining])
            }
            Node::Along { base, mark, is_over } => {
                self.node(base);
                let mark = match mark {
                    Mark::Line => "line",
                    Mark::Brace => "brace",
                    Mark::Bracket => "bracket",
                    Mark::Parenthesis => "parenthesis",
                };
                json!(["along", mark, is_over])
            }
            Node::Arrow { sign, above, below } => {
                self.node(above);
                self.optional(below.as_deref());
                json!(["arrow", sign, below.is_some()])
            }
            Node::Fence { open, close, between, parts } => {
                parts.iter().for_each(|part| self.node(part));
                json!(["fence", open, close, between])
            }
            Node::Big { sign, class, step } => {
                json!(["big", sign, name_of_class(*class), 6 * u32::from(*step) + 6])
            }
            Node::Grid(grid) => self.grid(grid),
            Node::Boxed(body) => {
                self.node(body);
                json!(["boxed"])
            }
            Node::Struck { body, strike } => {
                self.node(body);
                json!(["struck", *strike == Strike::Down, *strike == Strike::Both])
            }
            Node::Phantom(body) => {
                self.node(body);
                json!(["phantom"])
            }
            Node::Sized { size, body } => {
                self.node(body);
                json!(["sized", name_of_size(*size)])
            }
            Node::Classed { class, body } => {
                self.node(body);
                json!(["class", name_of_class(*class)])
            }
        };
        self.steps.push(step);
    }

    fn optional(&mut self, node: Option<&Node>) {
        if let Some(node) = node {
            self.node(node);
        }
    }

    fn grid(&mut self, grid: &Grid) -> Value {
        let kind = match grid.kind {
            GridKind::Matrix => "matrix",
            GridKind::Small => "small",
            GridKind::Cases => "cases",
            GridKind::Lines => "lines",
        };
        let sides = grid.columns.iter().map(|side| match side {
            Side::Left => "left",
            Side::Center => "center",
            Side::Right => "right",
        });
        let sides: Vec<_> = sides.collect();
        grid.rows.iter().flatten().for_each(|cell| self.node(cell));
        let before = |number: &usize| number - 1;
        let lines: Vec<_> = grid.lines.iter().map(before).collect();
        let rules: Vec<_> =
            grid.rules.iter().map(before).filter(|rule| *rule <= grid.rows.len()).collect();
        json!(["grid", kind, sides, grid.rows.len(), grid.open, grid.close, lines, rules])
    }
}

fn symbol_step(symbol: &Symbol) -> Value {
    let Symbol { text, class, letters } = symbol;
    if text.chars().all(|c| c == '′') {
        return json!(["primes", text.chars().count()]);
    }
    let mut chars = text.chars();
    let only = chars.next().filter(|_| chars.next().is_none());
    match only {
        Some(c) if !c.is_ascii_digit() => {
            let class = match class {
                Class::Large => None,
                Class::Ordinary if c.is_alphabetic() => None,
                class => Some(name_of_class(*class)),
            };
            json!(["sign", text, class, looks(*letters)])
        }
        _ => json!(["word", text, looks(*letters)]),
    }
}

/// Returns functions of the template that set the style of letters.
fn looks(letters: Letters) -> Vec<&'static str> {
    let mut looks = Vec::new();
    if letters.is_bold {
        looks.push("bold");
    }
    match letters.is_italic {
        Some(true) => looks.push("italic"),
        Some(false) => looks.push("upright"),
        None => {}
    }
    looks.extend(match letters.alphabet {
        Alphabet::Serif => None,
        Alphabet::Sans => Some("sans"),
        Alphabet::Monospaced => Some("mono"),
        Alphabet::Script => Some("cal"),
        Alphabet::Fraktur => Some("frak"),
        Alphabet::Blackboard => Some("bb"),
    });
    looks
}

fn name_of_class(class: Class) -> &'static str {
    match class {
        Class::Ordinary => "normal",
        Class::Large => "large",
        Class::Binary => "binary",
        Class::Relation => "relation",
        Class::Opening => "opening",
        Class::Closing => "closing",
        Class::Punctuation => "punctuation",
    }
}

fn name_of_size(size: Size) -> &'static str {
    match size {
        Size::Display => "display",
        Size::Text => "inline",
        Size::Script => "script",
        Size::ScriptScript => "sscript",
    }
}
