//! Files that a user asks for, in English or Chinese, so that a run reports those that are missing.
//!
//! Only clear requests count: a verb such as "give" or "make" and, after it in the same clause, a format as something to be made.
//! Formats of the user's own files, as in "from the Excel file", do not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// Kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Its usual name.
    pub(crate) name: &'static str,
    /// File extensions.
    extensions: &'static [&'static str],
    /// Its names in instructions, as part of a regular expression.
    words: &'static str,
}

impl Format {
    /// Returns the usual extension.
    pub(crate) fn extension(&self) -> &'static str {
        self.extensions.first().copied().unwrap_or("md")
    }

    /// Returns whether a file of this name is of the kind.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
        extension.is_some_and(|extension| self.extensions.contains(&extension.as_str()))
    }
}

const FORMATS: [Format; 5] = [
    Format {
        name: "an Excel file",
        extensions: &["xlsx", "xlsm"],
        words: "excel|xlsx|spreadsheet|workbook|电子表格|工作簿",
    },
    Format { name: "a PDF file", extensions: &["pdf"], words: "pdf" },
    Format { name: "a Word file", extensions: &["docx"], words: "word|docx" },
    Format { name: "a CSV file", extensions: &["csv"], words: "csv" },
    Format { name: "a Markdown file", extensions: &["md"], words: "markdown" },
];

/// Characters that end a clause. In English, commas do not: "give me the growth, as PDF".
const CLAUSES: [char; 9] = ['.', '!', '?', ';', '\n', '。', '！', '？', '；'];

const ENGLISH_VERBS: &str = r"\b(?:give|make|create|export|save|produce|generate|write|deliver|build|render|prepare|provide|send|want|need|turn|convert|put|output|draw up|export(?:ed)?)\b";

const CHINESE_VERBS: &str = "给我|给出|生成|导出|输出|保存|存为|存成|转成|转为|做成|做一|做个|制作|写成|写一|出一|出个|整理成|汇总成|提供|交付|发我|要一|需要";

/// Returns the usual names of the formats that the instruction asks for and that no file in `delivered` has.
pub(crate) fn missing(instruction: &str, delivered: &BTreeSet<String>) -> Vec<String> {
    let is_there = |format: &Format| delivered.iter().any(|name| format.is_of(name));
    let missing = requested_formats(instruction).into_iter().filter(|format| !is_there(format));
    missing.map(|format| format.name.to_owned()).collect()
}

/// Returns the sentence that names the missing files, in the language of the answer.
pub(crate) fn not_delivered(answer: &str, missing: &[String]) -> String {
    if !is_chinese(answer) {
        return format!("Not delivered: {}.", missing.join(" and "));
    }
    let in_chinese = |missing: &String| {
        let kind = |name: &str| name.split(' ').nth(1).map(|kind| format!("{kind} 文件"));
        let is_format = FORMATS.iter().any(|format| format.name == missing);
        match missing.strip_prefix("the file ") {
            _ if is_format => kind(missing).unwrap_or_else(|| missing.clone()),
            Some(name) => format!("文件 {name}"),
            None => missing.clone(),
        }
    };
    let missing: Vec<String> = missing.iter().map(in_chinese).collect();
    format!("未交付：{}。", missing.join("、"))
}

/// Returns whether a text has Chinese characters.
pub(crate) fn is_chinese(text: &str) -> bool {
    text.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter))
}

/// Returns the formats that the instruction asks for, in the order of the list above.
pub(crate) fn requested_formats(instruction: &str) -> Vec<Format> {
    static PATTERNS: LazyLock<Vec<(Format, Regex)>> = LazyLock::new(|| {
        let pattern = |format: Format| {
            let words = format.words;
            // The words before the format show that it is something new; "the", "these" and "from" refer to existing files.
            let english = format!(
                r"{ENGLISH_VERBS}.*?\b(?:an?|as|to|into|in|one|another|new|and|plus)\s+(?:\S+\s+){{0,2}}?(?:{words})\b"
            );
            let chinese = format!(
                r"(?:{CHINESE_VERBS}).{{0,24}}?(?:{words})|以\s*(?:{words})\s*(?:文件)?(?:格式|形式)"
            );
            let pattern = format!("(?is)(?:{english})|(?:{chinese})");
            // The patterns are constant and tested.
            Regex::new(&pattern).ok().map(|pattern| (format, pattern))
        };
        FORMATS.into_iter().filter_map(pattern).collect()
    });
    static INSIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let words = FORMATS.map(|format| format.words).join("|");
        let english = format!(
            r"\b(?:from|of|in|inside|these|those|this|both|attached|the)\s+(?:\S+\s+){{0,2}}?(?:{words})\s+(?:files?|reports?|sheets?|documents?|tables?)\b"
        );
        // These words refer to files that the user has.
        Regex::new(&format!(
            r"(?i){english}|\S+\.(?:xlsx|xlsm|pdf|docx|csv|md)\b|(?:{words})\s*(?:文件|表格|表|文档|报告|报表)?\s*(?:里|中的|内的|中|上的)"
        ))
        .ok()
    });
    // Replaces file names first, whose dots do not end a clause.
    let instruction = match INSIDE.as_ref() {
        Some(inside) => inside.replace_all(instruction, " - "),
        None => instruction.into(),
    };
    let mut found = Vec::new();
    for clause in instruction.split(CLAUSES) {
        for (format, pattern) in PATTERNS.iter() {
            if !found.contains(format) && pattern.is_match(clause) {
                found.push(*format);
            }
        }
    }
    found.sort_by_key(|format| FORMATS.iter().position(|other| other == format));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_in_the_language_of_the_answer() {
        let missing = ["an Excel file", "a PDF file", "the file 报告.xlsx"].map(str::to_owned);
        assert_eq!(
            not_delivered("Done.", &missing),
            "Not delivered: an Excel file and a PDF file and the file 报告.xlsx."
        );
        assert_eq!(
            not_delivered("收入增长了 12%。", &missing),
            "未交付：Excel 文件、PDF 文件、文件 报告.xlsx。"
        );
    }

    fn names(instruction: &str) -> Vec<&'static str> {
        requested_formats(instruction).into_iter().map(|format| format.extensions[0]).collect()
    }

    #[test]
    fn what_is_asked_for_is_found() {
        for (instruction, expected) in [
            (
                "Here are the 2024 and 2025 operating reports. Compare DAU and revenue growth year over year, give me an Excel sheet, and export the summary as PDF",
                &["xlsx", "pdf"][..],
            ),
            (
                "把2024和2025年的运营报告对比一下，给我一个Excel表格，并把总结导出为PDF",
                &["xlsx", "pdf"],
            ),
            ("对比两份报告的增长，生成 Excel 和 PDF", &["xlsx", "pdf"]),
            ("请将汇总结果以 PDF 格式导出", &["pdf"]),
            ("Convert this report to PDF", &["pdf"]),
            ("Create a new spreadsheet with the totals", &["xlsx"]),
            ("Save the cleaned table as CSV", &["csv"]),
            ("Write the summary in Markdown", &["md"]),
            ("I need the result as a Word document", &["docx"]),
            ("Make an Excel workbook and a PDF of the table", &["xlsx", "pdf"]),
            ("整理成电子表格发我", &["xlsx"]),
        ] {
            assert_eq!(names(instruction), expected, "{instruction}");
        }
    }

    #[test]
    fn what_the_user_has_is_not_asked_for() {
        for instruction in [
            "What is the DAU in the Excel file?",
            "Give me the total of the Excel sheet",
            "Compare these Excel reports and tell me the growth",
            "Here is a PDF. What does it say?",
            "Give me the numbers from report.xlsx",
            "请告诉我 Excel 里的 DAU 是多少",
            "给我 Excel 表格里的总数",
            "总结一下这份 PDF",
            "Which words excel here?",
            "In other words, what grew most?",
        ] {
            assert!(names(instruction).is_empty(), "{instruction}: {:?}", names(instruction));
        }
    }

    #[test]
    fn files_are_known_by_their_endings() {
        assert!(
            FORMATS[0].is_of("Growth.XLSX")
                && !FORMATS[0].is_of("xlsx")
                && !FORMATS[1].is_of("a.md")
        );
    }
}
