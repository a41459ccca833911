//! Tests OpenDocument spreadsheets.

mod support;

use mitt_reader_kit::{Cell, Content, ENCRYPTED, Error};
use support::read;
use support::{archive, number, only_table, text};

fn document(table: &str) -> Content {
    let content = format!(
        "<office:document-content><office:automatic-styles><style:style style:name=\"hid\">\
         <style:table-properties table:display=\"false\"/></style:style></office:automatic-styles>\
         <office:body><office:spreadsheet>{table}</office:spreadsheet></office:body></office:document-content>"
    );
    read(&archive(&[("content.xml", content)]), "ods").unwrap()
}

#[test]
fn values_repeats_and_what_was_never_calculated() {
    let content = document(
        "<table:table table:name=\"T\"><table:table-row>\
         <table:table-cell office:value-type=\"string\"><text:p>a<text:s text:c=\"2\"/>b</text:p></table:table-cell>\
         <table:table-cell office:value-type=\"string\"><text:p>x &amp; y</text:p><text:p>z</text:p></table:table-cell>\
         </table:table-row><table:table-row table:number-rows-repeated=\"2\">\
         <table:table-cell table:number-columns-repeated=\"2\" office:value-type=\"float\" office:value=\"1.50\"><text:p>1,5</text:p></table:table-cell>\
         </table:table-row><table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell/></table:table-row>\
         <table:table-row><table:table-cell table:formula=\"of:=SUM([.A2:.A3])\"/>\
         <table:table-cell office:value-type=\"string\" office:string-value=\"\" calcext:value-type=\"error\"><text:p>#DIV/0!</text:p></table:table-cell>\
         </table:table-row></table:table>",
    );
    assert_eq!(content.tables[0].data.columns, ["a b", "x & y z"]);
    assert_eq!(
        only_table(&content),
        [
            [number("1.5"), number("1.5")],
            [number("1.5"), number("1.5")],
            [text("=SUM([.A2:.A3])"), text("#DIV/0!")]
        ]
    );
    assert_eq!(
        content.warnings,
        [
            "sheet `T`: cells with an error such as `#DIV/0!`: 1",
            "sheet `T`: formulas that were never calculated stand as text, without a value: A1048004; save the workbook in \
             a spreadsheet program to have them calculated",
            "sheet `T`: empty rows 4-1048003 were left out",
        ]
    );
}

#[test]
fn remarks_boxes_and_pictures_are_not_the_text_of_cells() {
    let content = document(
        "<table:table table:name=\"T\" table:style-name=\"hid\"><table:shapes><draw:frame><draw:text-box><text:p>in a box</text:p>\
         </draw:text-box></draw:frame><draw:frame><draw:object/><draw:image/></draw:frame>\
         <draw:frame><draw:image><text:p/></draw:image></draw:frame></table:shapes>\
         <table:table-row><table:table-cell/><table:table-cell office:value-type=\"string\">\
         <office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-01-01</dc:date><text:p>why?</text:p></office:annotation>\
         <text:p>cell</text:p></table:table-cell></table:table-row></table:table>",
    );
    assert_eq!(
        content.markdown,
        "## T\n\n| cell |\n| --- |\n\nComments:\n\n- B1 (Ann): why?\n\nText boxes:\n\n- in a box\n"
    );
    assert_eq!(
        content.warnings,
        ["sheet `T` is hidden in the workbook", "sheet `T`: not read: 1 chart, 1 picture"]
    );
}

#[test]
fn a_far_corner_and_a_merged_label() {
    let content = document(
        "<table:table table:name=\"T\"><table:table-row><table:table-cell office:value-type=\"string\"><text:p>h</text:p></table:table-cell>\
         <table:table-cell office:value-type=\"string\"><text:p>n</text:p></table:table-cell></table:table-row>\
         <table:table-row><table:table-cell table:number-rows-spanned=\"2\" office:value-type=\"string\"><text:p>East</text:p></table:table-cell>\
         <table:table-cell office:value=\"1\"/></table:table-row>\
         <table:table-row><table:covered-table-cell/><table:table-cell office:value=\"2\"/></table:table-row>\
         <table:table-row table:number-rows-repeated=\"1048572\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>\
         <table:table-row><table:table-cell table:number-columns-repeated=\"16383\"/><table:table-cell office:boolean-value=\"true\"/></table:table-row></table:table>",
    );
    assert_eq!(
        only_table(&content),
        [
            [text("East"), number("1"), Cell::Null],
            [text("East"), number("2"), Cell::Null],
            [Cell::Null, Cell::Null, Cell::Boolean(true)]
        ]
    );
}

#[test]
fn a_row_that_ends_without_a_beginning_does_no_harm() {
    let cell = "<table:table-cell office:value=\"1\"/>";
    let content = document(&format!(
        "<table:table table:name=\"A\"><table:table-row>{cell}</table:table-row><table:table-row>{cell}</table:table-row></table:table>\
         <table:table table:name=\"B\"><x>{cell}</table:table-row></table:table>"
    ));
    assert_eq!(content.tables.len(), 2);
}

#[test]
fn encrypted_cut_and_endless_documents_are_refused() {
    let encrypted = [(
        "META-INF/manifest.xml",
        "<manifest><file-entry><encryption-data/></file-entry></manifest>",
    )];
    assert_eq!(read(&archive(&encrypted), "ods"), Err(Error::Unsupported(ENCRYPTED.to_owned())));
    let cut = [("content.xml", "<a><table:table table:name=\"T\"><table:table-row>")];
    assert!(matches!(read(&archive(&cut), "ods"), Err(Error::Malformed(_))));
    let endless = [(
        "content.xml",
        "<a><table:table><table:table-row table:number-rows-repeated=\"1048576\">\
         <table:table-cell table:number-columns-repeated=\"16384\" office:value=\"1\"/></table:table-row></table:table></a>",
    )];
    assert!(matches!(read(&archive(&endless), "ods"), Err(Error::Quota(_))));
}

#[test]
fn a_document_says_who_made_it() {
    let meta = "<office:document-meta><office:meta><dc:title>年报</dc:title><meta:keyword>a</meta:keyword>\
        <meta:initial-creator>王芳</meta:initial-creator><dc:creator>李雷</dc:creator><meta:keyword>b &amp; c</meta:keyword>\
        <meta:creation-date>2024-03-05T09:30:00</meta:creation-date><dc:date>2024-03-06T10:00:00</dc:date></office:meta></office:document-meta>";
    let content = "<office:document-content><office:body><office:spreadsheet/></office:body></office:document-content>";
    let bytes = archive(&[("meta.xml", meta), ("content.xml", content)]);
    let content = read(&bytes, "ods").unwrap();
    assert_eq!(content.title.as_deref(), Some("年报"));
    let metadata: Vec<_> =
        content.metadata.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(
        metadata,
        [
            "author: 王芳",
            "keywords: a, b & c",
            "created: 2024-03-05T09:30:00",
            "modified: 2024-03-06T10:00:00"
        ]
    );
}
