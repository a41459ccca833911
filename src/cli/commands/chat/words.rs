//! Parses a line of the user: a command for the program, or text for the model, with the files that it names.

use std::path::Path;

/// Commands, with their descriptions.
pub(super) const COMMANDS: [(&str, &str); 9] = [
    ("/help", "show this"),
    ("/docs", "list the documents"),
    ("/files", "list the files that were written"),
    ("/model", "tell which model is asked; `/model NAME` takes another one"),
    ("/usage", "tell what the conversation has cost so far"),
    (
        "/details",
        "show calls with their measures and the calls inside of them, or each in one line again",
    ),
    ("/continue", "go on with what was stopped or failed; calls that were made are not made again"),
    ("/log", "tell where the conversation is written down"),
    ("/quit", "end; so does Ctrl-D"),
];

/// Returns `true` if the chat itself has this command.
pub(super) fn is_own(command: &str) -> bool {
    COMMANDS.iter().any(|(name, _)| *name == command)
}

/// A parsed line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Nothing,
    /// A command with its arguments.
    Command(String),
    /// The name of another model.
    Model(String),
    /// Text for the model, and the files that it names.
    Words {
        text: String,
        files: Vec<String>,
        /// Names after `@` that are no files.
        unknown: Vec<String>,
    },
}

/// Parses a line. `is_file` returns `true` if a path names a file.
pub(super) fn understand(line: &str, is_file: impl Fn(&Path) -> bool) -> Typed {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    // A path may begin with a slash too, so a command is one word.
    if line.starts_with('/') && !line.contains(char::is_whitespace) && !line[1..].contains('/') {
        return Typed::Command(line.to_owned());
    }
    if let Some(("/model", name)) = line.split_once(char::is_whitespace) {
        return Typed::Model(name.trim().to_owned());
    }
    let (mut files, mut unknown) = (Vec::<String>::new(), Vec::new());
    for (word, is_quoted) in named(line) {
        let found = if is_quoted {
            Some(word.as_str()).filter(|word| is_file(Path::new(word)))
        } else {
            shortened(&word).find(|word| is_file(Path::new(word)))
        };
        match found {
            Some(file) if files.iter().any(|it| it == file) => {}
            Some(file) => files.push(file.to_owned()),
            None => unknown.push(word),
        }
    }
    Typed::Words { text: line.to_owned(), files, unknown }
}

/// Returns the text after each `@` that begins a word: up to a space, or between quotes.
fn named(line: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut rest = line;
    while let Some(at) = rest.find('@') {
        before = rest[..at].chars().next_back().unwrap_or(before);
        rest = &rest[at + 1..];
        // An address such as `a@b.org` names no file; Chinese has no spaces between its words.
        if before.is_ascii_alphanumeric() {
            before = '@';
            continue;
        }
        before = '@';
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some(end) = quoted.find('"') else { break };
            found.push((quoted[..end].to_owned(), true));
            rest = &quoted[end + 1..];
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if end > 0 {
            found.push((rest[..end].to_owned(), false));
        }
    }
    found
}

/// Returns a word, and its shorter forms without trailing characters that may belong to the sentence, longest first.
fn shortened(word: &str) -> impl Iterator<Item = &str> {
    let ends = word.char_indices().map(|(at, character)| at + character.len_utf8());
    let mut ends: Vec<_> = ends.collect();
    ends.reverse();
    ends.into_iter().map(|end| &word[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Typed {
        let files = ["a.xlsx", "b c.csv", "报告.docx", "/tmp/x.md"];
        understand(line, |path| files.iter().any(|file| Path::new(file) == path))
    }

    fn words(text: &str, files: &[&str], unknown: &[&str]) -> Typed {
        let own = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect();
        Typed::Words { text: text.into(), files: own(files), unknown: own(unknown) }
    }

    #[test]
    fn commands_are_one_word_with_a_slash() {
        assert_eq!(of("  "), Typed::Nothing);
        assert_eq!(of(" /help "), Typed::Command("/help".into()));
        assert_eq!(of("/hlep"), Typed::Command("/hlep".into()));
        assert_eq!(of("/tmp/x.md is old"), words("/tmp/x.md is old", &[], &[]));
        assert_eq!(of("/model"), Typed::Command("/model".into()));
        assert_eq!(of("/model  ollama/qwen3 "), Typed::Model("ollama/qwen3".into()));
        assert_eq!(of("/models a"), words("/models a", &[], &[]));
        assert_eq!(of("/tmp/x.md"), words("/tmp/x.md", &[], &[]));
    }

    #[test]
    fn files_are_named_behind_an_at() {
        let said = "Compare @a.xlsx, and @\"b c.csv\" with @a.xlsx!";
        assert_eq!(of(said), words(said, &["a.xlsx", "b c.csv"], &[]));
        assert_eq!(
            of("比较@报告.docx和@a.xlsx。"),
            words("比较@报告.docx和@a.xlsx。", &["报告.docx", "a.xlsx"], &[])
        );
        assert_eq!(of("(@/tmp/x.md)"), words("(@/tmp/x.md)", &["/tmp/x.md"], &[]));
        assert_eq!(of("mail a@b.org @ noon"), words("mail a@b.org @ noon", &[], &[]));
        assert_eq!(of("@no.csv and @\"a.xlsx"), words("@no.csv and @\"a.xlsx", &[], &["no.csv"]));
    }
}
