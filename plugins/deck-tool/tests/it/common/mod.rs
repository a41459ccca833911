//! A small presentation that tests edit: two slides with a layout, a table, a chart with its workbook, notes and sections.

use deck_tool::{Deck, DeckInfo, Edit, Edited, Error, ReadOptions, edit, read};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const P: &str = "http://schemas.openxmlformats.org/presentationml/2006/main";
const A: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
const C: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";
const S: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// Writes an archive without compression.
pub(crate) fn zip(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in parts {
        let mut fields = Vec::new();
        fields.extend([20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x5a]);
        fields.extend(crc32fast::hash(content).to_le_bytes());
        fields.extend((content.len() as u32).to_le_bytes());
        fields.extend((content.len() as u32).to_le_bytes());
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&fields);
        out.extend(name.as_bytes());
        out.extend(content);
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((parts.len() as u16).to_le_bytes());
    out.extend((parts.len() as u16).to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// An entry of an archive.
pub(crate) struct Entry {
    pub(crate) text: String,
    pub(crate) content: Vec<u8>,
    /// The bytes that it takes with its header.
    pub(crate) raw: Vec<u8>,
}

/// Reads an archive.
pub(crate) fn unzip(bytes: &[u8]) -> BTreeMap<String, Entry> {
    let number = |at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0_usize, |it, byte| it << 8 | usize::from(*byte))
    };
    let mut out = BTreeMap::new();
    let end = bytes.len() - 22;
    let mut at = number(end + 16, 4);
    for _ in 0..number(end + 10, 2) {
        let name_length = number(at + 28, 2);
        let name = String::from_utf8(bytes[at + 46..at + 46 + name_length].to_vec()).unwrap();
        let local = number(at + 42, 4);
        let start = local + 30 + number(local + 26, 2) + number(local + 28, 2);
        let packed = &bytes[start..start + number(at + 20, 4)];
        let content = match number(at + 10, 2) {
            0 => packed.to_vec(),
            _ => miniz_oxide::inflate::decompress_to_vec(packed).unwrap(),
        };
        let text = String::from_utf8_lossy(&content).into_owned();
        let raw = bytes[local..start + packed.len()].to_vec();
        let old = out.insert(name, Entry { text, content, raw });
        assert!(old.is_none(), "a name twice");
        at += 46 + name_length + number(at + 30, 2) + number(at + 32, 2);
    }
    out
}

fn relations(list: &[(&str, &str, &str)]) -> Vec<u8> {
    let entries: String = list
        .iter()
        .map(|(id, kind, target)| {
            format!("<Relationship Id=\"{id}\" Type=\"{R}/{kind}\" Target=\"{target}\"/>")
        })
        .collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
        {entries}</Relationships>"
    )
    .into_bytes()
}

fn sheet(root: &str, attributes: &str, shapes: &str, rest: &str) -> Vec<u8> {
    format!(
        "<p:{root} xmlns:p=\"{P}\" xmlns:a=\"{A}\" xmlns:r=\"{R}\"{attributes}><p:cSld name=\"{root} 1\">\
        <p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>\
        <p:grpSpPr/>{shapes}</p:spTree></p:cSld>{rest}</p:{root}>"
    )
    .into_bytes()
}

/// A shape in a placeholder; `frame` is left, top, width and height in EMU.
fn shape(id: u32, placeholder: &str, frame: &str, paragraphs: &str) -> String {
    let frame: Vec<&str> = frame.split_whitespace().collect();
    let xfrm = match frame[..] {
        [x, y, cx, cy] => {
            format!("<a:xfrm><a:off x=\"{x}\" y=\"{y}\"/><a:ext cx=\"{cx}\" cy=\"{cy}\"/></a:xfrm>")
        }
        _ => String::new(),
    };
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"Shape {id}\"/><p:cNvSpPr/><p:nvPr><p:ph {placeholder}/>\
        </p:nvPr></p:nvSpPr><p:spPr>{xfrm}</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</p:txBody></p:sp>"
    )
}

fn table() -> String {
    let cell = |attributes: &str, text: &str| {
        format!(
            "<a:tc{attributes}><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr b=\"1\"/><a:t>{text}</a:t>\
            </a:r></a:p></a:txBody><a:tcPr/></a:tc>"
        )
    };
    let row = |cells: [String; 2]| format!("<a:tr h=\"370840\">{}</a:tr>", cells.concat());
    format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"4\" name=\"Table\"/><p:cNvGraphicFramePr/><p:nvPr/>\
        </p:nvGraphicFramePr><p:xfrm><a:off x=\"0\" y=\"3000000\"/><a:ext cx=\"4000000\" cy=\"1112520\"/>\
        </p:xfrm><a:graphic><a:graphicData uri=\"{A}/table\"><a:tbl><a:tblPr/><a:tblGrid><a:gridCol \
        w=\"2000000\"/><a:gridCol w=\"2000000\"/></a:tblGrid>{}{}{}</a:tbl></a:graphicData></a:graphic>\
        </p:graphicFrame>",
        row([cell("", "Region"), cell("", "Sales")]),
        row([cell(" rowSpan=\"2\"", "East"), cell("", "1")]),
        row([cell(" vMerge=\"1\"", ""), cell("", "2")])
    )
}

fn chart() -> Vec<u8> {
    let points = |kind: &str, formula: &str, values: [&str; 2]| {
        let points: String = values
            .iter()
            .enumerate()
            .map(|(at, it)| format!("<c:pt idx=\"{at}\"><c:v>{it}</c:v></c:pt>"))
            .collect();
        format!(
            "<c:{kind}Ref><c:f>{formula}</c:f><c:{kind}Cache><c:ptCount val=\"2\"/>{points}</c:{kind}Cache>\
            </c:{kind}Ref>"
        )
    };
    format!(
        "<c:chartSpace xmlns:c=\"{C}\" xmlns:a=\"{A}\" xmlns:r=\"{R}\"><c:chart><c:plotArea><c:barChart><c:ser>\
        <c:idx val=\"0\"/><c:order val=\"0\"/><c:tx><c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache><c:ptCount \
        val=\"1\"/><c:pt idx=\"0\"><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx><c:spPr/>\
        <c:cat>{}</c:cat><c:val>{}</c:val></c:ser><c:axId val=\"1\"/></c:barChart></c:plotArea></c:chart>\
        <c:externalData r:id=\"rId1\"/></c:chartSpace>",
        points("str", "Sheet1!$A$2:$A$3", ["East", "West"]),
        points("num", "Sheet1!$B$2:$B$3", ["1", "2"])
    )
    .into_bytes()
}

fn workbook() -> Vec<u8> {
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default \
    Extension=\"xml\" ContentType=\"application/xml\"/></Types>";
    let book = format!(
        "<workbook xmlns=\"{S}\" xmlns:r=\"{R}\"><sheets><sheet name=\"Sheet1\" sheetId=\"1\" r:id=\"rId1\"/>\
        </sheets></workbook>"
    );
    let sheet = format!(
        "<worksheet xmlns=\"{S}\"><dimension ref=\"A1:B3\"/><sheetData><row r=\"1\"><c r=\"B1\" t=\"s\">\
        <v>0</v></c></row><row r=\"2\"><c r=\"A2\" t=\"s\"><v>1</v></c><c r=\"B2\" s=\"3\"><v>1</v></c></row>\
        <row r=\"3\"><c r=\"A3\" t=\"s\"><v>2</v></c><c r=\"B3\" s=\"3\"><f>B2*2</f><v>2</v></c></row>\
        </sheetData></worksheet>"
    );
    let table = format!(
        "<table xmlns=\"{S}\" id=\"1\" name=\"T\" ref=\"A1:B3\"><tableColumns count=\"2\"><tableColumn id=\"1\" \
        name=\" \"/><tableColumn id=\"2\" name=\"Sales\"/></tableColumns></table>"
    );
    zip(&[
        ("[Content_Types].xml", types.into()),
        ("_rels/.rels", relations(&[("rId1", "officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml", book.into()),
        (
            "xl/_rels/workbook.xml.rels",
            relations(&[
                ("rId1", "worksheet", "worksheets/sheet1.xml"),
                ("rId2", "calcChain", "calcChain.xml"),
            ]),
        ),
        (
            "xl/calcChain.xml",
            format!("<calcChain xmlns=\"{S}\"><c r=\"B3\" i=\"1\"/></calcChain>").into(),
        ),
        ("xl/worksheets/sheet1.xml", sheet.into()),
        (
            "xl/worksheets/_rels/sheet1.xml.rels",
            relations(&[("rId1", "table", "../tables/table1.xml")]),
        ),
        ("xl/tables/table1.xml", table.into()),
    ])
}

/// Returns the presentation. Slide s256 has a title (2), a body (3) and a table (4); s257 a title and a chart (3).
pub(crate) fn deck() -> Vec<u8> {
    let part = |name: &str, kind: &str| {
        format!(
            "<Override PartName=\"/ppt/{name}\" ContentType=\"application/vnd.openxmlformats-officedocument.{kind}+xml\"/>"
        )
    };
    let types = format!(
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default \
        Extension=\"xml\" ContentType=\"application/xml\"/><Default Extension=\"rels\" \
        ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xlsx\" \
        ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet\"/>{}{}{}{}{}{}{}</Types>",
        part("presentation.xml", "presentationml.presentation.main"),
        part("slides/slide1.xml", "presentationml.slide"),
        part("slides/slide2.xml", "presentationml.slide"),
        part("slideLayouts/slideLayout1.xml", "presentationml.slideLayout"),
        part("slideMasters/slideMaster1.xml", "presentationml.slideMaster"),
        part("theme/theme1.xml", "theme"),
        part("charts/chart1.xml", "drawingml.chart"),
    );
    let presentation = format!(
        "<p:presentation xmlns:p=\"{P}\" xmlns:a=\"{A}\" xmlns:r=\"{R}\"><p:sldMasterIdLst><p:sldMasterId \
        id=\"2147483648\" r:id=\"rId1\"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId2\"/>\
        <p:sldId id=\"257\" r:id=\"rId3\"/></p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"6858000\"/><p:custShowLst>\
        <p:custShow name=\"Short\" id=\"0\"><p:sldLst><p:sld r:id=\"rId3\"/></p:sldLst></p:custShow>\
        </p:custShowLst><p:extLst><p:ext uri=\"{{521415D9}}\"><p14:sectionLst \
        xmlns:p14=\"http://schemas.microsoft.com/office/powerpoint/2010/main\"><p14:section name=\"A\" \
        id=\"{{1}}\"><p14:sldIdLst><p14:sldId id=\"256\"/></p14:sldIdLst></p14:section><p14:section name=\"B\" \
        id=\"{{2}}\"><p14:sldIdLst><p14:sldId id=\"257\"/></p14:sldIdLst></p14:section></p14:sectionLst>\
        </p:ext></p:extLst></p:presentation>"
    );
    let text = |it: &str| format!("<a:p><a:r><a:t>{it}</a:t></a:r></a:p>");
    let body = "<a:p><a:r><a:rPr b=\"1\"/><a:t>Rev</a:t></a:r><a:r><a:t>enue 20</a:t></a:r><a:r><a:rPr \
    i=\"1\"/><a:t>25</a:t></a:r></a:p><a:p><a:pPr lvl=\"1\"/><a:r><a:rPr u=\"sng\"/><a:t>in Asia</a:t></a:r></a:p>";
    let chart_frame = format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"3\" name=\"Chart\"/><p:cNvGraphicFramePr/><p:nvPr/>\
        </p:nvGraphicFramePr><p:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"10\" cy=\"10\"/></p:xfrm><a:graphic>\
        <a:graphicData uri=\"{C}\"><c:chart xmlns:c=\"{C}\" r:id=\"rId2\"/></a:graphicData></a:graphic>\
        </p:graphicFrame>"
    );
    let link = format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"4\" name=\"Link\"><a:hlinkClick r:id=\"rId3\" \
        action=\"ppaction://hlinksldjump\"/></p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody>\
        <a:bodyPr/>{}</p:txBody></p:sp>",
        text("back")
    );
    let placeholders = [
        shape(2, "type=\"title\"", "300000 300000 8500000 1200000", &text("Click")),
        shape(3, "idx=\"1\"", "300000 1600000 8500000 3600000", &text("Click")),
    ]
    .concat();
    let master_text = "<p:clrMap bg1=\"lt1\" tx1=\"dk1\"/><p:sldLayoutIdLst><p:sldLayoutId id=\"2147483649\" \
    r:id=\"rId1\"/></p:sldLayoutIdLst><p:txStyles><p:titleStyle><a:lvl1pPr><a:defRPr sz=\"4400\"/></a:lvl1pPr>\
    </p:titleStyle><p:bodyStyle><a:lvl1pPr marL=\"342900\" indent=\"-342900\"><a:spcBef><a:spcPct \
    val=\"20000\"/></a:spcBef><a:defRPr sz=\"3200\"/></a:lvl1pPr><a:lvl2pPr><a:defRPr sz=\"2800\"/></a:lvl2pPr>\
    </p:bodyStyle></p:txStyles>";
    let theme = format!(
        "<a:theme xmlns:a=\"{A}\" name=\"Plain\"><a:themeElements><a:clrScheme name=\"x\"><a:dk1><a:srgbClr \
        val=\"000000\"/></a:dk1><a:lt1><a:srgbClr val=\"FFFFFF\"/></a:lt1></a:clrScheme><a:fontScheme \
        name=\"x\"><a:majorFont><a:latin typeface=\"Arial\"/></a:majorFont><a:minorFont><a:latin \
        typeface=\"Arial\"/></a:minorFont></a:fontScheme></a:themeElements></a:theme>"
    );
    let first = [
        shape(2, "type=\"title\"", "", &text("Results")),
        shape(3, "idx=\"1\"", "", body),
        table(),
    ]
    .concat();
    let second = [shape(2, "type=\"title\"", "", &text("Chart")), chart_frame, link].concat();
    let app = "<Properties xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\" \
    xmlns:vt=\"http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes\"><Slides>2</Slides>\
    <Notes>0</Notes><HiddenSlides>0</HiddenSlides><HeadingPairs><vt:vector size=\"4\" baseType=\"variant\">\
    <vt:variant><vt:lpstr>Theme</vt:lpstr></vt:variant><vt:variant><vt:i4>1</vt:i4></vt:variant><vt:variant>\
    <vt:lpstr>Slide Titles</vt:lpstr></vt:variant><vt:variant><vt:i4>2</vt:i4></vt:variant></vt:vector>\
    </HeadingPairs><TitlesOfParts><vt:vector size=\"3\" baseType=\"lpstr\"><vt:lpstr>Plain</vt:lpstr>\
    <vt:lpstr>Results</vt:lpstr><vt:lpstr>Chart</vt:lpstr></vt:vector></TitlesOfParts></Properties>";
    zip(&[
        ("[Content_Types].xml", types.into()),
        (
            "_rels/.rels",
            relations(&[
                ("rId1", "officeDocument", "ppt/presentation.xml"),
                ("rId2", "extended-properties", "docProps/app.xml"),
            ]),
        ),
        ("docProps/app.xml", app.into()),
        ("ppt/presentation.xml", presentation.into()),
        (
            "ppt/_rels/presentation.xml.rels",
            relations(&[
                ("rId1", "slideMaster", "slideMasters/slideMaster1.xml"),
                ("rId2", "slide", "slides/slide1.xml"),
                ("rId3", "slide", "slides/slide2.xml"),
            ]),
        ),
        ("ppt/slides/slide1.xml", sheet("sld", "", &first, "")),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            relations(&[("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml")]),
        ),
        ("ppt/slides/slide2.xml", sheet("sld", "", &second, "")),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            relations(&[
                ("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml"),
                ("rId2", "chart", "../charts/chart1.xml"),
                ("rId3", "slide", "slide1.xml"),
            ]),
        ),
        ("ppt/charts/chart1.xml", chart()),
        (
            "ppt/charts/_rels/chart1.xml.rels",
            relations(&[("rId1", "package", "../embeddings/book1.xlsx")]),
        ),
        ("ppt/embeddings/book1.xlsx", workbook()),
        ("ppt/slideLayouts/slideLayout1.xml", sheet("sldLayout", "", &placeholders, "")),
        (
            "ppt/slideLayouts/_rels/slideLayout1.xml.rels",
            relations(&[("rId1", "slideMaster", "../slideMasters/slideMaster1.xml")]),
        ),
        ("ppt/slideMasters/slideMaster1.xml", sheet("sldMaster", "", &placeholders, master_text)),
        (
            "ppt/slideMasters/_rels/slideMaster1.xml.rels",
            relations(&[
                ("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml"),
                ("rId2", "theme", "../theme/theme1.xml"),
            ]),
        ),
        ("ppt/theme/theme1.xml", theme.into()),
    ])
}

pub(crate) fn no_files(_: &str) -> Result<Vec<u8>, Error> {
    Err(Error::NotFound("no such document".to_owned()))
}

pub(crate) fn run(edits: &[Edit]) -> Edited {
    edit(deck(), edits, &no_files).unwrap()
}

pub(crate) fn problem(edits: &[Edit]) -> String {
    edit(deck(), edits, &no_files).unwrap_err().to_string()
}

pub(crate) fn info(bytes: &[u8]) -> DeckInfo {
    let options = ReadOptions { from: 1, limit: 100, has_layouts: true };
    read(&Deck::open(bytes.to_vec()).unwrap(), &options).unwrap()
}

/// Returns the names of entries that are not byte for byte the same.
pub(crate) fn changed(bytes: &[u8]) -> BTreeSet<String> {
    let (before, after) = (unzip(&deck()), unzip(bytes));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let is_other = |name: &&&String| {
        before.get(**name).map(|it| &it.raw) != after.get(**name).map(|it| &it.raw)
    };
    names.iter().filter(is_other).map(|it| (*it).clone()).collect()
}

pub(crate) fn text(shape: &str, expected: &str, text: &str) -> Edit {
    Edit::SetText {
        shape: shape.to_owned(),
        expected: Some(expected.to_owned()),
        text: text.to_owned(),
    }
}

pub(crate) fn part(bytes: &[u8], name: &str) -> String {
    unzip(bytes)[name].text.clone()
}

/// Returns the presentation with a part of one of its files replaced.
pub(crate) fn with(name: &str, old: &str, new: &str) -> Vec<u8> {
    let mut parts = unzip(&deck());
    let part = parts.get_mut(name).unwrap();
    assert!(part.text.contains(old), "{old}");
    part.content = part.text.replace(old, new).into_bytes();
    let parts: Vec<(&str, Vec<u8>)> =
        parts.iter().map(|(name, it)| (&**name, it.content.clone())).collect();
    zip(&parts)
}

/// Returns a presentation with the first place of a text in a part replaced, for each change.
pub(crate) fn edit_parts(bytes: &[u8], changes: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut parts: Vec<(String, Vec<u8>, String)> =
        unzip(bytes).into_iter().map(|(name, it)| (name, it.content, it.text)).collect();
    for (name, old, new) in changes {
        let part = parts.iter_mut().find(|it| it.0 == *name).unwrap();
        assert!(part.2.contains(old), "{old} in {}", part.2);
        part.2 = part.2.replacen(old, new, 1);
        part.1 = part.2.clone().into_bytes();
    }
    let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&*it.0, it.1.clone())).collect();
    zip(&parts)
}
