//! Arguments of a skill's command: splitting of the text after its name, and substitution into the skill's instructions.
//!
//! Knows no skill and no protocol, only texts.

use mitt_base::{Error, ErrorKind, Result};

/// Most arguments of one command.
pub const MAX_ARGUMENTS: usize = 100;

/// Largest instructions after substitution, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// Name of the placeholder for all arguments.
const ALL: &str = "ARGUMENTS";

/// Splits the text after the name of a command at white space. Text between `"` or `'` is one argument, or a part of one; between
/// `"`, `\"` is a quote and `\\` a backslash. A quote inside of a word, as in `don't`, is an ordinary character.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - a quote is not closed, with its place; or there are more than [`MAX_ARGUMENTS`].
///
/// # Example: two arguments
///
/// ```
/// use mitt_skill::split_arguments;
///
/// assert_eq!(split_arguments("2025 'first quarter'")?, ["2025", "first quarter"]);
/// # Ok::<(), mitt_base::Error>(())
/// ```
pub fn split_arguments(text: &str) -> Result<Vec<String>> {
    let mut arguments: Vec<String> = Vec::new();
    let mut letters = text.chars().enumerate().peekable();
    while let Some((start, letter)) = letters.next() {
        if letter.is_whitespace() {
            continue;
        }
        if arguments.len() == MAX_ARGUMENTS {
            let message = format!("expected at most {MAX_ARGUMENTS} arguments, got more");
            return Err(Error::new(ErrorKind::Arguments, message)
                .hint("put what belongs together between quotes"));
        }
        let mut argument = String::new();
        let mut next = Some((start, letter));
        let mut quote = None;
        if matches!(letter, '"' | '\'') {
            (quote, next) = (Some(letter), letters.next());
        }
        loop {
            match (next, quote) {
                (None, Some(quote)) => {
                    return Err(not_closed(arguments.len() + 1, quote, start + 1));
                }
                (None, None) => break,
                (Some((_, '\\')), Some('"')) if matches!(letters.peek(), Some((_, '"' | '\\'))) => {
                    argument.extend(letters.next().map(|(_, escaped)| escaped));
                }
                (Some((_, letter)), Some(open)) if letter == open => quote = None,
                (Some((_, letter)), None) if letter.is_whitespace() => break,
                (Some((_, letter)), _) => argument.push(letter),
            }
            next = letters.next();
        }
        arguments.push(argument);
    }
    Ok(arguments)
}

#[cold]
fn not_closed(number: usize, quote: char, at: usize) -> Error {
    let message = format!("argument {number}: the quote `{quote}` at character {at} is not closed");
    Error::new(ErrorKind::Arguments, message)
        .hint("close it, or put the argument between the other quotes")
}

/// Arguments to substitute into instructions.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenArguments<'a> {
    /// Names of the arguments, in order, if the skill defines any.
    pub names: &'a [&'a str],
    /// Values, in the same order. There may be fewer or more of them.
    pub values: &'a [String],
    /// All arguments as they were written.
    pub all: &'a str,
}

/// Instructions with substituted arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilledInstructions {
    /// The text.
    pub text: String,
    /// `true` if it has a placeholder for all arguments.
    pub has_all: bool,
    /// Indices of the arguments that have a placeholder of their own.
    pub placed: Vec<usize>,
}

/// Substitutes arguments into instructions, in one pass: placeholders in values are not substituted.
///
/// Placeholders are `$ARGUMENTS` for all, `$ARGUMENTS[0]` and `$0` for the first one, and `$name`. A missing argument is empty.
/// These stay as they are: unknown names; amounts such as `$1.50`, `$1,000` and `$100`; numbers beyond the last name if the skill
/// names its arguments; and whatever follows a `\`, which is removed.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the result is longer than 1 MiB.
pub fn fill_arguments(body: &str, given: GivenArguments<'_>) -> Result<FilledInstructions> {
    let mut filled = FilledInstructions::default();
    let mut rest = body;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        filled.push(before)?;
        let placeholder = Placeholder::at(&from[1..], given);
        let length = 1 + placeholder.as_ref().map_or(0, |placeholder| placeholder.length);
        match placeholder {
            Some(_) if before.ends_with('\\') => {
                filled.text.pop();
                filled.push(&from[..length])?;
            }
            Some(placeholder) => {
                filled.push(placeholder.value)?;
                filled.has_all |= placeholder.index.is_none();
                filled
                    .placed
                    .extend(placeholder.index.filter(|index| !filled.placed.contains(index)));
            }
            None => filled.push("$")?,
        }
        rest = &from[length..];
    }
    filled.push(rest)?;
    Ok(filled)
}

impl FilledInstructions {
    fn push(&mut self, text: &str) -> Result<()> {
        if self.text.len() + text.len() > MAX_BYTES {
            let message = format!(
                "expected instructions of at most {MAX_BYTES} bytes with their arguments, got more"
            );
            return Err(Error::new(ErrorKind::Arguments, message).hint("give shorter arguments"));
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// Placeholder for an argument.
struct Placeholder<'a> {
    /// Bytes after the `$`.
    length: usize,
    /// Index of the argument; `None` for all of them.
    index: Option<usize>,
    value: &'a str,
}

impl<'a> Placeholder<'a> {
    /// Returns the placeholder at the start of the text after a `$`.
    fn at(text: &str, given: GivenArguments<'a>) -> Option<Placeholder<'a>> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let is_sum = text[digits..]
                .strip_prefix(['.', ','])
                .is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
            let index =
                text[..digits].parse().ok().filter(|index| *index < MAX_ARGUMENTS && !is_sum)?;
            let is_named =
                given.names.is_empty() || index < given.names.len().max(given.values.len());
            return is_named.then(|| Placeholder::of(index, digits, given));
        }
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        let length = text.find(|it: char| !is_part(it)).unwrap_or(text.len());
        let name = &text[..length];
        if name != ALL {
            let index = given.names.iter().position(|other| *other == name && !name.is_empty())?;
            return Some(Placeholder::of(index, length, given));
        }
        let number = text[length..].strip_prefix('[').and_then(|rest| rest.split_once(']'));
        match number.and_then(|(number, _)| Some((number.len(), number.parse().ok()?))) {
            Some((digits, index)) => Some(Placeholder::of(index, length + digits + 2, given)),
            None => Some(Placeholder { length, index: None, value: given.all }),
        }
    }

    fn of(index: usize, length: usize, given: GivenArguments<'a>) -> Placeholder<'a> {
        let value = given.values.get(index).map_or("", String::as_str);
        Placeholder { length, index: Some(index), value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_together_and_have_to_be_closed() {
        for (text, expected) in [
            ("", &[][..]),
            ("  a  b\tc\n", &["a", "b", "c"]),
            ("'a b' \"c d\"", &["a b", "c d"]),
            ("\"it's\" 'say \"x\"'", &["it's", "say \"x\""]),
            ("don't 5'", &["don't", "5'"]),
            (r#""a \"b\" \\ \n""#, &[r#"a "b" \ \n"#]),
            ("'' \"\"", &["", ""]),
            ("'a'b \"c\"d e", &["ab", "cd", "e"]),
            ("销售 '第一 季度'", &["销售", "第一 季度"]),
            ("$0 $ARGUMENTS", &["$0", "$ARGUMENTS"]),
        ] {
            assert_eq!(split_arguments(text).unwrap(), expected, "{text}");
        }
        let error = |text| split_arguments(text).unwrap_err().to_string();
        assert_eq!(error("a 'b c"), "argument 2: the quote `'` at character 3 is not closed");
        assert_eq!(error("年 \"\\\""), "argument 2: the quote `\"` at character 3 is not closed");
        assert_eq!(error(&"a ".repeat(101)), "expected at most 100 arguments, got more");
    }

    fn filled(body: &str, names: &[&str], all: &str) -> String {
        let values = split_arguments(all).unwrap();
        fill_arguments(body, GivenArguments { names, values: &values, all }).unwrap().text
    }

    #[test]
    fn arguments_are_put_into_their_places_once() {
        for (body, names, all, expected) in [
            ("Do $ARGUMENTS.", &[][..], "a 'b c'", "Do a 'b c'."),
            ("$0|$1|$2|$ARGUMENTS[1]|$ARGUMENTS[7]", &[], "a 'b c'", "a|b c||b c|"),
            ("$0 $1", &[], "$1 $ARGUMENTS", "$1 $ARGUMENTS"),
            ("$year of $kind, $other", &["year", "kind"], "2025", "2025 of , $other"),
            // With named arguments, a number beyond them is an amount.
            ("$0 costs $5", &["what"], "tea", "tea costs $5"),
            ("costs $5, $1.50, $1,000, $100, US$", &[], "x", "costs , $1.50, $1,000, $100, US$"),
            (r"\$0 is $0, \$x and \$ARGUMENTS", &[], "a", r"$0 is a, \$x and $ARGUMENTS"),
            ("$ARGUMENTSX $ARGUMENTS[x] $$0", &[], "a", "$ARGUMENTSX a[x] $a"),
            ("年$0月", &[], "二", "年二月"),
        ] {
            assert_eq!(filled(body, names, all), expected, "{body}");
        }
    }

    #[test]
    fn what_was_placed_is_known_and_texts_have_an_end() {
        let values = ["a".to_owned(), "b".to_owned()];
        let given = GivenArguments { names: &["x", "y"], values: &values, all: "a b" };
        let of = |body: &str| {
            let filled = fill_arguments(body, given).unwrap();
            (filled.has_all, filled.placed)
        };
        assert_eq!(of("$y $1 $x"), (false, vec![1, 0]));
        assert_eq!(of("$ARGUMENTS"), (true, vec![]));
        assert_eq!(of("nothing"), (false, vec![]));
        let long = "x".repeat(100_000);
        let given = GivenArguments { all: &long, ..GivenArguments::default() };
        let error = fill_arguments(&"$ARGUMENTS ".repeat(20), given).unwrap_err();
        assert!(
            error.to_string().starts_with("expected instructions of at most 1048576 bytes"),
            "{error}"
        );
    }
}
