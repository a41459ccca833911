//! LaTeX names of signs, and their classes.

mod relations;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::tree::{Accent, Class};

/// Names and signs of one class.
type Signs = &'static [(&'static str, char)];

const ORDINARY: Signs = &[
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ϵ'),
    ("varepsilon", 'ε'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("vartheta", 'ϑ'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("varkappa", 'ϰ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("xi", 'ξ'),
    ("omicron", 'ο'),
    ("pi", 'π'),
    ("varpi", 'ϖ'),
    ("rho", 'ρ'),
    ("varrho", 'ϱ'),
    ("sigma", 'σ'),
    ("varsigma", 'ς'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("phi", 'ϕ'),
    ("varphi", 'φ'),
    ("chi", 'χ'),
    ("psi", 'ψ'),
    ("omega", 'ω'),
    ("Gamma", 'Γ'),
    ("Delta", 'Δ'),
    ("Theta", 'Θ'),
    ("Lambda", 'Λ'),
    ("Xi", 'Ξ'),
    ("Pi", 'Π'),
    ("Sigma", 'Σ'),
    ("Upsilon", 'Υ'),
    ("Phi", 'Φ'),
    ("Psi", 'Ψ'),
    ("Omega", 'Ω'),
    ("digamma", 'ϝ'),
    ("infty", '∞'),
    ("partial", '∂'),
    ("nabla", '∇'),
    ("forall", '∀'),
    ("exists", '∃'),
    ("nexists", '∄'),
    ("emptyset", '∅'),
    ("varnothing", '∅'),
    ("hbar", 'ℏ'),
    ("hslash", 'ℏ'),
    ("ell", 'ℓ'),
    ("Re", 'ℜ'),
    ("Im", 'ℑ'),
    ("wp", '℘'),
    ("aleph", 'ℵ'),
    ("beth", 'ℶ'),
    ("gimel", 'ℷ'),
    ("daleth", 'ℸ'),
    ("imath", 'ı'),
    ("jmath", 'ȷ'),
    ("complement", '∁'),
    ("mho", '℧'),
    ("eth", 'ð'),
    ("angle", '∠'),
    ("measuredangle", '∡'),
    ("sphericalangle", '∢'),
    ("triangle", '△'),
    ("square", '□'),
    ("Box", '□'),
    ("Diamond", '◊'),
    ("lozenge", '◊'),
    ("blacksquare", '■'),
    ("blacktriangle", '▲'),
    ("bigstar", '★'),
    ("top", '⊤'),
    ("bot", '⊥'),
    ("neg", '¬'),
    ("lnot", '¬'),
    ("prime", '′'),
    ("backprime", '‵'),
    ("sharp", '♯'),
    ("flat", '♭'),
    ("natural", '♮'),
    ("clubsuit", '♣'),
    ("diamondsuit", '♢'),
    ("heartsuit", '♡'),
    ("spadesuit", '♠'),
    ("surd", '√'),
    ("degree", '°'),
    ("S", '§'),
    ("P", '¶'),
    ("pounds", '£'),
    ("yen", '¥'),
    ("copyright", '©'),
    ("dag", '†'),
    ("ddag", '‡'),
    ("checkmark", '✓'),
    ("ldots", '…'),
    ("dots", '…'),
    ("dotsc", '…'),
    ("dotso", '…'),
    ("cdots", '⋯'),
    ("dotsb", '⋯'),
    ("dotsm", '⋯'),
    ("dotsi", '⋯'),
    ("vdots", '⋮'),
    ("ddots", '⋱'),
    ("iddots", '⋰'),
    ("adots", '⋰'),
    ("backslash", '\\'),
    ("textbackslash", '\\'),
    ("Bbbk", '𝕜'),
    ("%", '%'),
    ("$", '$'),
    ("#", '#'),
    ("&", '&'),
    ("_", '_'),
];

/// Also names of signs that can be written without a command.
const BINARY: Signs = &[
    ("pm", '±'),
    ("mp", '∓'),
    ("times", '×'),
    ("div", '÷'),
    ("cdot", '⋅'),
    ("centerdot", '⋅'),
    ("ast", '∗'),
    ("star", '⋆'),
    ("circ", '∘'),
    ("bullet", '∙'),
    ("cap", '∩'),
    ("cup", '∪'),
    ("uplus", '⊎'),
    ("sqcap", '⊓'),
    ("sqcup", '⊔'),
    ("vee", '∨'),
    ("lor", '∨'),
    ("wedge", '∧'),
    ("land", '∧'),
    ("setminus", '∖'),
    ("smallsetminus", '∖'),
    ("wr", '≀'),
    ("amalg", '⨿'),
    ("oplus", '⊕'),
    ("ominus", '⊖'),
    ("otimes", '⊗'),
    ("oslash", '⊘'),
    ("odot", '⊙'),
    ("diamond", '⋄'),
    ("bigtriangleup", '△'),
    ("bigtriangledown", '▽'),
    ("dagger", '†'),
    ("ddagger", '‡'),
    ("boxplus", '⊞'),
    ("boxminus", '⊟'),
    ("boxtimes", '⊠'),
    ("boxdot", '⊡'),
    ("ltimes", '⋉'),
    ("rtimes", '⋊'),
    ("barwedge", '⊼'),
    ("veebar", '⊻'),
    ("curlywedge", '⋏'),
    ("curlyvee", '⋎'),
    ("intercal", '⊺'),
    ("circledast", '⊛'),
    ("circledcirc", '⊚'),
    ("circleddash", '⊝'),
    ("divideontimes", '⋇'),
    ("dotplus", '∔'),
    ("Cap", '⋒'),
    ("Cup", '⋓'),
];

const LARGE: Signs = &[
    ("sum", '∑'),
    ("prod", '∏'),
    ("coprod", '∐'),
    ("int", '∫'),
    ("intop", '∫'),
    ("smallint", '∫'),
    ("iint", '∬'),
    ("iiint", '∭'),
    ("iiiint", '⨌'),
    ("oint", '∮'),
    ("oiint", '∯'),
    ("oiiint", '∰'),
    ("bigcup", '⋃'),
    ("bigcap", '⋂'),
    ("bigsqcup", '⨆'),
    ("bigvee", '⋁'),
    ("bigwedge", '⋀'),
    ("bigoplus", '⨁'),
    ("bigotimes", '⨂'),
    ("bigodot", '⨀'),
    ("biguplus", '⨄'),
];

const OPENING: Signs = &[
    ("{", '{'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lparen", '('),
    ("langle", '⟨'),
    ("lfloor", '⌊'),
    ("lceil", '⌈'),
    ("lvert", '|'),
    ("lVert", '‖'),
    ("lgroup", '⟮'),
    ("ulcorner", '⌜'),
    ("llcorner", '⌞'),
    ("llbracket", '⟦'),
    ("lBrack", '⟦'),
];

const CLOSING: Signs = &[
    ("}", '}'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rparen", ')'),
    ("rangle", '⟩'),
    ("rfloor", '⌋'),
    ("rceil", '⌉'),
    ("rvert", '|'),
    ("rVert", '‖'),
    ("rgroup", '⟯'),
    ("urcorner", '⌝'),
    ("lrcorner", '⌟'),
    ("rrbracket", '⟧'),
    ("rBrack", '⟧'),
];

/// Signs for both sides.
const FENCES: Signs = &[("|", '‖'), ("Vert", '‖'), ("vert", '|')];

const PUNCTUATION: Signs = &[("colon", ':'), ("cdotp", '⋅'), ("ldotp", '.')];

/// Signs without a command, and their class.
const PLAIN: &[(char, char, Class)] = &[
    ('+', '+', Class::Binary),
    ('-', '−', Class::Binary),
    ('−', '−', Class::Binary),
    ('*', '∗', Class::Binary),
    ('·', '⋅', Class::Binary),
    ('=', '=', Class::Relation),
    ('<', '<', Class::Relation),
    ('>', '>', Class::Relation),
    (':', ':', Class::Relation),
    ('(', '(', Class::Opening),
    ('[', '[', Class::Opening),
    (')', ')', Class::Closing),
    (']', ']', Class::Closing),
    ('!', '!', Class::Closing),
    ('?', '?', Class::Closing),
    (',', ',', Class::Punctuation),
    (';', ';', Class::Punctuation),
    ('.', '.', Class::Ordinary),
    ('/', '/', Class::Ordinary),
    ('|', '|', Class::Ordinary),
    ('"', '"', Class::Ordinary),
    ('`', '‵', Class::Ordinary),
    ('@', '@', Class::Ordinary),
    ('%', '%', Class::Ordinary),
    ('′', '′', Class::Ordinary),
    ('″', '″', Class::Ordinary),
    ('∥', '∥', Class::Relation),
];

/// Functions that are set upright.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "dim", "exp",
    "hom", "ker", "lg", "ln", "log", "sec", "sin", "sinh", "tan", "tanh", "sech", "csch", "arcsec",
    "arccot", "arccsc", "arcsinh", "arccosh", "arctanh", "arsinh", "arcosh", "artanh", "sgn",
    "rank", "tr", "Tr", "diag", "Var", "Cov", "erf",
];

/// Functions with limits below.
const LIMITS: &[&str] = &[
    "det", "gcd", "inf", "lim", "liminf", "limsup", "max", "min", "Pr", "sup", "injlim", "projlim",
    "argmax", "argmin", "lcm",
];

/// Accents: name, combining character, character on its own, and `true` for a wide one.
const ACCENTS: &[(&str, char, char, bool)] = &[
    ("hat", '\u{302}', '^', false),
    ("widehat", '\u{302}', '^', true),
    ("tilde", '\u{303}', '~', false),
    ("widetilde", '\u{303}', '~', true),
    ("bar", '\u{304}', '¯', false),
    ("vec", '\u{20D7}', '→', false),
    ("overrightarrow", '\u{20D7}', '→', true),
    ("overleftarrow", '\u{20D6}', '←', true),
    ("overleftrightarrow", '\u{20E1}', '↔', true),
    ("dot", '\u{307}', '˙', false),
    ("ddot", '\u{308}', '¨', false),
    ("dddot", '\u{20DB}', '⃛', false),
    ("acute", '\u{301}', '´', false),
    ("grave", '\u{300}', '`', false),
    ("breve", '\u{306}', '˘', false),
    ("check", '\u{30C}', 'ˇ', false),
    ("widecheck", '\u{30C}', 'ˇ', true),
    ("mathring", '\u{30A}', '˚', false),
];

/// Signs that `\not` negates.
const NEGATED: &[(char, char)] = &[
    ('=', '≠'),
    ('∈', '∉'),
    ('∋', '∌'),
    ('⊂', '⊄'),
    ('⊃', '⊅'),
    ('⊆', '⊈'),
    ('⊇', '⊉'),
    ('≡', '≢'),
    ('∼', '≁'),
    ('≃', '≄'),
    ('≅', '≇'),
    ('≈', '≉'),
    ('<', '≮'),
    ('>', '≯'),
    ('≤', '≰'),
    ('≥', '≱'),
    ('∃', '∄'),
    ('∣', '∤'),
    ('∥', '∦'),
    ('→', '↛'),
    ('←', '↚'),
    ('⇒', '⇏'),
    ('⇐', '⇍'),
    ('⇔', '⇎'),
    ('≺', '⊀'),
    ('≻', '⊁'),
    ('⊢', '⊬'),
    ('⊨', '⊭'),
    ('↔', '↮'),
    ('⊑', '⋢'),
    ('⊒', '⋣'),
];

/// Lookup tables for signs.
struct SignTables {
    names: HashMap<&'static str, (char, Class)>,
    signs: HashMap<char, (char, Class)>,
}

const CLASSES: [(Signs, Class); 8] = [
    (ORDINARY, Class::Ordinary),
    (BINARY, Class::Binary),
    (relations::RELATIONS, Class::Relation),
    (LARGE, Class::Large),
    (OPENING, Class::Opening),
    (CLOSING, Class::Closing),
    (FENCES, Class::Ordinary),
    (PUNCTUATION, Class::Punctuation),
];

fn known() -> &'static SignTables {
    static KNOWN: OnceLock<SignTables> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut known = SignTables { names: HashMap::new(), signs: HashMap::new() };
        for (sign, drawn, class) in PLAIN {
            known.signs.insert(*sign, (*drawn, *class));
        }
        for (signs, class) in CLASSES {
            for (name, sign) in signs {
                known.names.insert(name, (*sign, class));
                known.signs.entry(*sign).or_insert((*sign, class));
            }
        }
        for (_, negated) in NEGATED {
            known.signs.entry(*negated).or_insert((*negated, Class::Relation));
        }
        known
    })
}

/// Returns the sign for a command.
pub(super) fn by_name(name: &str) -> Option<(char, Class)> {
    known().names.get(name).copied()
}

/// Returns the sign with which a character is drawn. `None` for letters, digits and characters without a meaning in
/// formulas.
pub(super) fn by_sign(c: char) -> Option<(char, Class)> {
    known().signs.get(&c).copied()
}

/// Returns `None` if a command is no function, and otherwise `true` if its limits are below it.
pub(super) fn function(name: &str) -> Option<bool> {
    match name {
        _ if FUNCTIONS.contains(&name) => Some(false),
        _ if LIMITS.contains(&name) => Some(true),
        _ => None,
    }
}

/// Returns the words of a function with this name.
pub(super) fn words(name: &str) -> &str {
    match name {
        "liminf" => "lim\u{2009}inf",
        "limsup" => "lim\u{2009}sup",
        "injlim" => "inj\u{2009}lim",
        "projlim" => "proj\u{2009}lim",
        "argmax" => "arg\u{2009}max",
        "argmin" => "arg\u{2009}min",
        _ => name,
    }
}

/// Returns the accent for a command.
pub(super) fn accent(name: &str) -> Option<Accent> {
    let (_, combining, alone, is_wide) = ACCENTS.iter().find(|(known, ..)| *known == name)?;
    Some(Accent { combining: *combining, alone: *alone, is_wide: *is_wide })
}

/// Returns the sign with a stroke through it.
pub(super) fn negated(sign: char) -> Option<char> {
    NEGATED.iter().find(|(plain, _)| *plain == sign).map(|(_, negated)| *negated)
}

/// Returns `true` if a sign can enclose something, and stretch with it.
pub(super) fn is_fence(sign: char) -> bool {
    matches!(
        sign,
        '(' | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '|'
            | '‖'
            | '∥'
            | '∣'
            | '/'
            | '\\'
            | '⟨'
            | '⟩'
            | '⌊'
            | '⌋'
            | '⌈'
            | '⌉'
            | '⟮'
            | '⟯'
            | '⟦'
            | '⟧'
            | '⌜'
            | '⌝'
            | '⌞'
            | '⌟'
            | '↑'
            | '↓'
            | '↕'
            | '⇑'
            | '⇓'
            | '⇕'
            | '<'
            | '>'
    )
}

/// Returns every command for one sign or one function, in a fixed order.
#[cfg(test)]
pub(super) fn all_commands() -> Vec<String> {
    let signs = CLASSES.iter().flat_map(|(signs, _)| *signs).map(|(name, _)| *name);
    let functions = FUNCTIONS.iter().chain(LIMITS).copied();
    signs.chain(functions).map(|name| format!("\\{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_sign() {
        let mut names: Vec<_> = all_commands();
        names.extend(ACCENTS.iter().map(|(name, ..)| format!("\\{name}")));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
