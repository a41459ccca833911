//! Characters of equations: those that LaTeX would take for commands, and letters of mathematical typefaces.

use unicode_normalization::UnicodeNormalization;

/// Typeface of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Face {
    /// Italic variables, the default of LaTeX.
    Plain,
    /// Upright, for units and names.
    Upright,
    Bold,
    DoubleStruck,
    Script,
    Fraktur,
    /// Words, not mathematics.
    Text,
}

impl Face {
    fn command(self) -> &'static str {
        match self {
            Face::Plain => "",
            Face::Upright => "mathrm",
            Face::Bold => "mathbf",
            Face::DoubleStruck => "mathbb",
            Face::Script => "mathcal",
            Face::Fraktur => "mathfrak",
            Face::Text => "text",
        }
    }
}

/// Functions that have a LaTeX command.
const FUNCTIONS: [&str; 32] = [
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min",
    "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh",
];

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Returns the text of a run as LaTeX, in `face`.
pub(super) fn map_text(text: &str, face: Face, in_name: bool) -> String {
    let mut out = String::new();
    let mut piece = String::new();
    let mut current = None;
    for character in text.chars() {
        let (letter, own) = plain(character);
        let wanted = match own {
            Some(own) => own,
            None if is_east_asian(letter) => Face::Text,
            None => face,
        };
        if current != Some(wanted) {
            flush(&mut out, &piece, current, in_name);
            piece.clear();
            current = Some(wanted);
        }
        push_escaped(&mut piece, letter);
    }
    flush(&mut out, &piece, current, in_name);
    out
}

fn flush(out: &mut String, piece: &str, face: Option<Face>, in_name: bool) {
    let Some(face) = face else { return };
    let letters = piece.chars().filter(|character| character.is_alphabetic()).count();
    let is_marked = match face {
        Face::Plain => false,
        // One upright letter is a letter; several are a name.
        Face::Upright => {
            letters > 1 && piece.chars().filter(|c| c.is_ascii_alphabetic()).count() > 1
        }
        Face::Text => letters > 0,
        _ => piece.chars().any(char::is_alphanumeric),
    };
    if in_name && letters > 1 && matches!(face, Face::Plain | Face::Upright | Face::Text) {
        out.push_str(&format!("\\operatorname{{{}}}", piece.trim()));
    } else if is_marked {
        // Blanks and signs around a name stay outside: `+ab` is a sum with a name.
        let outside = |c: char| match face {
            Face::Upright => !c.is_alphabetic(),
            _ => !c.is_alphanumeric() && !"{}\\".contains(c),
        };
        let core = piece.trim_matches(outside);
        if face == Face::Text || core.is_empty() {
            out.push_str(&format!("\\{}{{{piece}}}", face.command()))
        } else {
            let start = piece.find(core).unwrap_or(0);
            out.push_str(&piece[..start]);
            out.push_str(&format!("\\{}{{{core}}}", face.command()));
            out.push_str(&piece[start + core.len()..]);
        }
    } else {
        super::push(out, piece);
    }
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '{' | '}' | '#' | '$' | '%' | '&' | '_' => {
            out.push('\\');
            out.push(character);
        }
        '\\' => out.push_str("\\backslash "),
        '^' => out.push_str("\\text{^}"),
        '~' => out.push_str("\\sim "),
        // A bar would end the table cell.
        '|' => out.push_str("\\vert "),
        '\u{2212}' => out.push('-'),
        '\u{2032}' => out.push('\''),
        '\u{2033}' => out.push_str("''"),
        '\u{2034}' => out.push_str("'''"),
        // Invisible signs, such as the one for function application.
        '\u{2061}'..='\u{2064}' | '\u{200b}'..='\u{200d}' | '\u{2060}' => {}
        _ if character.is_whitespace() => out.push(' '),
        _ if character.is_control() => {}
        _ => out.push(character),
    }
}

/// Returns the plain letter of a mathematical letter, and its typeface.
fn plain(character: char) -> (char, Option<Face>) {
    if character == '\u{210e}' {
        return ('h', Some(Face::Plain));
    }
    let code = u32::from(character);
    if !(0x1D400..=0x1D7FF).contains(&code) {
        return (character, None);
    }
    let face = match code {
        0x1D400..=0x1D433 | 0x1D468..=0x1D49B | 0x1D5D4..=0x1D607 | 0x1D63C..=0x1D66F => Face::Bold,
        0x1D49C..=0x1D503 => Face::Script,
        0x1D504..=0x1D537 | 0x1D56C..=0x1D59F => Face::Fraktur,
        0x1D538..=0x1D56B | 0x1D7D8..=0x1D7E1 => Face::DoubleStruck,
        0x1D6A8..=0x1D6E1 | 0x1D71C..=0x1D78F | 0x1D790..=0x1D7C9 => Face::Bold,
        0x1D7CE..=0x1D7D7 | 0x1D7EC..=0x1D7F5 => Face::Bold,
        _ => Face::Plain,
    };
    (std::iter::once(character).nfkc().next().unwrap_or(character), Some(face))
}

fn is_east_asian(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Returns the command of a large operator: a sum, an integral.
pub(super) fn large_operator(sign: &str) -> String {
    let command = match sign {
        "∫" => "int",
        "∬" => "iint",
        "∭" => "iiint",
        "∮" => "oint",
        "∑" => "sum",
        "∏" => "prod",
        "∐" => "coprod",
        "⋃" => "bigcup",
        "⋂" => "bigcap",
        "⋁" => "bigvee",
        "⋀" => "bigwedge",
        _ => return map_text(sign, Face::Plain, false),
    };
    format!("\\{command}")
}

/// Returns the command of an accent.
pub(super) fn accent(character: &str) -> Option<&'static str> {
    Some(match character {
        "\u{300}" | "`" => "grave",
        "\u{301}" | "´" => "acute",
        "\u{302}" | "^" | "ˆ" => "hat",
        "\u{303}" | "~" | "˜" => "tilde",
        "\u{304}" | "¯" | "\u{203e}" => "bar",
        "\u{305}" => "overline",
        "\u{306}" | "˘" => "breve",
        "\u{307}" | "˙" => "dot",
        "\u{308}" | "¨" => "ddot",
        "\u{20db}" => "dddot",
        "\u{30c}" | "ˇ" => "check",
        "\u{20d7}" | "→" => "vec",
        "\u{20d6}" | "←" => "overleftarrow",
        "\u{20e1}" | "↔" => "overleftrightarrow",
        "\u{332}" => "underline",
        _ => return None,
    })
}

/// Returns a delimiter. Bars are written as commands, because a bare one would end the table cell.
pub(super) fn delimiter(text: &str, is_open: bool) -> String {
    match (text, is_open) {
        ("|", true) => "\\lvert ".to_owned(),
        ("|", false) => "\\rvert ".to_owned(),
        ("‖" | "∥", true) => "\\lVert ".to_owned(),
        ("‖" | "∥", false) => "\\rVert ".to_owned(),
        _ => map_text(text, Face::Plain, false),
    }
}
