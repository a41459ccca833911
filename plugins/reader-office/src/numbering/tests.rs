use super::*;

const NUMBERING: &str = r#"<w:numbering>
<w:abstractNum w:abstractNumId="0">
 <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="H1"/><w:lvlText w:val="%1"/></w:lvl>
 <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:pStyle w:val="H2"/><w:lvlText w:val="%1.%2"/></w:lvl>
 <w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:isLgl/><w:lvlText w:val="%1.%2.%3"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="1">
 <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCountingThousand"/><w:lvlText w:val="第%1条"/></w:lvl>
 <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlRestart w:val="0"/><w:lvlText w:val="(%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="3"><w:numStyleLink w:val="L"/></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="5"><w:abstractNumId w:val="3"/></w:num>
</w:numbering>"#;

const STYLES: &str = r#"<w:styles>
<w:style w:styleId="H1"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="H2"><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="Child"><w:basedOn w:val="H1"/></w:style>
<w:style w:styleId="Ring"><w:basedOn w:val="Ring"/></w:style>
<w:style w:styleId="L"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
</w:styles>"#;

fn check(paragraphs: &[(&str, Option<&str>)]) {
    let numbering = Numbering::parse(NUMBERING, Some(STYLES));
    let (mut counters, mut notes) = (Counters::default(), Notes::default());
    for (index, (properties, expected)) in paragraphs.iter().enumerate() {
        let properties = match properties.split_once('.') {
            Some((list, level)) => format!(
                r#"<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr></w:pPr>"#
            ),
            None => format!(r#"<w:pPr><w:pStyle w:val="{properties}"/></w:pPr>"#),
        };
        let node = xml::root(&properties).unwrap();
        let label = numbering.label(&node, &mut counters, &mut notes);
        assert_eq!(label.as_deref(), *expected, "paragraph {index}");
    }
}

#[test]
fn headings_are_numbered_by_their_styles() {
    check(&[
        ("H1", Some("1")),
        ("H2", Some("1.I")),
        ("H2", Some("1.II")),
        ("1.2", Some("1.2.1")),
        ("Child", Some("2")),
        ("H2", Some("2.I")),
        ("Ring", None),
        ("None", None),
    ]);
}

#[test]
fn lists_go_on_or_begin_again() {
    check(&[
        ("2.0", Some("第一条")),
        ("2.1", Some("(1)")),
        ("2.0", Some("第二条")),
        // Its level does not restart.
        ("2.1", Some("(2)")),
        // Another list of the same definition continues, unless it has a start value.
        ("5.0", Some("第三条")),
        ("3.0", Some("第五条")),
        ("3.0", Some("第六条")),
        ("4.0", None),
        ("0.0", None),
        ("9.0", None),
    ]);
}

#[test]
fn a_level_that_is_skipped_counts_as_begun() {
    check(&[("1.1", Some("1.I")), ("1.0", Some("2"))]);
}
