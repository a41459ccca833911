//! Changes PDF files for tests outside of the sandbox. Not part of the component.
//!
//! `proof COMMAND FOLDER` reads lines of tab-separated paths and words from standard input, writes the result of each to the
//! folder, and prints one line of tab-separated values for each.

use pdf_tool::{
    Edit, Error, FieldKind, NoTypesetter, OutlineItem, Pdf, Permissions, Picture, Position,
    Redaction, SaveOptions, SplitBy, Text, compress, edit, encrypt, find_text, merge, redact,
    repair, split,
};
use std::io::{BufRead as _, Write as _};

#[expect(clippy::disallowed_methods, reason = "a test program, which no user runs")]
fn main() {
    let command = std::env::args().nth(1).unwrap_or_default();
    let folder = std::env::args().nth(2).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let start = std::time::Instant::now();
        let result = std::panic::catch_unwind(|| run(&command, &folder, &line));
        let result = match result {
            Ok(Ok(text)) => format!("ok\t{}", text.replace('\n', "; ")),
            Ok(Err(error)) => format!("error\t{}", error.to_string().replace('\n', "; ")),
            Err(_) => "panic\t".to_owned(),
        };
        writeln!(out, "{line}\t{}\t{result}", start.elapsed().as_millis()).unwrap();
    }
}

fn text(text: &str, position: Position) -> Edit {
    Edit::AddText(Text {
        text: text.to_owned(),
        pages: "all".to_owned(),
        position,
        size: 9.0,
        color: "808080".to_owned(),
        angle: 0.0,
        opacity: 1.0,
        margin: 20.0,
        start: None,
        is_behind: false,
    })
}

fn edited(mut pdf: Pdf, edits: &[Edit]) -> Result<(Vec<u8>, String), Error> {
    let files = |_: &str| Ok(b"attached".to_vec());
    let done = edit(&mut pdf, edits, true, &files, &NoTypesetter)?;
    let text = format!("{}\t{}", done.done.join(" "), done.warnings.join(" "));
    Ok((pdf.save(&SaveOptions { is_packed: true, protection: None })?, text))
}

/// Returns an edit for each field that can be filled.
fn fill_all(pdf: &Pdf) -> Vec<Edit> {
    let mut edits = Vec::new();
    for field in pdf.fields().into_iter().filter(|it| !it.is_read_only) {
        let value = match field.kind {
            FieldKind::Text => {
                let most = field.max_length.unwrap_or(20).max(1);
                "Müller 2026 张三李四".chars().take(most).collect()
            }
            FieldKind::CheckBox => "true".to_owned(),
            FieldKind::Radio | FieldKind::Combo | FieldKind::List => match field.options.first() {
                Some((value, _)) => value.clone(),
                None => continue,
            },
            FieldKind::Button | FieldKind::Signature => continue,
        };
        edits.push(Edit::FillField { field: field.name, value });
    }
    edits
}

fn run(command: &str, folder: &str, line: &str) -> Result<String, Error> {
    let mut parts = line.split('\t');
    let path = parts.next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let bytes = std::fs::read(path).unwrap();
    let write = |suffix: &str, bytes: &[u8]| {
        std::fs::write(format!("{folder}/{name}{suffix}"), bytes).unwrap()
    };
    let password = std::env::var("PROOF_PASSWORD").ok();
    let mut pdf = Pdf::open(bytes.clone(), password.as_deref())?;
    let count = pdf.page_count();
    let (bytes, text) = match command {
        "save" => (pdf.save(&SaveOptions::default())?, pdf.repairs.join(" ")),
        "pack" => {
            let (bytes, warnings) = compress(&mut pdf, None)?;
            (bytes, warnings.join(" "))
        }
        "shrink" => {
            let (bytes, warnings) = compress(&mut pdf, Some(100))?;
            (bytes, warnings.join(" "))
        }
        "repair" => {
            let (bytes, warnings) = repair(&mut pdf)?;
            (bytes, warnings.join(" "))
        }
        "encrypt" => {
            let limits = Permissions { copy: false, ..Permissions::default() };
            let (bytes, warnings) = encrypt(&mut pdf, "geheim", "Besitzer", limits)?;
            let again = Pdf::open(bytes.clone(), Some("geheim"))?;
            assert_eq!(again.page_count(), count);
            (bytes, warnings.join(" "))
        }
        "stamp" => edited(
            pdf,
            &[
                text("{page} / {pages}", Position::Bottom),
                text("机密 MITT-STAMP", Position::TopRight),
                Edit::RotatePages { pages: "1".to_owned(), angle: 90 },
                Edit::AttachFile { name: "note.txt".to_owned(), description: "Note".to_owned() },
                Edit::SetMetadata { name: "title".to_owned(), value: "标题".to_owned() },
                Edit::SetOutline(vec![
                    OutlineItem { title: "One".to_owned(), level: 1, page: Some(1) },
                    OutlineItem { title: "二".to_owned(), level: 2, page: Some(count) },
                ]),
            ],
        )?,
        "select" => edited(
            pdf,
            &[
                Edit::SelectPages { pages: "last,1".to_owned() },
                Edit::InsertBlank { after: 1, count: 1 },
            ],
        )?,
        "fill" => {
            let edits = fill_all(&pdf);
            edited(pdf, &edits)?
        }
        // Fills `name` in a signed file, or removes its comments.
        "append" | "uncomment" | "attach" | "title" => {
            let edits = [match command {
                "append" => Edit::FillField {
                    field: parts.next().unwrap_or("name").to_owned(),
                    value: "Zoë 张".to_owned(),
                },
                "uncomment" => Edit::RemoveAnnotations { pages: "all".to_owned() },
                "attach" => {
                    Edit::AttachFile { name: "n.txt".to_owned(), description: String::new() }
                }
                _ => Edit::SetMetadata { name: "title".to_owned(), value: "T".to_owned() },
            }];
            let files = |_: &str| Ok(b"attached".to_vec());
            let done = edit(&mut pdf, &edits, false, &files, &NoTypesetter)?;
            (pdf.save(&SaveOptions::default())?, done.warnings.join(" "))
        }
        // Puts the second file of the line on all pages.
        "picture" => {
            let other = parts.next().unwrap_or_default().to_owned();
            let files = |name: &str| std::fs::read(name).map_err(|it| it.to_string());
            let edits = [Edit::AddPicture(Picture {
                name: other,
                pages: "all".to_owned(),
                position: Position::TopRight,
                rect: None,
                width: Some(120.0),
                opacity: 0.6,
                margin: 10.0,
                is_behind: false,
            })];
            let done = edit(&mut pdf, &edits, true, &files, &NoTypesetter)?;
            (pdf.save(&SaveOptions::default())?, done.warnings.join(" "))
        }
        "two" | "four" => {
            let count = if command == "two" { 2 } else { 4 };
            edited(pdf, &[Edit::Sheets { count, paper: "A4".to_owned() }])?
        }
        "find" => {
            let found = find_text(pdf, name, parts.next().unwrap_or_default(), None, 5)?;
            let of =
                |it: &pdf_tool::Place| format!("{} {:?} [{}]", it.reference, it.rects, it.text);
            let places: Vec<String> = found.places.iter().map(of).collect();
            return Ok(format!(
                "{}\t{}\t{}",
                found.total,
                places.join(" | "),
                found.warnings.join(" ")
            ));
        }
        "flatten" => edited(pdf, &[Edit::Flatten { fields: Vec::new() }])?,
        "merge" => {
            let other = Pdf::open(bytes, None)?;
            let (mut both, warnings) =
                merge(vec![("a.pdf".to_owned(), pdf), ("b.pdf".to_owned(), other)])?;
            assert_eq!(both.page_count(), 2 * count);
            (both.save(&SaveOptions::default())?, warnings.join(" "))
        }
        "split" => {
            let parts = split(pdf, &SplitBy::Every(count.div_ceil(3)))?;
            for (at, part) in parts.iter().enumerate() {
                write(&format!(".{at}.pdf"), &part.bytes);
            }
            return Ok(format!("{count}\t{}", parts.len()));
        }
        "redact" => {
            let words = parts.map(str::to_owned).collect();
            let redaction = Redaction { words, breaks_signatures: true, ..Redaction::default() };
            let (bytes, removed) = redact(pdf, &redaction)?;
            (
                bytes,
                format!(
                    "{} places\t{}\t{}",
                    removed.places,
                    removed.other.join(" "),
                    removed.warnings.join(" ")
                ),
            )
        }
        "areas" => {
            let areas = vec![(1, [0.0, 0.0, 300.0, 400.0])];
            let redaction = Redaction { areas, breaks_signatures: true, ..Redaction::default() };
            let (bytes, removed) = redact(pdf, &redaction)?;
            (
                bytes,
                format!(
                    "{} places\t{}\t{}",
                    removed.places,
                    removed.other.join(" "),
                    removed.warnings.join(" ")
                ),
            )
        }
        other => return Err(Error::Invalid(format!("no command `{other}`"))),
    };
    write("", &bytes);
    Ok(format!("{count}\t{text}"))
}
