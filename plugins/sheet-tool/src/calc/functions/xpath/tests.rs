//! XPath by examples: those of Microsoft's page, of the W3C's recommendation, and refusals.

use super::super::tests::{book, calculated, shown};
use crate::calc::grid::Stop;

const ORDERS: &str = "<orders><order id='7'><item>Pen</item><price>1.50</price></order> <order id='9' paid='yes'><item>Ink</item><price>12</price><!--last--></order></orders>";

fn filtered(xml: &str, path: &str) -> String {
    let formula = format!("FILTERXML(\"{xml}\",\"{path}\")");
    match calculated(&book(), &formula) {
        Ok(array) => shown(&array),
        Err(Stop::Unsupported(what)) => what,
        Err(stop) => format!("{stop:?}"),
    }
}

#[test]
fn paths_select_nodes() {
    for (path, expected) in [
        ("/orders/order/item", "{Pen;Ink}"),
        ("//price", "{1.5;12.0}"),
        ("//order/@id", "{7.0;9.0}"),
        ("//@*", "{7.0;9.0;yes}"),
        ("//order[2]/item", "Ink"),
        ("//order[last()]/item", "Ink"),
        ("//order[position()<2]/item", "Pen"),
        ("//order[@paid]/item", "Ink"),
        ("//order[@id='7']/price", "1.5"),
        ("//order[price>2]/item", "Ink"),
        ("//order[not(@paid)]/item", "Pen"),
        ("//order[item='Pen' or price=12]/@id", "{7.0;9.0}"),
        ("//order[item='Pen' and price=12]/@id", "#VALUE!"),
        ("//item | //@paid", "{Pen;yes;Ink}"),
        ("(//item)[2]", "Ink"),
        ("//item[.='Ink']/../price", "12.0"),
        ("//item[contains(.,'e')]", "Pen"),
        ("//*[starts-with(local-name(),'pri')]", "{1.5;12.0}"),
        ("//item[string-length(.)=3][2]", "#VALUE!"),
        ("//price/preceding-sibling::item", "{Pen;Ink}"),
        ("//item[.='Ink']/preceding::item", "Pen"),
        ("//item[.='Pen']/following::*[1]", "1.5"),
        ("//price/ancestor::*[1]/@id", "{7.0;9.0}"),
        ("//item/text()", "{Pen;Ink}"),
        ("//comment()", "last"),
        ("//order[count(*)=2 and sum(price)*2-1=(3+7) div 2-3]/item", "Pen"),
        ("//order[translate(@paid,'yes','YES')='YES']/item", "Ink"),
        ("//order[substring(@paid,2,2)='es']/item", "Ink"),
        ("//order[substring-before(concat(@id,'-x'),'-')=9]/item", "Ink"),
        ("//order[-price < -2]/item", "Ink"),
        ("child::orders/descendant::item", "{Pen;Ink}"),
        ("/", "Pen1.50Ink12"),
        ("//none", "#VALUE!"),
    ] {
        assert_eq!(filtered(ORDERS, path), expected, "{path}");
    }
}

#[test]
fn what_is_wrong_is_an_error_and_what_is_not_known_is_named() {
    for path in ["//", "//item[", "//item)", "item[1", "count()", "'a'/b", "", "a b"] {
        assert_eq!(filtered(ORDERS, path), "#VALUE!", "{path}");
    }
    for (xml, path) in [("<a>", "//a"), ("<a/><b/>", "//a"), ("text", "//a")] {
        assert_eq!(filtered(xml, path), "#VALUE!", "{xml}");
    }
    let entity = "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>";
    assert_eq!(filtered(entity, "//a"), "#VALUE!");
    for (path, expected) in [
        ("//x:item", "FILTERXML with the namespace prefix `x`"),
        ("//item[$a]", "FILTERXML with a variable"),
        ("id('a')", "FILTERXML with the function `id`"),
        ("namespace::a", "FILTERXML with the axis `namespace`"),
        ("count(//item)", "FILTERXML with an expression that selects no nodes"),
    ] {
        assert_eq!(filtered(ORDERS, path), expected);
    }
    for (text, expected) in [
        ("2024-02-03", "which may become a date"),
        ("12%", "which may become a date or a number"),
        (" a", "FILTERXML with blanks around a text"),
    ] {
        let found = filtered(&format!("<a>{text}</a>"), "//a");
        assert!(found.contains(expected), "{found}");
    }
    assert_eq!(filtered("<a>007</a>", "//a"), "7.0");
    assert_eq!(filtered("<a xmlns='urn:x'><b>1</b></a>", "//b"), "#VALUE!");
    assert_eq!(filtered("<a xmlns='urn:x'><b>1</b></a>", "//*[local-name()='b']"), "1.0");
}

#[test]
fn large_expressions_and_documents_end() {
    // As deep as a cell can have it.
    let deep = format!("{}x{}", "<a>".repeat(4_600), "</a>".repeat(4_600));
    let formula = |path: &str| {
        let parts: Vec<String> = ["<a>", "</a>"].map(|it| format!("REPT(\"{it}\",4600)")).into();
        format!("FILTERXML({}&\"x\"&{},\"{path}\")", parts[0], parts[1])
    };
    assert!(deep.len() < 32_767);
    let one = calculated(&book(), &formula("//a[not(a)]")).map(|it| shown(&it));
    assert_eq!(one, Ok("x".to_owned()));
    let many = calculated(&book(), &formula("//a[count(.//a[contains(.,'x')])>0]"));
    assert_eq!(many, Err(Stop::Limit));
    let long = |count: u32| {
        calculated(
            &book(),
            &format!("LEN(FILTERXML(\"<a>\"&REPT(\"x\",{count})&\"</a>\",\"//a\"))"),
        )
    };
    assert_eq!(long(32_760).map(|it| shown(&it)), Ok("32760.0".to_owned()));
    assert_eq!(long(32_761).map(|it| shown(&it)), Ok("#VALUE!".to_owned()));
    let brackets = format!("{}1{}", "(".repeat(40), ")".repeat(40));
    assert_eq!(filtered("<a/>", &brackets), "Limit");
    assert_eq!(filtered("<a/>", &vec!["a"; 600].join("/")), "Limit");
}
