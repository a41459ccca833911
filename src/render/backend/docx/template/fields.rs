//! Fields of a template. Word computes a field when a document is opened, printed or clicked, and some fetch a file or start
//! a program. Only fields are allowed that show something of the document itself.

use super::tree::Element;

/// Allowed fields: pages, dates, properties, references, tables of contents, mail merge, forms, symbols (ECMA-376-1,
/// 17.16.5).
const KNOWN: [&str; 71] = [
    "=",
    "ADDRESSBLOCK",
    "ADVANCE",
    "ASK",
    "AUTHOR",
    "AUTONUM",
    "AUTONUMLGL",
    "AUTONUMOUT",
    "BARCODE",
    "BIBLIOGRAPHY",
    "BIDIOUTLINE",
    "CITATION",
    "COMMENTS",
    "COMPARE",
    "CREATEDATE",
    "DATE",
    "DISPLAYBARCODE",
    "DOCPROPERTY",
    "DOCVARIABLE",
    "EDITTIME",
    "EQ",
    "FILENAME",
    "FILESIZE",
    "FILLIN",
    "FORMCHECKBOX",
    "FORMDROPDOWN",
    "FORMTEXT",
    "GREETINGLINE",
    "HYPERLINK",
    "IF",
    "INDEX",
    "INFO",
    "KEYWORDS",
    "LASTSAVEDBY",
    "LISTNUM",
    "MERGEBARCODE",
    "MERGEFIELD",
    "MERGEREC",
    "MERGESEQ",
    "NEXT",
    "NEXTIF",
    "NOTEREF",
    "NUMCHARS",
    "NUMPAGES",
    "NUMWORDS",
    "PAGE",
    "PAGEREF",
    "PRINTDATE",
    "QUOTE",
    "REF",
    "REVNUM",
    "SAVEDATE",
    "SECTION",
    "SECTIONPAGES",
    "SEQ",
    "SET",
    "SKIPIF",
    "STYLEREF",
    "SUBJECT",
    "SYMBOL",
    "TA",
    "TC",
    "TEMPLATE",
    "TIME",
    "TITLE",
    "TOA",
    "TOC",
    "USERADDRESS",
    "USERINITIALS",
    "USERNAME",
    "XE",
];

/// Most characters of an instruction in an error.
const SHOWN: usize = 60;

/// Returns the first field of a part that is refused, for an error. Instructions are joined, even if Word has split them
/// into runs.
pub(super) fn refused(root: &Element) -> Option<String> {
    let (mut open, mut found) = (Vec::<String>::new(), None);
    root.visit(&mut |element| {
        if found.is_some() {
            return;
        }
        if element.is("w:fldSimple") {
            found = check(&element.get("w:instr").unwrap_or_default());
        } else if element.is("w:instrText") {
            if let Some(instruction) = open.last_mut() {
                instruction.push_str(&element.text());
            } else {
                // Word ignores it outside of a field, but other programs may not.
                found = check(&element.text());
            }
        } else if element.is("w:fldChar") {
            match element.get("w:fldCharType").as_deref() {
                Some("begin") => open.push(String::new()),
                Some("separate") => found = open.last().and_then(|it| check(it)),
                Some("end") => found = open.pop().and_then(|it| check(&it)),
                _ => {}
            }
        }
    });
    found.or_else(|| open.iter().find_map(|it| check(it)))
}

/// Returns why a field with this instruction is refused.
fn check(instruction: &str) -> Option<String> {
    let instruction = instruction.trim();
    let name = instruction.split_whitespace().next().unwrap_or_default().to_uppercase();
    let shown = || mitt_base::text::one_line(&mitt_base::text::shortened(instruction, SHOWN));
    if instruction.starts_with('=') {
        return None;
    }
    if name == "HYPERLINK" {
        let address = instruction[name.len()..].trim_start();
        let target = address.strip_prefix('"').and_then(|it| it.split('"').next());
        let target = target.or(address.split_whitespace().next()).unwrap_or_default();
        // `\l` names a place in the document.
        let is_plain = target.starts_with('\\') || crate::shared::link::target(target).is_some();
        return (!is_plain).then(shown);
    }
    // A form field has no instruction yet while it begins.
    let is_known = name.is_empty() || KNOWN.contains(&&*name);
    (!is_known).then(shown)
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    fn of(body: &str) -> Option<String> {
        let xml = format!("<w:document>{body}</w:document>");
        refused(&Tree::read("a", xml.as_bytes(), &mut 1_000).unwrap().root)
    }

    #[test]
    fn fields_that_fetch_or_start_something_are_found_however_they_are_split() {
        let run = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
        let mark = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
        let field = |parts: &[&str]| {
            let parts: String = parts.iter().map(|it| run(it)).collect();
            format!("{}{parts}{}{}", mark("begin"), mark("separate"), mark("end"))
        };
        for text in [
            "DDEAUTO c:\\windows\\cmd.exe \"/k\"",
            " ddeauto x",
            "INCLUDETEXT \"file:///etc/passwd\"",
            "INCLUDEPICTURE \"http://a.test/x.png\"",
            "LINK Excel.Sheet",
            "IMPORT x",
            "DATABASE \\d x",
            "MACROBUTTON a b",
            "EMBED x",
            "HYPERLINK \"file:///etc/passwd\"",
            "HYPERLINK javascript:x",
            "unknown",
        ] {
            assert!(of(&field(&[text])).is_some(), "{text}");
            assert!(
                of(&format!("<w:fldSimple w:instr='{}'/>", text.replace('"', "&quot;"))).is_some(),
                "{text}"
            );
        }
        assert!(of(&field(&["DD", "EAU", "TO x"])).is_some());
        // The name comes from another field.
        let nested = format!(
            "{}{}{}{}",
            mark("begin"),
            field(&["QUOTE DDEAUTO"]),
            run(" c:\\x"),
            mark("end")
        );
        assert!(of(&nested).is_some());
        assert!(of(&format!("{}{}", mark("begin"), run("DDE x"))).is_some());
        assert!(of(&run("DDE x")).is_some());
        for text in [
            "PAGE",
            " NUMPAGES  \\* MERGEFORMAT ",
            "TOC \\o \"1-3\"",
            "REF _Ref1 \\h",
            "DATE \\@ \"yyyy\"",
            "=SUM(ABOVE)",
            "XE \"a\"",
            "HYPERLINK \"https://a.test/\"",
            "HYPERLINK \\l \"top\"",
            "IF 1 = 1 \"a\" \"b\"",
            "",
        ] {
            assert_eq!(of(&field(&[text])), None, "{text}");
        }
    }
}
