//! Reads `EQ` fields of Word, the formulas from before its equations: `\f(3,4)` is a fraction, and `\o` writes ruby
//! text above Chinese characters.

use super::letters::{Face, map_text};
use super::{push, script};

/// Deepest nesting of the parts of a field.
const MAX_DEPTH: usize = 30;

/// Returns the result of a field as running text; `None` if the instruction is not an `EQ` or is not understood.
pub(crate) fn from_field(instruction: &str) -> Option<String> {
    let rest = instruction.trim_start();
    let formula = rest.get(..2).filter(|name| name.eq_ignore_ascii_case("eq"))?;
    let formula = rest[formula.len()..].strip_prefix([' ', '\u{a0}', '\t'])?;
    let parts = Parser { rest: formula.trim() }.sequence(0, false)?;
    match parts.as_slice() {
        [] => None,
        [Part::Reading { base, reading }] => Some(format!("{base}({reading})")),
        [Part::Circled(inner)] => Some(circled(inner)),
        // Words with ruby text are text, not mathematics.
        parts if parts.iter().all(|part| !matches!(part, Part::Math(_))) => {
            let mut out = String::new();
            for part in parts {
                match part {
                    Part::Text(text) => out.push_str(text),
                    Part::Reading { base, reading } => out.push_str(&format!("{base}({reading})")),
                    Part::Circled(inner) => out.push_str(&circled(inner)),
                    Part::Math(_) => {}
                }
            }
            Some(out)
        }
        parts => {
            let latex = latex(parts);
            (!latex.is_empty()).then(|| super::delimited(&latex, false))
        }
    }
}

enum Part {
    Text(String),
    Math(String),
    Reading { base: String, reading: String },
    Circled(String),
}

fn latex(parts: &[Part]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text) => push(&mut out, &map_text(text, Face::Plain, false)),
            Part::Math(latex) => push(&mut out, latex),
            Part::Reading { base, reading } => {
                push(&mut out, &format!("\\text{{{base}({reading})}}"));
            }
            Part::Circled(inner) => push(&mut out, &circled(inner)),
        }
    }
    out.trim().to_owned()
}

/// Returns a circled number or character.
fn circled(inner: &str) -> String {
    match inner.trim().parse::<u32>() {
        Ok(number @ 1..=20) => {
            char::from_u32(0x245F + number).map(String::from).unwrap_or_default()
        }
        _ => format!("({})", inner.trim()),
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// Reads parts up to the end or, in an argument, up to a comma or a closing bracket.
    fn sequence(&mut self, depth: usize, is_argument: bool) -> Option<Vec<Part>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut parts = Vec::new();
        let mut text = String::new();
        // Brackets inside an argument belong to it.
        let mut brackets = 0_usize;
        loop {
            let Some(next) = self.rest.chars().next() else {
                if is_argument {
                    return None;
                }
                break;
            };
            match next {
                ',' | ';' | '，' if is_argument && brackets == 0 => break,
                ')' if is_argument && brackets == 0 => break,
                '\\' => {
                    self.rest = &self.rest[1..];
                    let command = self.rest.chars().next()?;
                    if !command.is_ascii_alphabetic() && command != '*' {
                        text.push(command);
                        self.rest = &self.rest[command.len_utf8()..];
                        continue;
                    }
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    parts.extend(self.command(depth)?);
                }
                _ => {
                    brackets = match next {
                        '(' => brackets + 1,
                        ')' => brackets.saturating_sub(1),
                        _ => brackets,
                    };
                    text.push(next);
                    self.rest = &self.rest[next.len_utf8()..];
                }
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        Some(parts)
    }

    /// Reads a command after its backslash.
    fn command(&mut self, depth: usize) -> Option<Option<Part>> {
        let name = self.word().to_ascii_lowercase();
        if name.is_empty() {
            // Formatting switches: `\* jc2`, `\* "Font:..."`.
            self.rest = self.rest.strip_prefix('*')?.trim_start();
            match self.rest.strip_prefix('"') {
                Some(quoted) => {
                    let (_, rest) = quoted.split_once('"')?;
                    self.rest = rest;
                }
                None => {
                    let end = self.rest.find([' ', '\\']).unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                }
            }
            self.rest = self.rest.trim_start();
            return Some(None);
        }
        let options = self.options()?;
        let arguments = self.arguments(depth)?;
        if name == "o" {
            return Some(Some(overstrike(&arguments)));
        }
        let texts: Vec<String> = arguments.iter().map(|parts| latex(parts)).collect();
        Some(Some(Part::Math(math(&name, &options, &texts)?)))
    }

    fn word(&mut self) -> String {
        let end = self
            .rest
            .find(|character: char| !character.is_ascii_alphabetic())
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    /// Reads options: `\up 9`, `\ad`, `\bc\{`. Each has the text up to the next one.
    fn options(&mut self) -> Option<Vec<String>> {
        let mut options = Vec::new();
        loop {
            // In `\s\up 9(x)` the number belongs to the option, and blanks have no meaning.
            let end = self.rest.find(['\\', '('])?;
            if let Some(last) = options.last_mut() {
                let last: &mut String = last;
                last.push_str(self.rest[..end].trim());
            } else if !self.rest[..end].trim().is_empty() {
                return None;
            }
            self.rest = &self.rest[end..];
            let Some(rest) = self.rest.strip_prefix('\\') else { return Some(options) };
            self.rest = rest;
            let name = self.word();
            if name.is_empty() {
                // A bracket as an option of a bracket: `\bc\{`.
                let character = self.rest.chars().next()?;
                self.rest = &self.rest[character.len_utf8()..];
                options.last_mut()?.push(character);
            } else {
                options.push(name.to_ascii_lowercase());
            }
        }
    }

    fn arguments(&mut self, depth: usize) -> Option<Vec<Vec<Part>>> {
        self.rest = self.rest.strip_prefix('(')?;
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.sequence(depth + 1, true)?);
            let end = self.rest.chars().next()?;
            self.rest = &self.rest[end.len_utf8()..];
            if end == ')' {
                return Some(arguments);
            }
        }
    }
}

/// Writes characters over one another: ruby text above its base, or a character in a circle.
fn overstrike(arguments: &[Vec<Part>]) -> Part {
    if let [above, [Part::Text(base)]] = arguments.iter().map(Vec::as_slice).collect::<Vec<_>>()[..]
        && let [Part::Math(reading)] = above
        && let Some(reading) = reading.strip_prefix("{}^").or_else(|| reading.strip_prefix("{}_"))
    {
        let reading =
            reading.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(reading);
        let reading = reading
            .strip_prefix("\\text{")
            .and_then(|text| text.strip_suffix('}'))
            .unwrap_or(reading);
        return Part::Reading { base: base.trim().to_owned(), reading: reading.trim().to_owned() };
    }
    let texts: Vec<String> = arguments.iter().map(|parts| latex(parts)).collect();
    match texts.as_slice() {
        [circle, inner] if matches!(circle.trim(), "○" | "◯" | "\u{20dd}" | "\\text{〇}") => {
            Part::Circled(inner.clone())
        }
        texts => Part::Math(format!("\\overset{{{}}}{{}}", texts.join(","))),
    }
}

fn math(name: &str, options: &[String], texts: &[String]) -> Option<String> {
    let text = |index: usize| texts.get(index).map(|text| text.trim()).unwrap_or_default();
    Some(match (name, texts.len()) {
        ("f", 2) => format!("\\frac{{{}}}{{{}}}", text(0), text(1)),
        ("r", 1) => format!("\\sqrt{{{}}}", text(0)),
        ("r", 2) if text(0).is_empty() => format!("\\sqrt{{{}}}", text(1)),
        ("r", 2) => format!("\\sqrt[{}]{{{}}}", text(0), text(1)),
        ("s", 1) if options.iter().any(|option| option.starts_with("do")) => {
            format!("{{}}{}", script('_', text(0)))
        }
        ("s", 1) => format!("{{}}{}", script('^', text(0))),
        ("s", _) => format!("{{}}{}{}", script('^', text(0)), script('_', text(1))),
        ("i", 3) => {
            let sign = match options.first().map(String::as_str) {
                Some("su") => "\\sum",
                Some("pr") => "\\prod",
                _ => "\\int",
            };
            format!("{sign}{}{} {}", script('_', text(0)), script('^', text(1)), text(2))
        }
        ("b", 1) => {
            let side = |name: &str| {
                options
                    .iter()
                    .find_map(|option| option.strip_prefix(name))
                    .and_then(|rest| rest.chars().next())
            };
            let pair = |open: char| match open {
                '[' => ']',
                '{' => '}',
                '<' => '>',
                '(' => ')',
                other => other,
            };
            let (open, close) = match (side("bc"), side("lc"), side("rc")) {
                (Some(open), ..) => (Some(open), Some(pair(open))),
                (None, None, None) => (Some('('), Some(')')),
                (None, open, close) => (open, close),
            };
            let shown = |bracket: Option<char>| match bracket {
                Some(bracket @ ('{' | '}')) => format!("\\{bracket}"),
                Some(bracket) => bracket.to_string(),
                None => ".".to_owned(),
            };
            format!("\\left{} {} \\right{}", shown(open), text(0), shown(close))
        }
        ("x", 1) => format!("\\boxed{{{}}}", text(0)),
        ("a", _) => {
            let columns = options
                .iter()
                .find_map(|option| option.strip_prefix("co").and_then(|n| n.parse::<usize>().ok()))
                .unwrap_or(1)
                .max(1);
            let rows: Vec<String> = texts.chunks(columns).map(|row| row.join(" & ")).collect();
            format!("\\begin{{matrix}} {} \\end{{matrix}}", rows.join(" \\\\ "))
        }
        ("l", _) => texts.join(","),
        ("d", _) => " ".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formula_fields_become_latex_or_words() {
        for (field, expected) in [
            (r" EQ \f(3,4) ", r"$\frac{3}{4}$"),
            (r"eq \r(3,x+1)", r"$\sqrt[3]{x+1}$"),
            (r"EQ 10\s\up5(2)", r"$10{}^2$"),
            (r"EQ x\s\up8(a)\s\do3(i)", r"$x{}^a{}_i$"),
            (r"EQ \i\su(i=1,n,i)", r"$\sum_{i=1}^n i$"),
            (r"EQ \b\bc\{(\f(a,b))", r"$\left\{ \frac{a}{b} \right\}$"),
            (
                r"EQ \b\lc\{(\a(x=1,y=2))",
                r"$\left\{ \begin{matrix} x=1 \\ y=2 \end{matrix} \right.$",
            ),
            (r"EQ \f((a,b),c)", r"$\frac{(a,b)}{c}$"),
            (
                r#"EQ \* jc2 \* "Font:MS Mincho" \* hps10 \o\ad(\s\up 9(とうきょう),東京)"#,
                "東京(とうきょう)",
            ),
            (r"eq \o\ac(○,12)", "⑫"),
            (r"eq \o\ac(○,注)", "(\\text{注})"),
        ] {
            assert_eq!(from_field(field).as_deref(), Some(expected), "{field}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for field in [
            "REF x",
            r"EQ \f(3",
            r"EQ \q(1)",
            "EQ ",
            "equal",
            &format!("EQ {}", r"\x(".repeat(1000)),
        ] {
            assert_eq!(from_field(field), None, "{field}");
        }
    }
}
