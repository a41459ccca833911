//! Formulas in Word files.

use super::*;

/// Returns a formula within a line, or alone, without the fonts.
fn omml(source: &str, is_alone: bool) -> String {
    let mark = if is_alone { "$$" } else { "$" };
    let xml = part(
        &write(&format!("{mark}{source}{mark}\n"), &DocxOptions::default()).bytes,
        "word/document.xml",
    );
    let inside = xml.split_once("<m:oMath>").unwrap().1.split_once("</m:oMath>").unwrap().0;
    assert_eq!(xml.contains("<m:oMathPara>"), is_alone);
    inside
        .replace("<w:rPr><w:rFonts w:ascii=\"Cambria Math\" w:hAnsi=\"Cambria Math\"/></w:rPr>", "")
        .replace("<m:t xml:space=\"preserve\">", "<m:t>")
}

#[test]
fn formulas_are_office_math() {
    let run = |text: &str| format!("<m:r><m:t>{text}</m:t></m:r>");
    let upright =
        |text: &str| format!("<m:r><m:rPr><m:sty m:val=\"p\"/></m:rPr><m:t>{text}</m:t></m:r>");
    let (x, n, two) = (run("x"), run("n"), run("2"));
    for (source, expected) in [
        (r"\frac{x}{2}", format!("<m:f><m:num>{x}</m:num><m:den>{two}</m:den></m:f>")),
        (r"\sqrt{x}", format!("<m:rad><m:radPr><m:degHide m:val=\"1\"/></m:radPr><m:deg/><m:e>{x}</m:e></m:rad>")),
        (r"\sqrt[n]{x}", format!("<m:rad><m:deg>{n}</m:deg><m:e>{x}</m:e></m:rad>")),
        (r"x_n^2", format!("<m:sSubSup><m:e>{x}</m:e><m:sub>{n}</m:sub><m:sup>{two}</m:sup></m:sSubSup>")),
        (r"x^2", format!("<m:sSup><m:e>{x}</m:e><m:sup>{two}</m:sup></m:sSup>")),
        (
            r"\sum_n^2 x",
            format!(
                "<m:nary><m:naryPr><m:chr m:val=\"∑\"/><m:limLoc m:val=\"undOvr\"/></m:naryPr><m:sub>{n}</m:sub><m:sup>{two}</m:sup><m:e>{x}</m:e></m:nary>"
            ),
        ),
        (
            r"\int x",
            format!(
                "<m:nary><m:naryPr><m:chr m:val=\"∫\"/><m:limLoc m:val=\"subSup\"/><m:subHide m:val=\"1\"/><m:supHide m:val=\"1\"/></m:naryPr><m:sub></m:sub><m:sup></m:sup><m:e>{x}</m:e></m:nary>"
            ),
        ),
        (
            r"\lim_n x",
            format!(
                "<m:func><m:fName><m:limLow><m:e>{}</m:e><m:lim>{n}</m:lim></m:limLow></m:fName><m:e>{x}</m:e></m:func>",
                upright("lim")
            ),
        ),
        (
            r"(x)^2",
            format!(
                "<m:sSup><m:e><m:d><m:dPr><m:begChr m:val=\"(\"/><m:endChr m:val=\")\"/></m:dPr><m:e>{x}</m:e></m:d></m:e><m:sup>{two}</m:sup></m:sSup>"
            ),
        ),
        (r"\hat x", format!("<m:acc><m:accPr><m:chr m:val=\"\u{302}\"/></m:accPr><m:e>{x}</m:e></m:acc>")),
        (r"\overline x", format!("<m:bar><m:barPr><m:pos m:val=\"top\"/></m:barPr><m:e>{x}</m:e></m:bar>")),
        (
            r"\left(x\middle|n\right.",
            format!(
                "<m:d><m:dPr><m:begChr m:val=\"(\"/><m:sepChr m:val=\"|\"/><m:endChr m:val=\"\"/></m:dPr><m:e>{x}</m:e><m:e>{n}</m:e></m:d>"
            ),
        ),
        (
            r"\binom n2",
            format!(
                "<m:d><m:dPr><m:begChr m:val=\"(\"/><m:endChr m:val=\")\"/></m:dPr><m:e><m:f><m:fPr><m:type m:val=\"noBar\"/></m:fPr><m:num>{n}</m:num><m:den>{two}</m:den></m:f></m:e></m:d>"
            ),
        ),
        (
            r"\begin{matrix}x&n\end{matrix}",
            format!(
                "<m:m><m:mPr><m:plcHide m:val=\"1\"/><m:mcs><m:mc><m:mcPr><m:count m:val=\"1\"/><m:mcJc m:val=\"center\"/></m:mcPr></m:mc><m:mc><m:mcPr><m:count m:val=\"1\"/><m:mcJc m:val=\"center\"/></m:mcPr></m:mc></m:mcs></m:mPr><m:mr><m:e>{x}</m:e><m:e>{n}</m:e></m:mr></m:m>"
            ),
        ),
        (r"\mathbb R", "<m:r><m:rPr><m:scr m:val=\"double-struck\"/><m:sty m:val=\"p\"/></m:rPr><m:t>R</m:t></m:r>".into()),
        (r"\mathbf x", "<m:r><m:rPr><m:sty m:val=\"b\"/></m:rPr><m:t>x</m:t></m:r>".into()),
        (
            r"\text{增长}",
            "<m:r><m:rPr><m:nor/></m:rPr><w:rPr><w:rFonts w:ascii=\"Calibri\" w:hAnsi=\"Calibri\" w:eastAsia=\"Microsoft YaHei\" w:cs=\"Arial\"/></w:rPr><m:t>增长</m:t></m:r>".into(),
        ),
    ] {
        assert_eq!(omml(source, true), expected, "{source}");
    }
    // Within a line, limits are beside the operator.
    assert!(omml(r"\sum_n x", false).contains("<m:limLoc m:val=\"subSup\"/>"));
}

#[test]
fn formulas_on_lines_of_their_own_are_paragraphs() {
    let text = body("a $x$ b\n$$y$$\nc\n");
    assert_eq!(text.matches("<w:p>").count(), 3, "{text}");
    assert_eq!(text.matches("<m:oMathPara>").count(), 1, "{text}");
    let listed = body("- $$y$$\n\n  z\n");
    assert_eq!(listed.matches("<w:numPr>").count(), 1, "{listed}");
}

#[test]
fn every_formula_is_well_formed() {
    for display in [true, false] {
        let paragraph = |text: String| crate::Block::Paragraph {
            content: vec![crate::Inline::Math { text, display }],
        };
        let samples = crate::shared::math::tests::samples();
        let count = samples.len();
        let doc = Doc { blocks: samples.into_iter().map(paragraph).collect(), ..Doc::default() };
        let made = docx(&doc, &DocxOptions::default()).unwrap();
        let xml = part(&made.bytes, "word/document.xml");
        crate::tests::texts(&xml, None);
        assert_eq!(xml.matches("<m:oMath>").count(), count);
        // Word shows a box for an empty argument.
        assert!(!xml.contains("<m:e></m:e>"));
        let is_told =
            |warning: &String| warning.contains("color") || warning.contains("lines in a table");
        assert!(made.warnings.iter().all(is_told), "{:?}", made.warnings);
    }
}

#[test]
fn sums_without_end_are_written() {
    for source in [
        r"\sum ".repeat(2_500),
        r"\sum (".repeat(2_000),
        "(".repeat(5_000) + &")^2".repeat(3_000),
        r"\sin ".repeat(2_500) + "x",
        r"\int_0^1 x + ".repeat(1_000),
    ] {
        let made = write(&format!("$$ {source} $$\n"), &DocxOptions::default());
        assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    }
}
