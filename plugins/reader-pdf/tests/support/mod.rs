//! Documents that are written by hand.

#![allow(dead_code, reason = "not every test writes every kind")]

/// Returns a document of these objects, from number 1, which is the catalog.
pub(crate) fn pdf<T: AsRef<[u8]>>(objects: &[T]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n", index + 1).bytes());
        out.extend(object.as_ref());
        out.extend(b"\nendobj\n");
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    out.extend(
        format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes(),
    );
    out
}

pub(crate) fn stream(dict: &str, data: &str) -> String {
    format!("<<{dict}/Length {}>>stream\n{data}\nendstream", data.len())
}

/// A document of one page with these operators. `page` is added to its dictionary, `resources` to the resources with
/// the font `F`, and `catalog` to the catalog. `more` are objects from number 6.
#[derive(Default)]
pub(crate) struct One<'a> {
    pub(crate) content: &'a str,
    pub(crate) page: &'a str,
    pub(crate) resources: &'a str,
    pub(crate) catalog: &'a str,
    pub(crate) more: &'a [String],
}

impl One<'_> {
    pub(crate) fn write(&self) -> Vec<u8> {
        let One { content, page, resources, catalog, more } = self;
        let size = if page.contains("/MediaBox") { "" } else { "/MediaBox[0 0 595 842]" };
        let mut objects = vec![
            format!("<</Type/Catalog/Pages 2 0 R{catalog}>>"),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            format!(
                "<</Type/Page/Parent 2 0 R{size}/Resources<</Font<</F 4 0 R>>{resources}>>/Contents 5 0 R{page}>>"
            ),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
            stream("", content),
        ];
        objects.extend(more.iter().cloned());
        pdf(&objects)
    }

    pub(crate) fn read(&self) -> mitt_reader_kit::Content {
        reader_pdf::read(&self.write(), "pdf", None).unwrap()
    }
}

/// Returns operators for a line of text.
pub(crate) fn line(x: i32, y: i32, text: &str) -> String {
    format!("BT /F 11 Tf {x} {y} Td ({text}) Tj ET\n")
}
