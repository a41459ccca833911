//! Gate 0: commands. `/skill arguments` names the skill to use; no model chooses.
//!
//! Knows the syntax of commands and how names are compared. The caller provides the skills.

use mitt_base::{Error, ErrorKind, text};

/// Most characters of a skill's name.
const MAX_NAME: usize = 64;

/// Most names in an error message.
const SHOWN: usize = 8;

/// What a user typed, judging by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// Words for the model.
    Words(&'a str),
    /// Words that begin with a slash, which the user doubled; here it is single.
    Escaped(&'a str),
    /// A command.
    Command {
        /// The name, without the slash.
        name: &'a str,
        /// Text after the name, without surrounding white space.
        arguments: &'a str,
    },
}

impl<'a> Typed<'a> {
    /// Parses a message. A command is a slash and a name, alone or before white space. A path such as `/etc/hosts` or
    /// `/data.csv`, a single slash and `/?` are words. `//` stands for a slash at the beginning of words.
    pub fn of(message: &'a str) -> Typed<'a> {
        let trimmed = message.trim();
        let Some(rest) = trimmed.strip_prefix('/') else { return Typed::Words(message) };
        if rest.starts_with('/') {
            return Typed::Escaped(rest);
        }
        let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if is_name(name) {
            Typed::Command { name, arguments: arguments.trim() }
        } else {
            Typed::Words(message)
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    name.chars().any(char::is_alphanumeric)
        && name.chars().all(is_part)
        && name.chars().nth(MAX_NAME).is_none()
}

/// Skill that may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// Name of the skill.
    pub name: &'a str,
    /// `true` if users may invoke it: see [`Invocation::by_user`](mitt::skill::Invocation::by_user).
    pub by_user: bool,
}

/// Skill that a name refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolved {
    /// The skill of this name.
    Found(String),
    /// Several skills, which differ only by letter case, `-` and `_`.
    Ambiguous(Vec<String>),
    /// A skill that users may not invoke.
    NotInvocable(String),
    /// No skill; these have the most similar names.
    Unknown(Vec<String>),
}

/// Finds the skill of a name: by the exact name, otherwise ignoring letter case, otherwise ignoring `-` and `_`, too. The first
/// comparison with any match decides.
pub fn resolve(name: &str, candidates: &[Candidate<'_>]) -> Resolved {
    let lower = |name: &str| name.trim().to_lowercase();
    let bare = |name: &str| lower(name).replace(['-', '_'], "");
    let ways: [&dyn Fn(&str) -> bool; 3] =
        [&|other| other == name.trim(), &|other| lower(other) == lower(name), &|other| {
            bare(other) == bare(name)
        }];
    for is_same in ways {
        let found: Vec<_> = candidates.iter().filter(|it| is_same(it.name)).collect();
        // Skills that users may not invoke do not make a name ambiguous.
        let callable: Vec<_> = found.iter().filter(|it| it.by_user).collect();
        match (&callable[..], &found[..]) {
            ([one], _) => return Resolved::Found(one.name.to_owned()),
            ([_, ..], _) => {
                let mut names: Vec<_> = callable.iter().map(|it| it.name.to_owned()).collect();
                names.sort_unstable();
                names.dedup();
                return Resolved::Ambiguous(names);
            }
            ([], [one, ..]) => return Resolved::NotInvocable(one.name.to_owned()),
            ([], []) => {}
        }
    }
    let callable = candidates.iter().filter(|it| it.by_user).map(|it| it.name);
    let mut nearest: Vec<String> =
        text::nearest(&lower(name), callable).into_iter().map(str::to_owned).collect();
    nearest.truncate(SHOWN);
    Resolved::Unknown(nearest)
}

impl Resolved {
    /// Returns the error; `None` if a skill was found. `is_slash` is set for a command, in which a slash can be doubled.
    pub fn error(&self, name: &str, is_slash: bool) -> Option<Error> {
        let shown = text::one_line(text::cut_bytes(name, 128));
        let sign = if is_slash { "/" } else { "" };
        let listed = |names: &[String]| {
            let names: Vec<_> =
                names.iter().take(SHOWN).map(|it| format!("`{sign}{it}`")).collect();
            names.join(", ")
        };
        let wrong = |message: String| Error::new(ErrorKind::Input, message);
        let error = match self {
            Resolved::Found(_) => return None,
            Resolved::Ambiguous(names) => {
                wrong(format!("`{sign}{shown}` may be several skills: {}", listed(names)))
                    .hint("write the name of one of them in full")
            }
            Resolved::NotInvocable(found) => {
                wrong(format!("the skill `{found}` is not for people to call"))
                    .hint("say what you want to be done: the model calls it where it helps")
            }
            Resolved::Unknown(nearest) => {
                let error = wrong(format!("there is no skill `{sign}{shown}`"));
                if nearest.is_empty() {
                    error
                } else {
                    error.hint(format!("did you mean {}?", listed(nearest)))
                }
            }
        };
        let escape = format!("to say it to the model as it is, write `//{shown}`");
        Some(if is_slash { error.hint(escape) } else { error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_words_and_paths() {
        let command = |name, arguments| Typed::Command { name, arguments };
        for (message, typed) in [
            ("/report 2025", command("report", "2025")),
            (" /report\n\n two lines\nhere ", command("report", "two lines\nhere")),
            ("/Excel_Tool", command("Excel_Tool", "")),
            ("/数据分析 销售额", command("数据分析", "销售额")),
            ("/etc is what?", command("etc", "is what?")),
            ("//report 2025", Typed::Escaped("/report 2025")),
            ("///", Typed::Escaped("//")),
            ("/", Typed::Words("/")),
            ("/ x", Typed::Words("/ x")),
            ("/?", Typed::Words("/?")),
            ("/-", Typed::Words("/-")),
            ("/etc/hosts is what?", Typed::Words("/etc/hosts is what?")),
            ("/data.csv 分析", Typed::Words("/data.csv 分析")),
            ("what is /report", Typed::Words("what is /report")),
            ("", Typed::Words("")),
        ] {
            assert_eq!(Typed::of(message), typed, "{message:?}");
        }
        let long = format!("/{}", "a".repeat(65));
        assert_eq!(Typed::of(&long), Typed::Words(&long));
    }

    #[test]
    fn names_are_found_exactly_by_case_and_without_hyphens() {
        let skills =
            ["excel-tool", "data-base", "database", "Report", "report", "hidden", "exceltools"];
        let candidates = skills.map(|name| Candidate { name, by_user: name != "hidden" });
        let found = |name: &str| Resolved::Found(name.to_owned());
        let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        for (name, resolved) in [
            ("excel-tool", found("excel-tool")),
            ("EXCEL-Tool", found("excel-tool")),
            ("excel_tool", found("excel-tool")),
            ("ExcelTool", found("excel-tool")),
            ("database", found("database")),
            ("data_base", Resolved::Ambiguous(names(&["data-base", "database"]))),
            ("Report", found("Report")),
            ("REPORT", Resolved::Ambiguous(names(&["Report", "report"]))),
            ("hidden", Resolved::NotInvocable("hidden".into())),
            ("reprot", Resolved::Unknown(names(&["Report", "report"]))),
            ("zzzzzz", Resolved::Unknown(vec![])),
        ] {
            assert_eq!(resolve(name, &candidates), resolved, "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_the_way_out() {
        let rendered = |resolved: Resolved, name: &str, is_slash| {
            resolved.error(name, is_slash).map(|it| it.render())
        };
        let all = [
            rendered(Resolved::Unknown(vec!["report".into()]), "reprot", true),
            rendered(Resolved::Unknown(vec![]), "zzz", false),
            rendered(Resolved::Ambiguous(vec!["a-b".into(), "ab".into()]), "AB", true),
            rendered(Resolved::NotInvocable("hidden".into()), "Hidden", false),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        insta::assert_snapshot!(all.join("\n\n"), @r"
        there is no skill `/reprot`
        hint: did you mean `/report`?
        hint: to say it to the model as it is, write `//reprot`

        there is no skill `zzz`

        `/AB` may be several skills: `/a-b`, `/ab`
        hint: write the name of one of them in full
        hint: to say it to the model as it is, write `//AB`

        the skill `hidden` is not for people to call
        hint: say what you want to be done: the model calls it where it helps
        ");
        assert!(Resolved::Found("a".into()).error("a", true).is_none());
    }
}
