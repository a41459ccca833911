//! Destinations of the text of a group.

/// Where text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Destination {
    #[default]
    Body,
    /// Text that is not part of the document.
    Nothing,
    /// The marker of a list item.
    Label,
    /// Names of styles.
    Style,
    /// The colours that words refer to by their numbers.
    Colours,
    /// The properties of the document, each in a group of its own.
    Properties,
    Info(&'static str),
    /// The instruction of a field.
    Instruction,
    /// A picture. Only its alternative text is read.
    Picture,
    /// A group that has no text of its own, only nested groups.
    Shell,
    PropertyName,
    PropertyValue,
    Author,
}

/// Groups without text of the document.
const NOTHING: [&str; 43] = [
    "fonttbl",
    "objdata",
    "objclass",
    "objname",
    "objalias",
    "nonshppict",
    "shprslt",
    "xe",
    "tc",
    "tcn",
    "rxe",
    "txe",
    "private",
    "nonesttables",
    "pntxta",
    "pntxtb",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "themedata",
    "datastore",
    "xmlnstbl",
    "latentstyles",
    "filetbl",
    "revtbl",
    "bkmkstart",
    "bkmkend",
    "fchars",
    "lchars",
    "ftnsep",
    "ftnsepc",
    "ftncn",
    "aftnsep",
    "aftnsepc",
    "aftncn",
    "template",
    "mmathPr",
    "fontemb",
    "falt",
    "panose",
    "atnid",
    "userprops",
];

/// Returns the destination that a word at the start of a group sets; `None` for other words.
pub(crate) fn of_word(word: &str, is_optional: bool, outer: Destination) -> Option<Destination> {
    const INFO: [&str; 7] =
        ["title", "author", "subject", "keywords", "company", "creatim", "revtim"];
    if outer == Destination::Properties {
        // A text in two encodings is written twice. Only the second, in Unicode, is read.
        if matches!(word, "upr" | "ud") {
            return Some(Destination::Properties);
        }
        let known = INFO.into_iter().find(|known| *known == word);
        return Some(known.map_or(Destination::Nothing, Destination::Info));
    }
    Some(match word {
        "stylesheet" => Destination::Style,
        "colortbl" => Destination::Colours,
        "info" => Destination::Properties,
        "listtext" | "pntext" => Destination::Label,
        "pict" => Destination::Picture,
        "sn" => Destination::PropertyName,
        "sv" => Destination::PropertyValue,
        "fldinst" => Destination::Instruction,
        "atnauthor" => Destination::Author,
        // Their text belongs to the document, or to a flow of its own.
        "footnote" | "annotation" | "shptxt" | "dptxbxtext" | "header" | "headerl" | "headerr"
        | "headerf" | "footer" | "footerl" | "footerr" | "footerf" | "field" | "fldrslt" | "ud"
        | "result" => Destination::Body,
        // Only the second encoding, in `\ud`, is read.
        "upr" => Destination::Shell,
        // Only nested groups have text.
        "shpinst" | "shppict" | "picprop" | "do" | "sp" | "object" | "shp" => match outer {
            Destination::Picture => Destination::Picture,
            _ => Destination::Shell,
        },
        "nesttableprops" => Destination::Body,
        _ if NOTHING.contains(&word) => Destination::Nothing,
        _ => return None,
    })
    .filter(|_| is_optional || word != "ud")
}
