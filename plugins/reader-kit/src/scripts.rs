//! Superscripts and subscripts. Without them, `10` and a superscript `3` would become `103`.

/// The kind of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Script {
    /// A superscript, such as an exponent.
    Above,
    /// A subscript, such as an index.
    Below,
}

/// How a superscript or a subscript is written.
#[derive(PartialEq, Eq, Debug)]
pub enum Written {
    /// With these superscript or subscript characters of Unicode.
    Unicode(String),
    /// As `^{…}` or `_{…}`, with this mark.
    Braces(char),
    /// Unchanged, because it cannot be read as a power.
    Plain,
}

/// Returns how to write `text` after the character `previous`. `text` must not begin or end with white space.
pub fn written(text: &str, script: Script, previous: Option<char>) -> Written {
    if text.is_empty() {
        return Written::Plain;
    }
    if script == Script::Above {
        match text {
            "TM" => return Written::Unicode("™".to_owned()),
            "SM" => return Written::Unicode("℠".to_owned()),
            _ => {}
        }
        // Symbols that look like superscripts already, and citations such as `[3]`.
        if text.starts_with('[') || text.chars().all(|c| "*†‡§¶™®℠©°º\u{aa}′″‴".contains(c))
        {
            return Written::Plain;
        }
        const ORDINALS: [&str; 9] = ["st", "nd", "rd", "th", "er", "re", "ère", "ème", "eme"];
        if previous.is_some_and(|character| character.is_ascii_digit())
            && ORDINALS.contains(&text.to_lowercase().as_str())
        {
            return Written::Plain;
        }
    }
    match text.chars().map(|character| unicode(character, script)).collect() {
        Some(text) => Written::Unicode(text),
        None => Written::Braces(if script == Script::Above { '^' } else { '_' }),
    }
}

/// A text that is built from pieces, some of which are superscripts or subscripts.
#[derive(Default)]
pub struct Scripted {
    out: String,
    /// A superscript or subscript that may continue in the next piece.
    pending: Option<(String, Script)>,
}

impl Scripted {
    /// Adds a piece. `None` is ordinary text.
    pub fn push(&mut self, text: &str, script: Option<Script>) {
        match (&mut self.pending, script) {
            _ if text.is_empty() => {}
            (Some((pending, same)), Some(script)) if *same == script => pending.push_str(text),
            (_, Some(script)) => {
                self.flush();
                self.pending = Some((text.to_owned(), script));
            }
            (_, None) => {
                self.flush();
                self.out.push_str(text);
            }
        }
    }

    /// Returns the whole text.
    pub fn finish(mut self) -> String {
        self.flush();
        self.out
    }

    fn flush(&mut self) {
        let Some((text, script)) = self.pending.take() else { return };
        let core = text.trim();
        let start = text.len() - text.trim_start().len();
        let (before, after) = (&text[..start], &text[start + core.len()..]);
        let out = &mut self.out;
        out.push_str(before);
        match written(core, script, out.chars().last()) {
            Written::Unicode(text) => out.push_str(&text),
            // A script needs text before it to be an exponent or an index.
            Written::Braces(_) if out.trim_end().is_empty() => out.push_str(core),
            Written::Plain => out.push_str(core),
            Written::Braces(mark) => {
                out.push(mark);
                out.push('{');
                out.push_str(core);
                out.push('}');
            }
        }
        out.push_str(after);
    }
}

fn unicode(character: char, script: Script) -> Option<char> {
    const LINE: &str = "0123456789+-−=()";
    let line = LINE.chars().position(|known| known == character)?;
    match script {
        Script::Above => "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾".chars().nth(line),
        Script::Below => "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎".chars().nth(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_kept_and_ordinals_stay_words() {
        let unicode = |text: &str| Written::Unicode(text.to_owned());
        for (previous, text, script, expected) in [
            ('m', "2", Script::Above, unicode("²")),
            ('0', "−3", Script::Above, unicode("⁻³")),
            ('H', "2", Script::Below, unicode("₂")),
            ('x', "n+1", Script::Above, Written::Braces('^')),
            ('x', "i", Script::Below, Written::Braces('_')),
            ('1', "st", Script::Above, Written::Plain),
            ('x', "th", Script::Above, Written::Braces('^')),
            ('2', "e", Script::Above, Written::Braces('^')),
            ('s', "[3,4]", Script::Above, Written::Plain),
            ('s', "*", Script::Above, Written::Plain),
            ('s', "TM", Script::Above, unicode("™")),
            ('s', "", Script::Above, Written::Plain),
        ] {
            assert_eq!(written(text, script, Some(previous)), expected, "{previous}{text}");
        }
    }

    #[test]
    fn pieces_are_joined_before_they_are_raised() {
        let joined = |pieces: &[(&str, Option<Script>)]| {
            let mut text = Scripted::default();
            pieces.iter().for_each(|(piece, script)| text.push(piece, *script));
            text.finish()
        };
        let (up, down) = (Some(Script::Above), Some(Script::Below));
        assert_eq!(joined(&[("10", None), ("6", up), (" t", None)]), "10⁶ t");
        assert_eq!(joined(&[("2", None), ("1", up), ("0 ", up), ("x", None)]), "2¹⁰ x");
        assert_eq!(joined(&[("CO", None), ("2", down), ("", up)]), "CO₂");
        assert_eq!(joined(&[("x", None), ("n", up), ("i", down)]), "x^{n}_{i}");
        assert_eq!(joined(&[("1", None), ("st", up)]), "1st");
        assert_eq!(joined(&[("3", up), ("He", None)]), "³He");
        assert_eq!(joined(&[("all of it", up)]), "all of it");
        assert_eq!(joined(&[]), "");
    }
}
