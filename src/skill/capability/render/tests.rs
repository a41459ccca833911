use super::*;

#[test]
fn a_name_gets_the_extension_of_its_format_or_is_refused() {
    let book = Deliverable::Workbook(Box::default(), Vec::new());
    let named = |name: &str| book.file_name(name).map(|(name, format)| (name, format.extension));
    for (given, expected) in [
        ("report.xlsx", "report.xlsx"),
        ("Report.XLSX", "Report.XLSX"),
        ("report", "report.xlsx"),
        ("report v1.2", "report v1.2.xlsx"),
    ] {
        assert_eq!(named(given), Ok((expected.to_owned(), "xlsx")));
    }
    let problem = named("report.pdf").unwrap_err();
    assert_eq!(problem, "file name `report.pdf`: expected the extension `.xlsx`, got `.pdf`");
    assert!(named("report.docx").is_err() && named("../report").is_err());
    assert_eq!(book.format_name("report.pdf"), "xlsx");

    let text = Deliverable::Text(String::new());
    assert_eq!(text.file_name("a.CSV").unwrap().1.media_type, "text/csv");
    assert_eq!(
        text.file_name("a.pdf").unwrap_err(),
        "file name `a.pdf`: expected an extension `.md`, `.txt`, `.csv`, `.json`"
    );
    assert!(text.file_name("a").is_err());
    assert_eq!(text.format_name("a.HTML"), "html");
}
