//! What of an XML part is text that users see or wrote, and what belongs to the format.

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Free text.
    Text,
    /// A number, an id or a reference of the format. It is not searched.
    Number,
    /// A word of the format, such as `body` in `type="body"`. It stays, and a warning says so.
    Keyword,
    /// A part of a workbook that others refer to, such as the name of a sheet. It cannot be changed alone.
    Reference,
    /// A format of numbers.
    NumberFormat,
}

/// Attributes that have free text, by their local names.
const TEXT: [&str; 23] = [
    "name",
    "descr",
    "title",
    "tooltip",
    "author",
    "initials",
    "userId",
    "providerId",
    "alt",
    "altText",
    "invalidUrl",
    "text",
    "displayName",
    "caption",
    "label",
    "prompt",
    "promptTitle",
    "error",
    "errorTitle",
    "phldrT",
    "string",
    "userName",
    "email",
];
/// Attributes whose values have blanks or signs, and are no text.
const FORMAT: [&str; 23] = [
    "Ignorable",
    "Requires",
    "ProcessContent",
    "MustUnderstand",
    "style",
    "path",
    "coordsize",
    "coordorigin",
    "points",
    "adj",
    "eqn",
    "fmla",
    "ref",
    "sqref",
    "spans",
    "activeCell",
    "type",
    "schemaLocation",
    "progId",
    "encoding",
    "version",
    "uri",
    "typeface",
];
/// Elements whose names are references in the same part, or to styles that programs know.
const NAMED: [&str; 11] = [
    "gd",
    "styleLbl",
    "layoutNode",
    "forEach",
    "if",
    "else",
    "choose",
    "alg",
    "presOf",
    "tableStyleInfo",
    "tableStyle",
];
/// Elements of `docProps/app.xml` that have numbers.
const COUNTS: [&str; 20] = [
    "TotalTime",
    "Words",
    "Paragraphs",
    "Slides",
    "Notes",
    "HiddenSlides",
    "MMClips",
    "Pages",
    "Characters",
    "CharactersWithSpaces",
    "Lines",
    "AppVersion",
    "DocSecurity",
    "ScaleCrop",
    "LinksUpToDate",
    "SharedDoc",
    "HyperlinksChanged",
    "i4",
    "i2",
    "bool",
];

/// Returns the role of an attribute. `element` and `name` are local names.
pub(crate) fn attribute(part: &str, element: &str, name: &str, value: &str) -> Role {
    if is_custom(part) {
        return Role::Text;
    }
    if name == "formatCode" {
        return Role::NumberFormat;
    }
    let is_workbook_name =
        matches!(element, "sheet" | "definedName" | "table" | "pivotTableDefinition" | "query")
            && matches!(name, "name" | "displayName")
            && part.contains("xl/");
    if is_workbook_name {
        return Role::Reference;
    }
    if NAMED.contains(&element) && name == "name" {
        return Role::Keyword;
    }
    if TEXT.contains(&name) || (element == "tag" && name == "val") {
        return Role::Text;
    }
    let is_hex = matches!(value.len(), 6 | 8) && value.bytes().all(|it| it.is_ascii_hexdigit());
    let is_relation = value.strip_prefix("rId").is_some_and(is_number);
    if is_number(value) || is_hex || is_relation {
        return Role::Number;
    }
    let is_word = !value.contains(char::is_whitespace) && value.is_ascii() && !value.contains('@');
    if is_word || FORMAT.contains(&name) { Role::Keyword } else { Role::Text }
}

/// Returns the role of the text of an element. `above` are the local names of its parent and the element above that;
/// `kind` is the attribute `t` of the parent.
pub(crate) fn text(part: &str, element: &str, above: [&str; 2], kind: &str, value: &str) -> Role {
    if is_custom(part) {
        return Role::Text;
    }
    match element {
        "attrName" => return Role::Keyword,
        "formatCode" => return Role::NumberFormat,
        "v" if above[0] == "c" && matches!(kind, "s" | "b" | "e") => return Role::Number,
        "f"
        | "definedName"
        | "formula"
        | "formula1"
        | "formula2"
        | "calculatedColumnFormula"
        | "oldFormula"
            if part.contains("xl/") =>
        {
            return Role::Reference;
        }
        "v" | "pt" | "t" | "text" | "p" | "si" | "is" | "lpstr" | "lpwstr" | "bstr" => {
            return Role::Text;
        }
        _ => {}
    }
    if part.contains("docProps/") {
        let is_count = part.ends_with("app.xml") && COUNTS.contains(&element);
        return if is_count { Role::Number } else { Role::Text };
    }
    if is_number(value.trim()) { Role::Number } else { Role::Text }
}

/// Returns `true` if a part has XML of its own kind, in which everything is text.
fn is_custom(part: &str) -> bool {
    let part = part.to_ascii_lowercase();
    part.contains("customxml/") && !part.contains("itemprops") && !part.ends_with(".rels")
}

/// Returns `true` for elements that begin or end a line in a block of text.
pub(crate) fn breaks(local: &str) -> bool {
    matches!(local, "p" | "br" | "tab" | "cr" | "rPh" | "tc" | "tr" | "si" | "is")
}

/// Returns `true` for elements whose text is read as one, across the runs in it.
pub(crate) fn is_block(local: &str) -> bool {
    matches!(local, "p" | "si" | "is" | "text" | "oMath" | "oMathPara")
}

/// Returns `true` for numbers, percentages, and ids in braces.
fn is_number(value: &str) -> bool {
    let inner = value.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    match inner {
        Some(id) => id.len() >= 32 && id.bytes().all(|it| it.is_ascii_hexdigit() || it == b'-'),
        None => {
            let has_digit = value.bytes().any(|it| it.is_ascii_digit());
            let is_plain = |it: u8| it.is_ascii_digit() || matches!(it, b'.' | b'-' | b'+' | b'%');
            value.is_empty() || (has_digit && value.bytes().all(is_plain))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Role, attribute, text};

    #[test]
    fn text_words_of_the_format_and_numbers_are_distinguished() {
        let slide = "ppt/slides/slide1.xml";
        assert_eq!(attribute(slide, "cNvPr", "descr", "12"), Role::Text);
        assert_eq!(attribute(slide, "ph", "type", "body"), Role::Keyword);
        assert_eq!(attribute(slide, "off", "x", "-1200"), Role::Number);
        assert_eq!(attribute(slide, "x", "new", "two words"), Role::Text);
        assert_eq!(attribute(slide, "x", "new", "a@b"), Role::Text);
        assert_eq!(attribute("customXml/item1.xml", "x", "n", "12"), Role::Text);
        assert_eq!(attribute("xl/workbook.xml", "sheet", "name", "S"), Role::Reference);
        assert_eq!(
            text(
                slide,
                "tableStyleId",
                ["tblPr", "tbl"],
                "",
                "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"
            ),
            Role::Number
        );
        assert_eq!(text("xl/worksheets/sheet1.xml", "v", ["c", "row"], "s", "1"), Role::Number);
        assert_eq!(text("xl/worksheets/sheet1.xml", "v", ["c", "row"], "", "1"), Role::Text);
        assert_eq!(text("docProps/app.xml", "Words", ["Properties", ""], "", "25"), Role::Number);
        assert_eq!(text("docProps/custom.xml", "i4", ["property", ""], "", "25"), Role::Text);
    }
}
