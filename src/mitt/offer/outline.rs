//! List of the functions that scripts can call, one line each, below the names of their modules.

use std::collections::BTreeMap;

use super::LIST_BYTES;
use mitt_base::text;
use mitt_skill::{Tool, to_snake};

/// A language of scripts that has no keyword arguments: its functions take an object.
const JAVASCRIPT: &str = "javascript";

/// Most characters of a function's description; the largest value is used for which the list has room.
const SUMMARIES: [usize; 3] = [80, 60, 40];

/// Least characters of a description that is cut where a part of its sentence ends. A shorter one would say too little.
const CLAUSE: usize = 20;

/// Returns a line for each of `tools` that a script can call, below the name of its module: `- growth(data, column, by?): Growth
/// of a column`; if `javascript` is the only language, `- growth({ data, column, by? }): Growth of a column`. Of functions that
/// are `brief` in `skill.yaml` only the names are listed. If there are too many for a model's first request, descriptions are
/// shortened further; then only modules are listed, and `help` explains the rest.
pub fn outlines(tools: &[Tool]) -> String {
    let called: Vec<&Tool> = tools.iter().filter(|tool| is_called(tool)).collect();
    let mut languages = tools.iter().filter_map(Tool::language).peekable();
    let takes_object = languages.peek().is_some() && languages.all(|it| it == JAVASCRIPT);
    for summary in SUMMARIES {
        let mut lines = String::new();
        for module in called.chunk_by(|left, right| left.name.skill() == right.name.skill()) {
            let (brief, described): (Vec<&Tool>, Vec<&Tool>) =
                module.iter().partition(|tool| tool.policy().brief);
            lines.extend(module.first().map(|first| format!("{}:\n", first.name.skill())));
            lines.extend(described.iter().map(|tool| outline(tool, takes_object, summary)));
            if !brief.is_empty() {
                let names: Vec<&str> = brief.iter().map(|tool| tool.name.function()).collect();
                let more = if described.is_empty() { "" } else { "also " };
                lines.push_str(&format!("- {more}{}\n", names.join(", ")));
            }
        }
        if lines.len() <= LIST_BYTES {
            return lines;
        }
    }
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tool in &called {
        modules.entry(tool.name.skill()).or_default().push(tool.name.function());
    }
    let names = |(module, functions): (&&str, &Vec<&str>)| {
        format!("- {module}: {}\n", functions.join(", "))
    };
    let lines: String = modules.iter().map(names).collect();
    if lines.len() <= LIST_BYTES {
        return lines;
    }
    format!("{}; `help` of one lists its functions\n", self::modules(tools))
}

/// Returns the names of the modules with these functions, on one line.
pub fn modules(tools: &[Tool]) -> String {
    let mut modules: Vec<&str> =
        tools.iter().filter(|tool| is_called(tool)).map(|tool| tool.name.skill()).collect();
    modules.dedup();
    named(&modules)
}

/// Returns names on one line, as many as there is room for.
pub(super) fn named(names: &[&str]) -> String {
    let all = names.join(", ");
    if all.len() <= LIST_BYTES {
        return all;
    }
    let shown = text::cut_bytes(&all, LIST_BYTES);
    let shown = shown.rsplit_once(", ").map_or(shown, |(whole, _)| whole);
    let rest = names.len() - shown.split(", ").count();
    format!("{shown}, and {rest} more")
}

fn is_called(tool: &Tool) -> bool {
    tool.language().is_none() && !tool.is_for_models_only()
}

/// Returns a function in the form of a call, with the beginning of its description.
fn outline(tool: &Tool, takes_object: bool, summary: usize) -> String {
    let params: Vec<_> = tool
        .function
        .params
        .iter()
        .map(|param| {
            let name = to_snake(&param.name);
            if param.required() { name } else { name + "?" }
        })
        .collect();
    let params = match params.join(", ") {
        params if takes_object && !params.is_empty() => format!("{{ {params} }}"),
        params => params,
    };
    let summary = clause(&sentence(&tool.function.docs), summary);
    format!("- {}({params}): {summary}\n", tool.name.function())
}

/// Returns `sentence` if it has at most `limit` characters; otherwise its beginning up to the end of a part of the sentence, or
/// of a word.
fn clause(sentence: &str, limit: usize) -> String {
    let (head, is_cut) = text::cut_chars(sentence, limit as u64);
    if !is_cut {
        return sentence.to_owned();
    }
    let is_open = |part: &str| part.matches('(').count() > part.matches(')').count();
    let part = head
        .char_indices()
        .rev()
        .filter(|&(at, mark)| match mark {
            // A mark that no blank follows may be one of a number or a path.
            ',' | ';' | ':' => sentence[at + 1..].starts_with(' '),
            '，' | '；' | '：' | '、' => true,
            '(' => sentence[..at].ends_with(' '),
            _ => false,
        })
        .map(|(at, _)| head[..at].trim_end())
        .find(|part| part.chars().count() >= CLAUSE && !is_open(part));
    let word = || head.rsplit_once(' ').map_or(head, |(words, _)| words);
    format!("{}…", part.unwrap_or_else(word))
}

/// Returns the first sentence of a description.
fn sentence(docs: &str) -> String {
    let docs = text::single_line(docs.split("\n\n").next().unwrap_or_default());
    let first = docs.split_once(". ").map_or(docs.trim_end_matches('.'), |(first, _)| first);
    first.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_sentence() {
        assert_eq!(sentence("Sorts rows. Stable.\n\nMore."), "Sorts rows");
        assert_eq!(sentence("Sorts\n  rows.\n\nMore."), "Sorts rows");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn a_long_sentence_ends_with_one_of_its_parts() {
        for (sentence, expected) in [
            ("Sorts rows, up or down", "Sorts rows, up or down"),
            ("Write one table as a file: bold header, filter", "Write one table as a file…"),
            ("Put rows below a table, and get the longer one", "Put rows below a table…"),
            ("Add columns with parts (year, month) of the date", "Add columns with parts…"),
            (
                "Sorts, then counts the rows of the given table now",
                "Sorts, then counts the rows of the…",
            ),
            (
                "Share of the total as a fraction: 0,25 means 25 %",
                "Share of the total as a fraction…",
            ),
            (
                "按列对所有的行进行排序，可以升序也可以降序，并且可以只保留每一组的前几行数据",
                "按列对所有的行进行排序，可以升序也可以降序…",
            ),
        ] {
            assert_eq!(clause(sentence, 36), expected);
        }
    }

    #[test]
    fn names_are_as_many_as_there_is_room_for() {
        assert_eq!(named(&["a", "b"]), "a, b");
        let names: Vec<String> = (0..2_000).map(|number| format!("skill_{number:04}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let line = named(&names);
        assert!(line.len() < LIST_BYTES + 100, "{}", line.len());
        assert!(line.ends_with("skill_0665, and 1334 more"), "{line}");
    }
}
