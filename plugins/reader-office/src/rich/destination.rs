//! Where the text of a group goes.

/// Where text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Destination {
    #[default]
    Body,
    /// It is no text of the document.
    Nothing,
    /// The mark of a list's point.
    Label,
    /// Names of styles.
    Style,
    /// The properties of the document, each in a group of its own.
    Properties,
    /// One of them.
    Info(&'static str),
    /// What a field does.
    Instruction,
    /// A picture, in which only what it says of itself is text.
    Picture,
    /// A group around others, which has no text of its own.
    Shell,
    PropertyName,
    PropertyValue,
    /// Who made a comment.
    Author,
}

/// Groups that hold no text of the document.
const NOTHING: [&str; 44] = [
    "fonttbl",
    "colortbl",
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

/// The destination that a word at the beginning of a group is, or `None` for other words.
pub(crate) fn of_word(word: &str, is_optional: bool, outer: Destination) -> Option<Destination> {
    const INFO: [&str; 7] =
        ["title", "author", "subject", "keywords", "company", "creatim", "revtim"];
    if outer == Destination::Properties {
        // A text in two encodings stands there twice; the second, which is Unicode, counts.
        if matches!(word, "upr" | "ud") {
            return Some(Destination::Properties);
        }
        let known = INFO.into_iter().find(|known| *known == word);
        return Some(known.map_or(Destination::Nothing, Destination::Info));
    }
    Some(match word {
        "stylesheet" => Destination::Style,
        "info" => Destination::Properties,
        "listtext" | "pntext" => Destination::Label,
        "pict" => Destination::Picture,
        "sn" => Destination::PropertyName,
        "sv" => Destination::PropertyValue,
        "fldinst" => Destination::Instruction,
        "atnauthor" => Destination::Author,
        // Their text is that of the document, or of a flow of its own.
        "footnote" | "annotation" | "shptxt" | "dptxbxtext" | "header" | "headerl" | "headerr"
        | "headerf" | "footer" | "footerl" | "footerr" | "footerf" | "field" | "fldrslt" | "ud"
        | "result" => Destination::Body,
        // Of a text in two encodings the second is read, which is in `\ud`; the first goes nowhere.
        "upr" => Destination::Shell,
        // Groups around others; nothing in them is text but that of groups inside.
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
