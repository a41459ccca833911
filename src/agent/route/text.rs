//! Typed text as the classifier reads it: folded, split into clauses, with file names replaced.
//!
//! Knows characters and file extensions. Does not know what words mean.

use mitt::guard::simplified;

/// Most characters that are examined completely. Of a longer text only both ends are.
const WHOLE: usize = 900;
/// Characters at the beginning of a longer text that are examined.
const HEAD: usize = 600;
/// Characters at its end that are examined.
const TAIL: usize = 300;

/// Ends a clause.
pub(super) const END: char = '|';
/// Ends a clause that is a question.
pub(super) const QUESTION: char = '?';
/// Placeholder for the name of a file.
const FILE: char = '\u{1}';

/// File extensions.
const ENDINGS: [&str; 48] = [
    "7z", "arrow", "avi", "bmp", "csv", "doc", "docm", "docx", "dotx", "eml", "epub", "feather",
    "gif", "gz", "htm", "html", "ipynb", "jpeg", "jpg", "json", "log", "md", "mhtml", "mp3", "mp4",
    "msg", "odp", "ods", "odt", "parquet", "pdf", "png", "ppt", "pptx", "py", "rtf", "sql", "svg",
    "tar", "tsv", "txt", "webp", "xls", "xlsb", "xlsm", "xlsx", "xml", "zip",
];
/// More file extensions.
const MORE_ENDINGS: [&str; 5] = ["xltx", "yaml", "yml", "heic", "tiff"];

/// Text as the classifier reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct View {
    /// Latin words have a single blank around each, also at both ends; Chinese has none. [`END`] and [`QUESTION`] end clauses.
    /// Everything is lower case, traditional characters are simplified, and full-width forms are normalised.
    pub(super) folded: String,
    /// `true` if it names a file, a path, an address or a range of cells.
    pub(super) has_file: bool,
    /// Number of characters without surrounding white space, or one more than are examined.
    pub(super) characters: usize,
    /// `true` if only its ends were examined.
    pub(super) is_cut: bool,
}

impl View {
    /// Reads a text, in bounded time.
    pub(super) fn of(text: &str) -> View {
        let text = text.trim();
        let mut letters: Vec<char> = text.chars().take(WHOLE + 1).collect();
        let characters = letters.len();
        let is_cut = characters > WHOLE;
        if is_cut {
            let tail: Vec<char> = text.chars().rev().take(TAIL).collect();
            letters.truncate(HEAD);
            letters.push('\n');
            letters.extend(tail.into_iter().rev());
        }
        let letters: Vec<char> = letters.into_iter().map(plain).collect();
        let mut folding = Folding::default();
        let mut at = 0;
        while let Some(&letter) = letters.get(at) {
            let before = at.checked_sub(1).and_then(|before| letters.get(before)).copied();
            match file_end(&letters, at, before) {
                Some(end) => {
                    folding.file();
                    at = end;
                }
                None => {
                    let after = letters.get(at + 1).copied();
                    folding.push(letter, before, after);
                    at += 1;
                }
            }
        }
        let (folded, has_file) = folding.finish();
        View { folded, has_file, characters, is_cut }
    }
}

/// Folds a phrase of a list of words in the same way.
pub(super) fn folded_phrase(phrase: &str) -> String {
    let mut folding = Folding::default();
    for letter in phrase.chars() {
        folding.push(plain(letter), None, None);
    }
    folding.finish().0
}

/// Returns whether a character is written without spaces between words.
pub(super) fn is_dense(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{2fff}' | '\u{3005}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn plain(letter: char) -> char {
    let usual = match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        '\u{3000}' | '\u{a0}' => ' ',
        '\u{2018}' | '\u{2019}' | '`' | '´' => '\'',
        letter => simplified(letter),
    };
    // Letters whose lower-case form is longer than one letter do not occur in the lists.
    let mut small = usual.to_lowercase();
    match (small.next(), small.next()) {
        (Some(small), None) => small,
        _ => usual,
    }
}

/// Returns where the file name that begins at `at` ends, if there is one.
fn file_end(letters: &[char], at: usize, before: Option<char>) -> Option<usize> {
    let begins_word = before.is_none_or(|it| !is_name_part(it));
    if !begins_word {
        return None;
    }
    let rest = &letters[at..];
    let length = |is_part: fn(char) -> bool| rest.iter().take_while(|it| is_part(**it)).count();
    let path = || length(|it| !it.is_whitespace() && !"\"'<>|?*，。；,;".contains(it));
    let end = match rest {
        ['h', 't', 't', 'p', ':' | 's', ..] => {
            let is_address = rest[4..].starts_with(&[':', '/', '/'])
                || rest[4..].starts_with(&['s', ':', '/', '/']);
            is_address.then(|| length(|it| !it.is_whitespace() && !is_dense(it)))
        }
        // Paths: `/a/b`, `~/a`, `./a`, `c:\a`.
        ['/', first, ..] if first.is_alphanumeric() => {
            Some(path()).filter(|end| rest[1..*end].contains(&'/'))
        }
        ['~', '/', _, ..] | ['.', '/', _, ..] | ['.', '.', '/', ..] => Some(path()),
        [drive, ':', '\\', ..] if drive.is_ascii_alphabetic() => Some(path()),
        _ => None,
    };
    if let Some(end) = end {
        return Some(at + end);
    }
    // Chinese before the extension may belong to the sentence, so only Latin characters count as part of the name.
    let stem = length(|it| is_name_part(it) && !is_dense(it));
    rest.get(stem).filter(|it| **it == '.')?;
    let has_stem = stem > 0 || before.is_some_and(|it| is_dense(it) || ")]》」'\"".contains(it));
    let ending: String =
        rest[stem + 1..].iter().take_while(|it| it.is_ascii_alphanumeric()).take(8).collect();
    let is_ending = ENDINGS.contains(&ending.as_str()) || MORE_ENDINGS.contains(&ending.as_str());
    (has_stem && is_ending).then_some(at + stem + 1 + ending.len())
}

/// Returns whether a character may occur in a file name before its extension.
fn is_name_part(letter: char) -> bool {
    letter.is_alphanumeric() && !is_dense(letter) || "_-()[]".contains(letter)
}

#[derive(Default)]
struct Folding {
    folded: String,
    word: String,
    has_file: bool,
}

impl Folding {
    fn push(&mut self, letter: char, before: Option<char>, after: Option<char>) {
        if is_dense(letter) {
            self.end_word();
            return self.folded.push(letter);
        }
        if letter.is_alphanumeric() {
            return self.word.push(letter);
        }
        match letter {
            // `don't`, and `1.5` or `1,000`.
            '\'' if !self.word.is_empty() => {}
            '.' | ',' if is_digit(before) && is_digit(after) => {}
            '?' => self.end_clause(QUESTION),
            '.' | '!' | ';' | ',' | ':' | '\n' | '。' | '、' | '…' | '~' | '～' => {
                self.end_clause(END)
            }
            _ => self.end_word(),
        }
    }

    fn file(&mut self) {
        self.end_word();
        self.space();
        self.folded.push(FILE);
        self.folded.push(' ');
        self.has_file = true;
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.space();
        let letters: Vec<char> = word.chars().collect();
        for run in letters.chunk_by(|a, b| a == b) {
            // `sooo` and `hiii` are `so` and `hi`.
            let is_drawn = run.len() > 2 && !run[0].is_ascii_digit();
            self.folded.extend(if is_drawn { &run[..1] } else { run });
        }
        self.folded.push(' ');
    }

    fn end_clause(&mut self, sign: char) {
        self.end_word();
        let last = self.folded.trim_end().chars().next_back();
        if !self.folded.is_empty()
            && last != Some(QUESTION)
            && (last != Some(END) || sign == QUESTION)
        {
            self.folded.push(sign);
        }
    }

    fn space(&mut self) {
        if !self.folded.ends_with(' ') {
            self.folded.push(' ');
        }
    }

    fn finish(mut self) -> (String, bool) {
        self.end_word();
        (self.folded, self.has_file)
    }
}

fn is_digit(letter: Option<char>) -> bool {
    letter.is_some_and(|it| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_folded_and_cut_into_clauses() {
        for (text, folded, has_file) in [
            ("Don't sort, please!", " dont sort | please |", false),
            ("能不能把Ａ列排序？", "能不能把 a 列排序?", false),
            ("請 幫我", "请帮我", false),
            ("a.xlsx分析", " \u{1} 分析", true),
            ("分析销售数据.xlsx", "分析销售数据 \u{1} ", true),
            ("data(1).csv, now", " \u{1} | now ", true),
            ("which .xlsx files", " which | xlsx files ", false),
            ("1,000.5 rows", " 10005 rows ", false),
            ("see /etc/hosts and ~/x", " see \u{1} and \u{1} ", true),
            ("and/or", " and or ", false),
            ("soooo gooood hiii 2000", " so god hi 2000 ", false),
            ("看https://a.org/x下", "看 \u{1} 下", true),
            ("mail a@b.org", " mail a b | org ", false),
            ("@报告.docx 总结", "报告 \u{1} 总结", true),
            ("?", "", false),
        ] {
            let view = View::of(text);
            assert_eq!((view.folded.as_str(), view.has_file), (folded, has_file), "{text}");
        }
    }

    #[test]
    fn of_long_texts_the_ends_are_looked_at() {
        let text = format!("a.csv {} b", "x".repeat(1_000_000));
        let view = View::of(&text);
        assert!(view.is_cut && view.has_file && view.folded.len() < 4 * (HEAD + TAIL));
        assert!(view.folded.ends_with(" b "));
    }
}
