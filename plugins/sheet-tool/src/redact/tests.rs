use super::redact;
use crate::error::Error;
use crate::package::Package;
use crate::sample::{Sample, rows};

const SPREADSHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

fn done(sample: &Sample, words: &[&str], patterns: &[&str]) -> (Package, super::Redacted) {
    let own = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let done = redact(sample.bytes(), &own(words), &own(patterns), "out.xlsx").unwrap();
    (Package::open(done.bytes.clone()).unwrap(), done)
}

fn text(package: &Package, name: &str) -> String {
    package.text(name).unwrap().unwrap_or_default()
}

fn strings(items: &str) -> String {
    format!("<sst xmlns=\"{SPREADSHEET}\">{items}</sst>")
}

#[test]
fn cells_of_all_kinds_are_masked() {
    let shared = strings(
        "<si><t>To Acme Corp</t></si><si><r><t>AC</t></r><r><rPr><b/></rPr><t>me</t></r></si><si><t>unused acme</t></si>",
    );
    let sheet = concat!(
        "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c>",
        "<c r=\"C1\" t=\"inlineStr\"><is><t>acme &amp; Co</t></is></c></row>",
        "<row r=\"2\"><c r=\"A2\" s=\"1\"><v>48200</v></c><c r=\"B2\"><f>A2*2</f><v>96400</v></c>",
        "<c r=\"C2\" t=\"str\"><f>\"ac\"&amp;\"me\"</f><v>acme</v></c><c r=\"D2\"><f>IF(1,5,\"Acme\")</f><v>5</v></c></row>",
    );
    let sample = Sample::default()
        .sheet("Data", sheet)
        .sheet_with("Hidden", "state=\"hidden\"", &rows(&[&["an Acme"]]))
        .part("xl/sharedStrings.xml", &shared)
        .relation("xl/workbook.xml", "sharedStrings", "xl/sharedStrings.xml")
        .styles("<numFmts><numFmt numFmtId=\"170\" formatCode=\"#,##0&quot; acme&quot;\"/></numFmts><cellXfs><xf/><xf numFmtId=\"3\"/></cellXfs>");
    let (package, done) = done(&sample, &["acme", "48,200"], &[]);
    let shared = text(&package, "xl/sharedStrings.xml");
    for part in ["<t>To ████ Corp</t>", "<t>██</t>", "unused ████"] {
        assert!(shared.contains(part), "{part}: {shared}");
    }
    let sheet = text(&package, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("████ &amp; Co") && sheet.contains("██████"), "{sheet}");
    assert!(!sheet.contains("48200") && !sheet.contains("IF(1"), "{sheet}");
    assert!(sheet.contains("<c r=\"D2\"><v>5</v></c>"), "{sheet}");
    assert!(text(&package, "xl/worksheets/sheet2.xml").contains("an ████"));
    assert!(text(&package, "xl/styles.xml").contains("████"));
    for place in ["Data!A1: 1", "Data!B1: 1", "Hidden!A1: 1", "shared texts that no cell uses: 1"] {
        assert!(done.places.iter().any(|it| it == place), "{place}: {:?}", done.places);
    }
    assert!(done.warnings.iter().any(|it| it.contains("2 formulas")), "{:?}", done.warnings);
    assert!(
        done.warnings
            .iter()
            .any(|it| it.contains("1 number became a text; formulas that add it up")),
        "{:?}",
        done.warnings
    );
    // What depends on the number is calculated again.
    assert!(!sheet.contains("96400"), "{sheet}");
}

#[test]
fn everything_around_the_cells_is_masked() {
    let drawing = "<d:p><d:r><d:t>Ac</d:t></d:r><d:r><d:rPr><d:latin typeface=\"x\"/></d:rPr><d:t>me</d:t></d:r></d:p>";
    let tail = concat!(
        "<conditionalFormatting sqref=\"A1\"><cfRule type=\"expression\" priority=\"1\"><formula>A1=\"Acme\"</formula></cfRule></conditionalFormatting>",
        "<dataValidations count=\"1\"><dataValidation type=\"list\" sqref=\"A1\" prompt=\"Acme only\"><formula1>\"Acme,Other\"</formula1></dataValidation></dataValidations>",
        "<headerFooter><oddHeader>&amp;LAcme report</oddHeader></headerFooter>",
    );
    let sheet = format!(
        "<worksheet xmlns=\"{SPREADSHEET}\"><sheetData>{}</sheetData>{tail}</worksheet>",
        rows(&[&["1", "2"]])
    );
    let parts = [
        ("xl/comments1.xml", "comments", "<comments><authors><author>Ann Acme</author></authors><commentList><comment ref=\"A1\"><text><r><t>AC</t></r><r><t>ME</t></r></text></comment></commentList></comments>".to_owned()),
        ("xl/drawings/drawing1.xml", "drawing", format!("<wsDr><from><col>1</col></from><cNvPr id=\"1\" name=\"Acme box\" descr=\"acme\"/>{drawing}</wsDr>")),
        ("xl/charts/chart1.xml", "chart", "<chartSpace><ser><tx><strCache><pt idx=\"0\"><v>Acme</v></pt></strCache></tx><val><numRef><f>Data!$A$1</f><numCache><pt idx=\"0\"><v>777</v></pt></numCache></numRef></val></ser></chartSpace>".to_owned()),
        ("xl/pivotCache/pivotCacheDefinition1.xml", "pivotCacheDefinition", "<pivotCacheDefinition><cacheField name=\"acme\"><sharedItems minValue=\"777\"><s v=\"Acme\"/><n v=\"777\"/><x v=\"777\"/></sharedItems></cacheField></pivotCacheDefinition>".to_owned()),
        ("xl/externalLinks/externalLink1.xml", "externalLink", "<externalLink><sheetName val=\"Acme\"/><row r=\"1\"><cell r=\"A1\"><v>777</v></cell><cell r=\"B1\" t=\"str\"><v>acme</v></cell></row></externalLink>".to_owned()),
        ("xl/connections.xml", "connections", "<connections><connection id=\"1\" name=\"q\"><dbPr connection=\"Server=acme;\" command=\"select * from acme\"/></connection></connections>".to_owned()),
        ("docProps/custom.xml", "custom-properties", "<Properties><property name=\"Client\"><vt:lpwstr>Acme</vt:lpwstr></property><property name=\"n\"><vt:i4>777</vt:i4></property></Properties>".to_owned()),
        ("docProps/core.xml", "core-properties", "<cp><dc:title>Acme</dc:title><dcterms:created>2026-07-77T00:00:00Z</dcterms:created></cp>".to_owned()),
        ("customXml/item1.xml", "customXml", "<client id=\"9\"><name title=\"of acme\">Acme</name><!-- acme --><![CDATA[acme]]></client>".to_owned()),
    ];
    let mut sample = Sample::default().sheet("Data", &sheet).names(
        "<definedNames><definedName name=\"AcmeRate\">Data!$A$1</definedName><definedName name=\"rest\">\"Acme\"</definedName></definedNames>",
    );
    for (name, kind, content) in &parts {
        let content = format!("<?xml version=\"1.0\"?>{content}");
        sample = sample.part(name, &content).relation("xl/workbook.xml", kind, name);
    }
    let (package, done) = done(&sample, &["Acme", "777", "2026-07-77"], &[]);
    let all: String = package.names().map(|it| text(&package, it)).collect();
    assert!(!all.to_lowercase().contains("acme"), "{all}");
    assert!(all.contains("<x v=\"777\"/>") && all.matches("777").count() == 1, "{all}");
    for part in [
        "<formula>A1=\"████\"</formula>",
        "<formula1>\"████,Other\"</formula1>",
        "prompt=\"████ only\"",
        "&amp;L████ report",
        "<t>██</t>",
        "<d:t>██</d:t>",
        "<col>1</col>",
        "#N/A",
        "<m/>",
        "refreshOnLoad=\"1\"",
        "select * from ████",
        "title=\"of ████\"",
        "<definedName name=\"rest\">\"████\"</definedName>",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert!(!all.contains("<definedName name=\"█"), "{all}");
    assert!(done.hits >= 25, "{:?}", done.places);
}

#[test]
fn names_of_sheets_and_tables_follow() {
    let table = "<table id=\"1\" name=\"Acme\" displayName=\"Acme\" ref=\"A1:B2\"><tableColumns count=\"2\"><tableColumn id=\"1\" name=\"Acme\"/><tableColumn id=\"2\" name=\"ACME\"/></tableColumns></table>";
    let sample = Sample::default()
        .sheet("Acme", &rows(&[&["Acme", "ACME"], &["1", "2"]]))
        .sheet("Sum", &rows(&[&["=Acme!A2+1", "=SUM(Acme[Acme])"]]))
        .part("xl/tables/table1.xml", table)
        .relation("xl/worksheets/sheet1.xml", "table", "xl/tables/table1.xml");
    let (package, _) = done(&sample, &["acme"], &[]);
    assert!(text(&package, "xl/workbook.xml").contains("name=\"████\""));
    let sum = text(&package, "xl/worksheets/sheet2.xml");
    assert!(sum.contains("'████'!A2+1") && !sum.contains("SUM("), "{sum}");
    let table = text(&package, "xl/tables/table1.xml");
    assert!(table.contains("name=\"████\"") && table.contains("name=\"████2\""), "{table}");
    let sheet = text(&package, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<t>████</t>") && sheet.contains("<t>████2</t>"), "{sheet}");
}

#[test]
fn patterns_are_followed_and_words_are_checked() {
    let sample = Sample::default().sheet("S", &rows(&[&["call 555-1234 or 555 1234"]]));
    let (package, done) = done(&sample, &[], &[r"\d{3}.\d{4}"]);
    assert!(text(&package, "xl/worksheets/sheet1.xml").contains("call ████████ or ████████"));
    assert_eq!((done.hits, done.places), (2, vec!["S!A1: 2".to_owned()]));
    let refused = |words: &[&str], patterns: &[&str], name: &str| {
        let own = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        redact(sample.bytes(), &own(words), &own(patterns), name)
    };
    let long = "x".repeat(1_001);
    for (words, patterns, name) in [
        (vec![], vec![], "a.xlsx"),
        (vec![" "], vec![], "a.xlsx"),
        (vec![long.as_str()], vec![], "a.xlsx"),
        (vec![], vec!["a*"], "a.xlsx"),
        (vec![], vec!["("], "a.xlsx"),
        (vec![], vec!["\\w{1000}{1000}"], "a.xlsx"),
        (vec!["call"], vec![], "call.xlsx"),
    ] {
        let result = refused(&words, &patterns, name);
        assert!(matches!(result, Err(Error::Invalid(_))), "{words:?} {patterns:?} {result:?}");
    }
    let many: Vec<String> = (0..501).map(|it| format!("w{it}")).collect();
    assert!(matches!(redact(sample.bytes(), &many, &[], "a.xlsx"), Err(Error::Invalid(_))));
}

#[test]
fn the_proof_finds_what_is_left() {
    let terms = super::Terms::new(&["acme".to_owned()], &[]).unwrap();
    let left = |xml: &str| {
        let sample = Sample::default().sheet("S", "").part("xl/other.xml", xml);
        super::proof::check(sample.bytes(), &terms)
    };
    for xml in [
        "<a>x &#65;cme</a>",
        "<a><r><t>ac</t></r><r><t>me</t></r></a>",
        "<a title=\"A&#x63;me\"/>",
        "<a><![CDATA[acme]]></a>",
        "<a/><!-- acme -->",
        "acme without tags",
    ] {
        let result = left(xml);
        let Err(Error::Malformed(text)) = result else { panic!("{xml}: {result:?}") };
        assert!(text.contains("xl/other.xml"), "{text}");
    }
    assert_eq!(left("<a><v>ac</v><v>me</v></a>"), Ok(()));
    assert_eq!(left("<a xmlns=\"http://schemas.acme.org/x\" horizontal=\"acme\"/>"), Ok(()));
}

#[test]
fn parts_that_are_no_xml_are_looked_at() {
    let wide: String =
        "Acme secret".encode_utf16().flat_map(u16::to_le_bytes).map(char::from).collect();
    let inner = Sample::default().sheet("S", &rows(&[&["Acme"]])).bytes();
    let sample = Sample::default()
        .sheet("S", &rows(&[&["1"]]))
        .part("xl/customProperty1.bin", &wide)
        .part("xl/customProperty2.bin", "of acme")
        .part("xl/embeddings/old.bin", "\u{1}\u{2} Acme \u{3}")
        .part("xl/embeddings/other.bin", "\u{1}\u{2}")
        .part("xl/media/image1.png", "\u{1}");
    let bytes = crate::zip::Zip::open(sample.bytes())
        .unwrap()
        .rewrite(&[("xl/embeddings/book.xlsx".to_owned(), inner)], &[])
        .unwrap();
    let done = redact(bytes, &["acme".to_owned()], &[], "out.xlsx").unwrap();
    let package = Package::open(done.bytes).unwrap();
    assert_eq!(package.bytes("xl/embeddings/old.bin").unwrap().unwrap(), b"");
    assert_eq!(package.bytes("xl/embeddings/book.xlsx").unwrap().unwrap(), b"");
    assert_eq!(text(&package, "xl/customProperty2.bin"), "of ████");
    let wide = package.bytes("xl/customProperty1.bin").unwrap().unwrap();
    let units: Vec<u16> = wide.chunks(2).map(|it| u16::from_le_bytes([it[0], it[1]])).collect();
    assert_eq!(String::from_utf16(&units).unwrap(), "████ secret");
    let all = done.warnings.join(" | ");
    for part in [
        "1 picture was not searched",
        "image1.png",
        "other.bin",
        "old.bin had a hit",
        "book.xlsx had a hit",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
}

#[test]
fn errors_in_place_of_formulas_are_no_hits() {
    let names = "<definedNames><definedName name=\"x\">LEN(Rest)</definedName></definedNames>";
    let sample = Sample::default().sheet("S", &rows(&[&["1"]])).names(names);
    let (package, done) = done(&sample, &["re"], &[]);
    assert!(text(&package, "xl/workbook.xml").contains(">#REF!<"));
    assert!(
        done.warnings.iter().any(|it| it.contains("1 formula of names")),
        "{:?}",
        done.warnings
    );
}
