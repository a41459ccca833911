//! Raised and lowered text, which becomes another number when it is written in line: `10` and a raised `3`.

/// Above or below the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Script {
    /// Raised, like an exponent.
    Above,
    /// Lowered, like an index.
    Below,
}

/// How a raised or lowered text is written.
#[derive(PartialEq, Eq, Debug)]
pub enum Written {
    /// With these characters of Unicode, which say the same.
    Unicode(String),
    /// `^{…}` or `_{…}`.
    Braces(char),
    /// As it stands: nobody takes it for a power.
    Plain,
}

/// How to write `text`, which has no white space at its ends, behind the character `previous`.
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
        // Signs that are raised anyway, and citations such as `[3]`.
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

/// A text that is put together from pieces. Some of them are raised or lowered.
#[derive(Default)]
pub struct Scripted {
    out: String,
    /// Raised or lowered text that may continue in the next piece.
    pending: Option<(String, Script)>,
}

impl Scripted {
    /// Adds a piece: on the line, above it or below it.
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
            // Without anything in front of it, it is no exponent and no index.
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
