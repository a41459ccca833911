use super::*;
use crate::xml;

fn check(omml: &str, expected: &str) {
    let root = xml::root(&format!("<m:oMath>{omml}</m:oMath>")).unwrap();
    let mut notes = Notes::default();
    assert_eq!(latex(&root, &mut notes), expected, "{omml}");
    assert!(notes.into_warnings().is_empty(), "{omml}");
}

fn r(text: &str) -> String {
    format!("<m:r><m:rPr><m:ctrlPr/></m:rPr><m:t>{text}</m:t></m:r>")
}

fn e(text: &str) -> String {
    format!("<m:e>{}</m:e>", r(text))
}

#[test]
fn indices_and_exponents() {
    let script = |name: &str, base: &str, parts: &str| {
        format!("<m:{name}><m:e>{base}</m:e>{parts}</m:{name}>")
    };
    let sup = |text: &str| format!("<m:sup>{}</m:sup>", r(text));
    let sub = |text: &str| format!("<m:sub>{}</m:sub>", r(text));
    check(&script("sSup", &r("a"), &sup("2")), "a^2");
    check(&script("sSup", &r("10"), &sup("−3")), "10^{-3}");
    check(&script("sSup", &r("f"), &sup("′′")), "f''");
    check(&script("sSup", &r("a+b"), &sup("2")), "{a+b}^2");
    check(&script("sSup", &script("sSup", &r("a"), &sup("2")), &sup("3")), "{a^2}^3");
    check(&script("sSub", &r("x"), &sub("12")), "x_{12}");
    check(&script("sSubSup", &r("x"), &(sub("i") + &sup("2"))), "x_i^2");
    check(&format!("<m:sPre>{}{}{}</m:sPre>", sub("92"), sup("238"), e("U")), "{}_{92}^{238}U");
    check(&script("sSup", &r("𝑥"), &sup("𝟐")), "x^{\\mathbf{2}}");
    check(&script("sSup", "", &sup("2")), "{}^2");
}

#[test]
fn fractions_and_roots() {
    let fraction = |kind: &str, top: &str, bottom: &str| {
        format!(
            "<m:f><m:fPr><m:type m:val=\"{kind}\"/></m:fPr><m:num>{}</m:num><m:den>{}</m:den></m:f>",
            r(top),
            r(bottom)
        )
    };
    check(&fraction("bar", "3", "4"), "\\frac{3}{4}");
    check(&fraction("lin", "3", "4"), "3/4");
    check(&fraction("skw", "a+b", "c"), "\\frac{a+b}{c}");
    check(&fraction("noBar", "n", "k"), "{n \\atop k}");
    check(&format!("<m:d><m:e>{}</m:e></m:d>", fraction("noBar", "n", "k")), "\\binom{n}{k}");
    check(
        &format!("<m:rad><m:radPr><m:degHide/></m:radPr><m:deg/>{}</m:rad>", e("x")),
        "\\sqrt{x}",
    );
    check(&format!("<m:rad><m:deg>{}</m:deg>{}</m:rad>", r("3"), e("x")), "\\sqrt[3]{x}");
}

#[test]
fn sums_integrals_functions_and_limits() {
    check(
        &format!(
            "<m:nary><m:naryPr><m:chr m:val=\"∑\"/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup>{}</m:nary>",
            r("i=1"),
            r("n"),
            e("i")
        ),
        "\\sum_{i=1}^n i",
    );
    check(
        &format!(
            "<m:nary><m:naryPr><m:subHide m:val=\"1\"/><m:supHide/></m:naryPr><m:sub/><m:sup/>{}</m:nary>",
            e("x dx")
        ),
        "\\int x dx",
    );
    let function = |name: &str, e: &str| format!("<m:func><m:fName>{name}</m:fName>{e}</m:func>");
    check(&function(&r("sin"), &e("x")), "\\sin x");
    check(&function(&r("sin"), &format!("<m:e><m:d>{}</m:d></m:e>", e("x"))), "\\sin(x)");
    check(
        "<m:r><m:rPr><m:sty m:val=\"p\"/></m:rPr><m:t>sin\u{2061}</m:t></m:r><m:r><m:t>x</m:t></m:r>",
        "\\sin x",
    );
    check(&function(&r("rank"), &e("A")), "\\operatorname{rank} A");
    let power = format!("<m:sSup>{}<m:sup>{}</m:sup></m:sSup>", e("cos"), r("2"));
    check(&function(&power, &e("x")), "\\cos^2 x");
    let limit = format!("<m:limLow>{}<m:lim>{}</m:lim></m:limLow>", e("lim"), r("x→0"));
    check(&function(&limit, &e("f")), "\\lim_{x→0} f");
    check(&format!("<m:limUpp>{}<m:lim>{}</m:lim></m:limUpp>", e("="), r("!")), "\\overset{!}{=}");
}

#[test]
fn brackets_matrices_and_cases() {
    let d =
        |properties: &str, parts: &str| format!("<m:d><m:dPr>{properties}</m:dPr>{parts}</m:d>");
    let chars = |open: &str, close: &str| {
        format!("<m:begChr m:val=\"{open}\"/><m:endChr m:val=\"{close}\"/>")
    };
    check(&d("", &e("x")), "(x)");
    check(&d(&chars("|", "|"), &e("x")), "\\lvert x\\rvert");
    check(&d(&chars("{", "}"), &(e("x") + &e("y"))), "\\{x\\vert y\\}");
    check(&d(&chars("[", ")"), &e("0,1")), "[0,1)");
    let row = |a: &str, b: &str| format!("<m:mr>{}{}</m:mr>", e(a), e(b));
    let matrix = format!("<m:m><m:mPr/>{}{}</m:m>", row("a", "b"), row("c", "d"));
    check(&matrix, "\\begin{matrix} a & b \\\\ c & d \\end{matrix}");
    check(
        &d("", &format!("<m:e>{matrix}</m:e>")),
        "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
    );
    let array = format!("<m:eqArr>{}{}</m:eqArr>", e("x&amp;=1"), e("y&amp;=2"));
    check(&array, "\\begin{aligned} x=1 \\\\ y=2 \\end{aligned}");
    check(
        &d(&chars("{", ""), &format!("<m:e>{array}</m:e>")),
        "\\begin{cases} x=1 \\\\ y=2 \\end{cases}",
    );
    check(&d(&chars("", "|"), &e("x")), "\\left. x \\right\\rvert");
}

#[test]
fn accents_bars_and_boxes() {
    let with = |name: &str, property: &str, value: &str| {
        format!(
            "<m:{name}><m:{name}Pr><m:{property} m:val=\"{value}\"/></m:{name}Pr>{}</m:{name}>",
            e("x")
        )
    };
    check(&with("acc", "chr", "\u{305}"), "\\overline{x}");
    check(&with("acc", "chr", "\u{20d7}"), "\\vec{x}");
    check(&with("acc", "chr", "⏜"), "\\overset{⏜}{x}");
    check(&format!("<m:acc>{}</m:acc>", e("x")), "\\hat{x}");
    check(&with("bar", "pos", "top"), "\\overline{x}");
    check(&with("bar", "pos", "bot"), "\\underline{x}");
    check(&format!("<m:groupChr>{}</m:groupChr>", e("x")), "\\underbrace{x}");
    check(&with("borderBox", "strikeBLTR", "1"), "\\cancel{x}");
    check(&format!("<m:borderBox>{}</m:borderBox>", e("x")), "\\boxed{x}");
    check(&with("phant", "show", "0"), "\\phantom{x}");
    check(&format!("<m:box>{}</m:box>", e("x")), "x");
}

#[test]
fn letters_and_words() {
    check(&r("α≤50%"), "α≤50\\%");
    check(&r("速度=2"), "\\text{速度}=2");
    check("<m:r><m:rPr><m:nor/></m:rPr><m:t>if </m:t></m:r>", "\\text{if }");
    check("<m:r><m:rPr><m:sty m:val=\"p\"/></m:rPr><m:t>5 km</m:t></m:r>", "5 \\mathrm{km}");
    check("<m:r><m:rPr><m:sty m:val=\"b\"/></m:rPr><m:t>v</m:t></m:r>", "\\mathbf{v}");
    check("<m:r><m:rPr><m:scr m:val=\"double-struck\"/></m:rPr><m:t>R</m:t></m:r>", "\\mathbb{R}");
    check(&(r("1") + &r("2") + "<m:del><m:r><m:t>3</m:t></m:r></m:del>"), "12");
    check(&format!("<m:ins>{}</m:ins>", r("a|b")), "a\\vert b");
}

#[test]
fn an_unknown_part_keeps_its_text_and_is_told() {
    let root = xml::root("<m:oMath><m:new><m:r><m:t>a_b</m:t></m:r></m:new></m:oMath>").unwrap();
    let mut notes = Notes::default();
    assert_eq!(latex(&root, &mut notes), "a\\_b");
    assert_eq!(
        notes.into_warnings(),
        ["equations have parts of which only the text was read: `new`"]
    );
}

#[test]
fn a_number_alone_needs_no_delimiters() {
    assert_eq!(delimited("12.5", false), "12.5");
    assert_eq!(delimited("x", false), "$x$");
    assert_eq!(delimited("\\frac{1}{2}", true), "$$\\frac{1}{2}$$");
}
