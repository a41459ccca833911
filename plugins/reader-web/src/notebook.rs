//! Reads Jupyter notebooks: their texts, their code, and its output.

use crate::decode::decode;
use crate::html::address::Base;
use crate::html::write::{Room, fenced};
use crate::html::{end, piece, room_warnings};
use base64::Engine as _;
use mitt_reader_kit::{Content, Error, Part, Place, clean, single_line};
use serde_json::{Map, Value};

/// Most characters of an output that are kept.
const MAX_OUTPUT: usize = 20_000;

/// Most bytes of a picture, and of all pictures, that are passed to the host.
const MAX_PICTURE: usize = 1 << 20;
const MAX_PICTURES: usize = 16 << 20;

#[derive(Default)]
struct Written {
    markdown: String,
    places: Vec<Place>,
    parts: Vec<Part>,
    picture_bytes: usize,
    pictures_left_out: usize,
    cut: usize,
    others: usize,
    warnings: Vec<String>,
    room: Room,
}

/// Reads a notebook of format 3 or 4.
///
/// # Errors
///
/// `malformed` - the file is not JSON, or not a notebook.
pub(crate) fn read(bytes: &[u8]) -> Result<Content, Error> {
    let decoded = decode(bytes);
    let notebook: Value = serde_json::from_str(decoded.text.trim_start_matches('\u{feff}'))
        .map_err(|error| {
            Error::Malformed(format!(
                "the notebook is damaged at line {}, column {}",
                error.line(),
                error.column()
            ))
        })?;
    let sheets = notebook.get("worksheets").and_then(Value::as_array);
    let cells: Vec<&Value> = match (notebook.get("cells").and_then(Value::as_array), sheets) {
        (Some(cells), _) => cells.iter().collect(),
        (None, Some(sheets)) => {
            sheets.iter().filter_map(|it| it.get("cells")?.as_array()).flatten().collect()
        }
        (None, None) => return Err(Error::Malformed("the notebook has no list of cells".into())),
    };
    let metadata = notebook.get("metadata");
    let language = language(metadata, &cells);
    let mut written = Written { warnings: decoded.warnings, ..Written::default() };
    for (index, cell) in cells.into_iter().enumerate() {
        let Some(cell) = cell.as_object() else { continue };
        written
            .places
            .push(Place { at: written.markdown.len(), label: format!("cell {}", index + 1) });
        written.cell(cell, &language, index + 1);
    }
    Ok(written.into_content(metadata, language))
}

impl Written {
    fn cell(&mut self, cell: &Map<String, Value>, language: &str, number: usize) {
        let source = clean(&text(cell.get("source").or(cell.get("input"))));
        match cell.get("cell_type").and_then(Value::as_str) {
            Some("code") => {
                let count = cell.get("execution_count").or(cell.get("prompt_number"));
                let count =
                    count.and_then(Value::as_u64).map_or(" ".to_owned(), |it| it.to_string());
                if !source.trim().is_empty() {
                    self.block(&format!("In [{count}]:"));
                    self.block(&fenced(source.trim_end(), language));
                }
                let outputs = cell.get("outputs").and_then(Value::as_array);
                for (index, output) in outputs.into_iter().flatten().enumerate() {
                    if let Some(output) = output.as_object() {
                        self.output(output, &format!("cell-{number}-output-{}", index + 1));
                    }
                }
            }
            Some("heading") => {
                let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
                self.block(&format!("{} {}", "#".repeat(level as usize), single_line(&source)));
            }
            Some("raw") => self.block(&fenced(source.trim_end(), "")),
            _ => self.block(source.trim()),
        }
    }

    fn block(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.markdown.push_str(text);
            self.markdown.push_str("\n\n");
        }
    }

    fn output(&mut self, output: &Map<String, Value>, name: &str) {
        match output.get("output_type").and_then(Value::as_str) {
            Some("stream") => self.printed(&text(output.get("text"))),
            Some("error" | "pyerr") => {
                let of = |name: &str| text(output.get(name));
                let head = format!("{}: {}", of("ename"), of("evalue"));
                let lines: Vec<String> = match output.get("traceback") {
                    Some(Value::Array(lines)) => lines.iter().map(|it| text(Some(it))).collect(),
                    _ => Vec::new(),
                };
                let trace = lines.join("\n");
                self.printed(if trace.trim().is_empty() { &head } else { &trace });
            }
            _ => {
                // In format 3 the data are fields of the output, with short names.
                let data = output.get("data").and_then(Value::as_object).unwrap_or(output);
                self.data(data, name);
            }
        }
    }

    /// Writes an output that exists in several formats. The richest one is taken.
    fn data(&mut self, data: &Map<String, Value>, name: &str) {
        let of =
            |names: [&str; 2]| names.iter().find_map(|it| data.get(*it)).map(|it| text(Some(it)));
        let mut has_picture = false;
        for (names, extension) in [
            (["image/png", "png"], "png"),
            (["image/jpeg", "jpeg"], "jpg"),
            (["image/gif", "gif"], "gif"),
        ] {
            if let Some(encoded) = of(names) {
                has_picture = true;
                self.picture(&encoded, &format!("{name}.{extension}"));
                break;
            }
        }
        let html = of(["text/html", "html"]);
        let plain = of(["text/plain", "text"]);
        // `<Figure size 640x480 with 1 Axes>` is only the fallback of a picture.
        let plain = plain.filter(|it| !has_picture || !it.trim_start().starts_with('<'));
        if let Some(markdown) = of(["text/markdown", "markdown"]) {
            self.block(&clean(&markdown));
        } else if let Some(html) =
            html.as_ref().filter(|it| it.contains("<table") || plain.is_none())
        {
            let (_, text) = piece(html, Some(&Base::inside()), &mut self.room, &mut self.warnings);
            let place = self.places.last().map(|it| it.label.clone());
            for table in self.room.tables.iter_mut().filter(|it| it.place.is_none()) {
                table.place.clone_from(&place);
            }
            self.block(&text);
        } else if let Some(latex) = of(["text/latex", "latex"]) {
            self.block(&clean(&latex));
        } else if let Some(plain) = plain {
            self.printed(&plain);
        } else if let Some(value) = data.get("application/json").or(data.get("json")) {
            self.printed(&value.to_string());
        } else if !has_picture && !data.is_empty() {
            self.others += 1;
        }
    }

    fn printed(&mut self, text: &str) {
        let text = clean(&without_escapes(text));
        let text = text.trim_end();
        match text.char_indices().nth(MAX_OUTPUT) {
            Some((end, _)) => {
                self.cut += 1;
                let beginning = text.get(..end).unwrap_or_default();
                self.block(&fenced(&format!("{beginning}\n…"), ""));
            }
            None if text.is_empty() => {}
            None => self.block(&fenced(text, "")),
        }
    }

    fn picture(&mut self, encoded: &str, name: &str) {
        let encoded: String = encoded.chars().filter(|it| !it.is_whitespace()).collect();
        let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).ok();
        match bytes
            .filter(|it| it.len() <= MAX_PICTURE && self.picture_bytes + it.len() <= MAX_PICTURES)
        {
            Some(bytes) => {
                self.picture_bytes += bytes.len();
                self.block(&format!("[picture: {name}]"));
                self.parts.push(Part { name: name.to_owned(), bytes });
            }
            None => self.pictures_left_out += 1,
        }
    }

    fn into_content(mut self, metadata: Option<&Value>, language: String) -> Content {
        for (count, what) in [
            (self.pictures_left_out, "pictures that are damaged or too large were left out"),
            (self.cut, "long outputs were cut"),
            (self.others, "outputs that are no text were left out"),
        ] {
            if count > 0 {
                self.warnings.push(format!("{what}: {count}"));
            }
        }
        room_warnings(&self.room, &mut self.warnings);
        self.warnings.dedup();
        let given = metadata.and_then(|it| it.get("title")?.as_str().map(single_line));
        let heading = || {
            let line = self.markdown.lines().find(|it| it.starts_with("# "))?;
            Some(single_line(line.trim_start_matches('#')))
        };
        let title = given.or_else(heading).filter(|it| !it.is_empty());
        let kernel = metadata
            .and_then(|it| it.get("kernelspec")?.get("display_name")?.as_str().map(single_line));
        let authors = metadata.and_then(|it| it.get("authors")?.as_array()).map(|authors| {
            let names = authors.iter().filter_map(|it| it.get("name").unwrap_or(it).as_str());
            names.collect::<Vec<_>>().join(", ")
        });
        let pairs =
            [("author", authors), ("programming language", Some(language)), ("kernel", kernel)];
        let pairs = pairs.into_iter().filter_map(|(name, value)| {
            Some((name.to_owned(), value.filter(|it| !it.is_empty())?))
        });
        end(&mut self.markdown);
        Content {
            title,
            metadata: pairs.collect(),
            markdown: self.markdown,
            places: self.places,
            tables: self.room.tables,
            parts: self.parts,
            warnings: self.warnings,
            ..Content::default()
        }
    }
}

fn language(metadata: Option<&Value>, cells: &[&Value]) -> String {
    let of = |path: [&str; 2]| metadata.and_then(|it| it.get(path[0])?.get(path[1])?.as_str());
    let of_cell = || cells.iter().find_map(|it| it.get("language")?.as_str());
    let language =
        of(["language_info", "name"]).or_else(|| of(["kernelspec", "language"])).or_else(of_cell);
    let language = language.unwrap_or_default();
    language.chars().filter(|it| it.is_alphanumeric() || "+#-_.".contains(*it)).take(40).collect()
}

/// Returns a text or joined lines.
fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Removes terminal escapes, and text that a progress bar has overwritten.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => {
                if characters.next_if_eq(&'[').is_some() {
                    while characters.next_if(|it| !('@'..='~').contains(it)).is_some() {}
                    characters.next();
                }
            }
            '\r' if characters.peek().is_some_and(|it| *it != '\n') => {
                let start = out.rfind('\n').map_or(0, |it| it + 1);
                out.truncate(start);
            }
            it => out.push(it),
        }
    }
    out
}
