//! Writes equations of Office (OMML) as LaTeX.
//!
//! Language models know LaTeX better than other linear forms, and its braces show where an exponent or a denominator
//! ends. Only structure becomes commands. Letters and signs stay Unicode characters (`≤`, `α`, `×`), which is shorter
//! and exact, and needs no table that could be wrong.

mod field;
mod letters;

use crate::notes::Notes;
use crate::xml::{Child, Node};
use letters::{Face, is_function, map_text};
use mitt_reader_kit::is_plain_number;

pub(crate) use field::from_field;

/// Returns an equation (`m:oMath`) as LaTeX without delimiters; empty if it has no text.
pub(crate) fn latex(equation: &Node, notes: &mut Notes) -> String {
    Converter { notes, in_name: false, drops_ampersands: false }
        .sequence(equation)
        .trim()
        .to_owned()
}

/// Returns LaTeX for running text. A plain number has no delimiters, so it stays a number in a table.
pub(crate) fn delimited(latex: &str, is_display: bool) -> String {
    if latex.is_empty() || is_plain_number(latex) {
        latex.to_owned()
    } else if is_display {
        format!("$${latex}$$")
    } else {
        format!("${latex}$")
    }
}

struct Converter<'a> {
    notes: &'a mut Notes,
    /// `true` if runs are the name of a function.
    in_name: bool,
    /// `true` if `&` is an alignment point.
    drops_ampersands: bool,
}

impl Converter<'_> {
    fn sequence(&mut self, parent: &Node) -> String {
        let mut out = String::new();
        for node in parent.nodes() {
            let piece = self.element(node);
            push(&mut out, &piece);
        }
        out
    }

    fn element(&mut self, node: &Node) -> String {
        match node.name.as_str() {
            "r" => self.run(node),
            "f" => self.fraction(node),
            "sSup" => self.scripts(node, false, true),
            "sSub" => self.scripts(node, true, false),
            "sSubSup" => self.scripts(node, true, true),
            "sPre" => {
                let (sub, sup) = (self.argument(node, "sub"), self.argument(node, "sup"));
                let mut out = format!("{{}}{}{}", script('_', &sub), script('^', &sup));
                push(&mut out, &self.argument(node, "e"));
                out
            }
            "rad" => self.radical(node),
            "nary" => self.nary(node),
            "d" => self.delimiter(node),
            "m" => format!("\\begin{{matrix}}{}\\end{{matrix}}", self.rows(node)),
            "eqArr" => format!("\\begin{{aligned}}{}\\end{{aligned}}", self.lines(node)),
            "func" => self.function(node),
            "limLow" => self.limit(node, '_', "\\underset"),
            "limUpp" => self.limit(node, '^', "\\overset"),
            "acc" => self.accent(node),
            "bar" => {
                let is_top = node.child("barPr").and_then(|pr| pr.value("pos")) == Some("top");
                let name = if is_top { "\\overline" } else { "\\underline" };
                format!("{name}{{{}}}", self.argument(node, "e"))
            }
            "groupChr" => self.group_character(node),
            "borderBox" => self.border_box(node),
            "phant" => {
                let is_shown = node
                    .child("phantPr")
                    .is_none_or(|pr| pr.child("show").is_none() || pr.is_on("show"));
                let inner = self.argument(node, "e");
                if is_shown { inner } else { format!("\\phantom{{{inner}}}") }
            }
            "box" => self.argument(node, "e"),
            // Runs in insertions, links, and the equation itself are read in place.
            "oMath" | "oMathPara" | "e" | "ins" | "moveTo" | "hyperlink" | "smartTag" | "sdt"
            | "sdtContent" | "num" | "den" | "sub" | "sup" | "deg" | "lim" | "fName" => {
                self.sequence(node)
            }
            "del" | "moveFrom" => String::new(),
            name if name.ends_with("Pr") || is_mark(name) => String::new(),
            name => self.unknown(name, node),
        }
    }

    fn unknown(&mut self, name: &str, node: &Node) -> String {
        let text = node.text();
        if text.trim().is_empty() {
            return String::new();
        }
        self.notes.unknown_math(name);
        map_text(text.trim(), Face::Plain, false)
    }

    fn argument(&mut self, node: &Node, name: &str) -> String {
        // The base of `sin²` is the name of a function, its exponent is not.
        let in_name = self.in_name;
        self.in_name = in_name && name == "e";
        let out = node.child(name).map(|inner| self.sequence(inner)).unwrap_or_default();
        self.in_name = in_name;
        out.trim().to_owned()
    }

    fn run(&mut self, node: &Node) -> String {
        let mut text = String::new();
        for child in &node.children {
            let Child::Node(inner) = child else { continue };
            match inner.name.as_str() {
                "t" => text.push_str(&inner.text()),
                "br" | "tab" | "cr" => text.push(' '),
                "noBreakHyphen" => text.push('-'),
                name if name.ends_with("Pr") || name == "delText" || is_mark(name) => {}
                name => {
                    let unknown = self.unknown(name, inner);
                    text.push_str(&unknown);
                }
            }
        }
        if self.drops_ampersands {
            text.retain(|character| character != '&');
        }
        let property = |name: &str| {
            node.nodes().filter(|inner| inner.name == "rPr").find_map(|inner| inner.value(name))
        };
        let is_normal = node.nodes().any(|inner| inner.name == "rPr" && inner.is_on("nor"));
        // The sign for function application follows the name.
        let name = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{2061}');
        if (self.in_name || property("sty") == Some("p")) && is_function(name) {
            return format!("\\{name}");
        }
        let face = match (property("scr"), property("sty")) {
            (Some("double-struck"), _) => Face::DoubleStruck,
            (Some("script"), _) => Face::Script,
            (Some("fraktur"), _) => Face::Fraktur,
            (_, Some("b" | "bi")) => Face::Bold,
            (_, Some("p")) => Face::Upright,
            _ => Face::Plain,
        };
        map_text(&text, if is_normal { Face::Text } else { face }, self.in_name)
    }

    fn fraction(&mut self, node: &Node) -> String {
        let kind = node.child("fPr").and_then(|pr| pr.value("type")).unwrap_or("bar");
        let (top, bottom) = (self.argument(node, "num"), self.argument(node, "den"));
        match kind {
            // A fraction on one line has no bar to show its extent.
            "lin" | "skw" if is_atom(&top) && is_atom(&bottom) => format!("{top}/{bottom}"),
            "noBar" => format!("{{{top} \\atop {bottom}}}"),
            _ => format!("\\frac{{{top}}}{{{bottom}}}"),
        }
    }

    fn scripts(&mut self, node: &Node, has_sub: bool, has_sup: bool) -> String {
        let mut base = self.argument(node, "e");
        let sub = if has_sub { self.argument(node, "sub") } else { String::new() };
        let sup = if has_sup { self.argument(node, "sup") } else { String::new() };
        base = as_base(&base);
        base.push_str(&script('_', &sub));
        if sup.chars().all(|character| character == '\'') {
            base.push_str(&sup)
        } else {
            base.push_str(&script('^', &sup))
        }
        base
    }

    fn radical(&mut self, node: &Node) -> String {
        let is_hidden = node.child("radPr").is_some_and(|pr| pr.is_on("degHide"));
        let degree = self.argument(node, "deg");
        let inner = self.argument(node, "e");
        if degree.is_empty() || is_hidden {
            format!("\\sqrt{{{inner}}}")
        } else {
            format!("\\sqrt[{degree}]{{{inner}}}")
        }
    }

    fn nary(&mut self, node: &Node) -> String {
        let properties = node.child("naryPr");
        let sign = properties.and_then(|pr| pr.value("chr")).unwrap_or("∫");
        let is_hidden = |name| properties.is_some_and(|pr| pr.is_on(name));
        let mut out = letters::large_operator(sign);
        let (sub, sup) = (self.argument(node, "sub"), self.argument(node, "sup"));
        if !is_hidden("subHide") {
            out.push_str(&script('_', &sub));
        }
        if !is_hidden("supHide") {
            out.push_str(&script('^', &sup));
        }
        out.push(' ');
        out.push_str(&self.argument(node, "e"));
        out
    }

    fn delimiter(&mut self, node: &Node) -> String {
        let properties = node.child("dPr");
        let character =
            |name: &str, default: &'static str| match properties.and_then(|pr| pr.child(name)) {
                Some(given) => given.attribute("val").unwrap_or_default().to_owned(),
                None => default.to_owned(),
            };
        let (open, close) = (character("begChr", "("), character("endChr", ")"));
        let separator = character("sepChr", "|");
        let parts: Vec<&Node> = node.nodes().filter(|inner| inner.name == "e").collect();
        if let [only] = parts.as_slice()
            && let [inner] =
                only.nodes().filter(|inner| !inner.name.ends_with("Pr")).collect::<Vec<_>>()[..]
            && let Some(special) = self.framed(inner, &open, &close)
        {
            return special;
        }
        let mut inner = String::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                push(&mut inner, &map_text(&separator, Face::Plain, false));
            }
            let part = self.sequence(part);
            push(&mut inner, part.trim());
        }
        // LaTeX needs a pair, so a single delimiter gets an empty partner.
        let is_lone = open.is_empty() != close.is_empty();
        let side = |text: &str, is_open: bool| match (is_lone, is_open, text.is_empty()) {
            (true, true, true) => "\\left. ".to_owned(),
            (true, true, false) => format!("\\left{} ", letters::delimiter(text, true)),
            (true, false, true) => " \\right.".to_owned(),
            (true, false, false) => format!(" \\right{}", letters::delimiter(text, false)),
            (false, ..) => letters::delimiter(text, is_open),
        };
        let mut out = side(&open, true);
        push(&mut out, &inner);
        push(&mut out, &side(&close, false));
        out
    }

    /// Writes a matrix, a case distinction or a binomial coefficient, which have delimiters of their own.
    fn framed(&mut self, inner: &Node, open: &str, close: &str) -> Option<String> {
        let environment = match (inner.name.as_str(), open, close) {
            ("m", "(", ")") => "pmatrix",
            ("m", "[", "]") => "bmatrix",
            ("m", "{", "}") => "Bmatrix",
            ("m", "|", "|") => "vmatrix",
            ("m", "‖", "‖") => "Vmatrix",
            ("eqArr" | "m", "{", "") => "cases",
            ("f", "(", ")")
                if inner.child("fPr").and_then(|pr| pr.value("type")) == Some("noBar") =>
            {
                let (top, bottom) = (self.argument(inner, "num"), self.argument(inner, "den"));
                return Some(format!("\\binom{{{top}}}{{{bottom}}}"));
            }
            _ => return None,
        };
        let body = if inner.name == "m" { self.rows(inner) } else { self.lines(inner) };
        Some(format!("\\begin{{{environment}}}{body}\\end{{{environment}}}"))
    }

    fn rows(&mut self, node: &Node) -> String {
        let mut rows = Vec::new();
        for row in node.nodes().filter(|inner| inner.name == "mr") {
            let mut cells = Vec::new();
            for cell in row.nodes().filter(|inner| inner.name == "e") {
                cells.push(self.sequence(cell).trim().to_owned());
            }
            rows.push(cells.join(" & "));
        }
        format!(" {} ", rows.join(" \\\\ "))
    }

    fn lines(&mut self, node: &Node) -> String {
        let outer = std::mem::replace(&mut self.drops_ampersands, true);
        let mut lines = Vec::new();
        for line in node.nodes().filter(|inner| inner.name == "e") {
            lines.push(self.sequence(line).trim().to_owned());
        }
        self.drops_ampersands = outer;
        format!(" {} ", lines.join(" \\\\ "))
    }

    fn name(&mut self, node: &Node, child: &str) -> String {
        let outer = std::mem::replace(&mut self.in_name, true);
        let out = node.child(child).map(|inner| self.sequence(inner)).unwrap_or_default();
        self.in_name = outer;
        out.trim().to_owned()
    }

    fn function(&mut self, node: &Node) -> String {
        let mut out = self.name(node, "fName");
        let argument = self.argument(node, "e");
        if !argument.starts_with(['(', '[']) && !argument.starts_with("\\l") {
            out.push(' ');
        }
        push(&mut out, &argument);
        out
    }

    fn limit(&mut self, node: &Node, mark: char, command: &str) -> String {
        let base = self.name(node, "e");
        let limit = self.argument(node, "lim");
        let takes_script = base.strip_prefix('\\').is_some_and(is_function)
            || base.starts_with("\\underbrace")
            || base.starts_with("\\overbrace")
            || base.starts_with("\\operatorname");
        if takes_script {
            format!("{base}{}", script(mark, &limit))
        } else {
            format!("{command}{{{limit}}}{{{base}}}")
        }
    }

    fn accent(&mut self, node: &Node) -> String {
        let accent = node.child("accPr").and_then(|pr| pr.value("chr")).unwrap_or("\u{302}");
        let inner = self.argument(node, "e");
        match letters::accent(accent) {
            Some(command) => format!("\\{command}{{{inner}}}"),
            None => {
                format!("\\overset{{{}}}{{{inner}}}", map_text(accent, Face::Plain, false).trim())
            }
        }
    }

    fn group_character(&mut self, node: &Node) -> String {
        let properties = node.child("groupChrPr");
        let sign = properties.and_then(|pr| pr.value("chr")).unwrap_or("⏟");
        let is_top = properties.and_then(|pr| pr.value("pos")) == Some("top");
        let inner = self.argument(node, "e");
        match (sign, is_top) {
            ("⏟", false) => format!("\\underbrace{{{inner}}}"),
            ("⏞", true) => format!("\\overbrace{{{inner}}}"),
            (sign, _) => {
                let command = if is_top { "\\overset" } else { "\\underset" };
                format!("{command}{{{}}}{{{inner}}}", map_text(sign, Face::Plain, false).trim())
            }
        }
    }

    fn border_box(&mut self, node: &Node) -> String {
        let inner = self.argument(node, "e");
        let strikes = ["strikeH", "strikeV", "strikeBLTR", "strikeTLBR"];
        let is_struck = node
            .child("borderBoxPr")
            .is_some_and(|pr| strikes.into_iter().any(|strike| pr.is_on(strike)));
        format!("{}{{{inner}}}", if is_struck { "\\cancel" } else { "\\boxed" })
    }
}

/// Returns whether an element is an invisible mark in an equation.
fn is_mark(name: &str) -> bool {
    name.starts_with("bookmark")
        || name.starts_with("comment")
        || name.starts_with("perm")
        || matches!(name, "proofErr" | "lastRenderedPageBreak" | "instrText" | "fldChar")
}

/// Appends LaTeX. Adds a space if a command would run into a letter.
fn push(out: &mut String, piece: &str) {
    let is_command = out.rfind('\\').is_some_and(|at| {
        let name = &out[at + 1..];
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    if is_command && piece.starts_with(|first: char| first.is_ascii_alphabetic()) {
        out.push(' ');
    }
    out.push_str(piece);
}

/// Returns a subscript or superscript, with braces unless it is one character; empty for an empty one.
fn script(mark: char, text: &str) -> String {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (None, _) => String::new(),
        (Some(only), None) if only.is_alphanumeric() || "+-*'".contains(only) => {
            format!("{mark}{only}")
        }
        _ => format!("{mark}{{{text}}}"),
    }
}

/// Returns the base of a script, in braces unless it is unambiguous without them.
fn as_base(text: &str) -> String {
    let is_command = text
        .strip_prefix('\\')
        .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let is_call =
        ["\\mathrm{", "\\mathbf{", "\\text{", "\\hat{", "\\bar{", "\\vec{", "\\overline{"]
            .iter()
            .any(|command| {
                text.strip_prefix(command)
                    .and_then(|rest| rest.strip_suffix('}'))
                    .is_some_and(|inner| !inner.contains(['{', '}']))
            });
    if (is_atom(text) || is_command || is_call || is_closed(text)) && !text.is_empty() {
        text.to_owned()
    } else {
        format!("{{{text}}}")
    }
}

/// Returns whether a text is one pair of brackets with content, or one matrix.
fn is_closed(text: &str) -> bool {
    if text.starts_with("\\begin{") {
        return text.matches("\\begin{").count() == 1 && text.ends_with('}');
    }
    let (open, close) = match text.chars().next() {
        Some('(') => ('(', ')'),
        Some('[') => ('[', ']'),
        _ => return false,
    };
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + character.len_utf8() == text.len();
            }
        }
    }
    false
}

/// Returns whether a text is one letter or one number.
fn is_atom(text: &str) -> bool {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => only.is_alphanumeric(),
        (Some(_), Some(_)) => {
            text.chars().all(|character| character.is_ascii_digit() || character == '.')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
