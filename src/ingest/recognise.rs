//! Pages that are pictures of text: a plugin draws some at a time, their text is recognised, and inserted at its place in the
//! document.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::{Content, Readers};
use crate::ocr::{OcrOptions, Picture, Recognised};
use mitt_base::memory::Charge;
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_skill::{Reader, ReaderInternal as _, RegistryInternal as _, capability::ReaderFile};
use mitt_types::Place;

/// File type for which a reader draws pages.
const DRAWN: &str = "pages";

/// Pages that are drawn at a time. For each lot the plugin reads the file again, and all of its pictures are in memory.
const LOT: usize = 4;

/// Most characters of a page.
const MAX_CHARACTERS: usize = 200_000;

/// Most characters of a doubtful line that are reported, and most pages whose doubtful lines are reported.
const MAX_LINE: usize = 60;
const MAX_DOUBTFUL: usize = 5;

/// If the confidence of a page is below this, in percent, it may be rotated.
const SURE: f64 = 85.0;

/// If the confidence of a page is below this, in percent, it is illegible; all rotations are tried if its orientation is unknown.
const LEGIBLE: f64 = 60.0;

/// A rotation is used if it raises the confidence by at least this, in percent.
const BETTER: f64 = 5.0;

/// Result of reading the pages.
struct Read {
    pages: BTreeMap<u32, Recognised>,
    /// Pages that failed, with the reasons, one sentence each.
    failed: Vec<String>,
    left: Vec<u32>,
    /// Charge for the texts, until the document exists.
    charge: Charge,
}

/// Recognises the text of the `scanned` pages of a file and inserts it into `content`. Returns the pages that were not tried, and
/// whether any was read.
///
/// # Errors
///
/// [`ErrorKind::Limit`] - there is no memory for it. All other errors become warnings of the document.
pub(super) async fn pages(
    readers: &Readers<'_>,
    ocr: &OcrOptions,
    file: (&Arc<[u8]>, Option<&str>),
    scanned: &[u32],
    content: &mut Content,
) -> Result<(Vec<u32>, bool)> {
    let Some(drawer) = readers.registry.reader_with_progress(DRAWN, readers.on_compiling).await?
    else {
        return Ok((scanned.to_vec(), false));
    };
    let (time, pages) = readers.budget.ocr(ocr);
    let wanted = &scanned[..scanned.len().min(pages)];
    let start = tokio::time::Instant::now();
    let deadline = start + time;
    let mut read = Read {
        pages: BTreeMap::new(),
        failed: Vec::new(),
        left: Vec::new(),
        charge: readers.memory.nothing(),
    };
    let mut lots: VecDeque<&[u32]> = wanted.chunks(LOT).collect();
    while let Some(lot) = lots.pop_front() {
        let drawing = draw(readers, &drawer, file, (lot, 0), &mut read);
        let pictures = match tokio::time::timeout_at(deadline, drawing).await {
            Ok(Some(pictures)) => pictures?,
            // The lot failed because it is too large as a whole, so each page is tried alone.
            Ok(None) => {
                lot.chunks(1).rev().for_each(|page| lots.push_front(page));
                continue;
            }
            Err(_) => {
                lots.push_front(lot);
                break;
            }
        };
        for (page, turns) in recognise(ocr, deadline, pictures, &mut read).await? {
            let lot = [page];
            for turn in turns {
                let drawing = draw(readers, &drawer, file, (&lot[..], turn), &mut read);
                let Ok(drawn) = tokio::time::timeout_at(deadline, drawing).await else { break };
                let Some(drawn) = drawn.transpose()? else { continue };
                turned(ocr, deadline, drawn, (page, turn), &mut read).await?;
            }
        }
    }
    readers.budget.spend_ocr(start.elapsed(), wanted.len());
    // Pages for which there was no time, and those above the limit.
    read.left.extend(lots.into_iter().flatten());
    read.left.extend(&scanned[wanted.len()..]);
    read.left.sort_unstable();
    content.warnings.extend(ocr.engine.warnings().await);
    add_warnings(ocr, &read, content).await;
    put(&read.pages, content);
    Ok((read.left, !read.pages.is_empty()))
}

/// Draws a lot of pages, rotated clockwise by these degrees, and records the pages that cannot be drawn. Returns `None` if the
/// pages of the lot must be drawn one by one, or if a page cannot be rotated.
async fn draw(
    readers: &Readers<'_>,
    drawer: &Reader,
    (bytes, password): (&Arc<[u8]>, Option<&str>),
    (lot, turn): (&[u32], u32),
    read: &mut Read,
) -> Option<Result<Drawn>> {
    let copy = readers.memory.charge(bytes.len() as u64).map_err(Error::reached);
    let _copy = match copy {
        Ok(copy) => copy,
        Err(error) => return Some(Err(error)),
    };
    let name = |page: &u32| if turn == 0 { page.to_string() } else { format!("{page}@{turn}") };
    let name = lot.iter().map(name).collect::<Vec<_>>().join(",");
    let file = ReaderFile { name: &name, extension: DRAWN, password };
    let output =
        drawer.prepared().read(bytes.clone(), file, &readers.with(drawer, bytes.len())).await;
    let which = super::pages(lot);
    let failed = match output.result {
        Ok(Ok(drawn)) if turn == 0 || drawn.warnings.is_empty() => {
            read.failed.extend(drawn.warnings.iter().map(|it| format!("{it}: it was not read")));
            return Some(Ok(Drawn { files: drawn.parts.files, _charge: drawn.parts.charge }));
        }
        // It was read without rotation.
        _ if turn != 0 => return None,
        Ok(Ok(_)) => return None,
        Ok(Err(failure)) => failure.text,
        Err(_) if lot.len() > 1 => return None,
        Err(error) => format!("drawing it for recognition ended: {error}"),
    };
    read.failed.push(format!("{which} not read: {failed}"));
    Some(Ok(Drawn::default()))
}

/// Pictures of pages, and their charge.
#[derive(Default)]
struct Drawn {
    files: Vec<(String, Vec<u8>)>,
    _charge: Charge,
}

/// Recognises a lot, with its pages in parallel as far as the engine allows. Returns the pages that may lie on their side or
/// upside down, with the rotations to try.
async fn recognise(
    ocr: &OcrOptions,
    deadline: tokio::time::Instant,
    drawn: Drawn,
    read: &mut Read,
) -> Result<Vec<(u32, Vec<u32>)>> {
    let Drawn { files, _charge } = drawn;
    let mut lying = Vec::new();
    let mut tasks = tokio::task::JoinSet::new();
    for (name, png) in files {
        let Some(page) = name.strip_suffix(".png").and_then(|page| page.parse::<u32>().ok()) else {
            continue;
        };
        let engine = ocr.engine.clone();
        tasks.spawn(async move {
            let picture = Picture::new(png);
            let recognising = engine.recognise(picture.clone());
            let recognised = tokio::time::timeout_at(deadline, recognising).await;
            let certain = match &recognised {
                Ok(Ok(recognised)) => recognised.confidence.unwrap_or(0.0),
                _ => return (page, recognised, Vec::new()),
            };
            if certain >= SURE {
                return (page, recognised, Vec::new());
            }
            let turn = tokio::time::timeout_at(deadline, engine.turned(picture)).await;
            let turns = match turn {
                Ok(Some(0)) => Vec::new(),
                Ok(Some(turn)) => vec![turn],
                Ok(None) if certain < LEGIBLE => vec![180, 90, 270],
                _ => Vec::new(),
            };
            (page, recognised, turns)
        });
    }
    // Dropping it ends the running tasks.
    while let Some(done) = tasks.join_next().await {
        match done {
            Ok((page, Ok(Ok(recognised)), turns)) => {
                read.charge.grow(bytes(&recognised)).map_err(Error::reached)?;
                read.pages.insert(page, recognised);
                if !turns.is_empty() {
                    lying.push((page, turns));
                }
            }
            Ok((page, Ok(Err(error)), _)) if *error.kind() != ErrorKind::Cancelled => {
                read.failed.push(format!("page {page} was not read: {error}"));
            }
            // Its time is over.
            Ok((page, ..)) => read.left.push(page),
            Err(error) => read.failed.push(format!("a page was not read: {error}")),
        }
    }
    Ok(lying)
}

/// Recognises a rotated page, and keeps the result if it is better than before.
async fn turned(
    ocr: &OcrOptions,
    deadline: tokio::time::Instant,
    drawn: Drawn,
    (page, turn): (u32, u32),
    read: &mut Read,
) -> Result<()> {
    let Drawn { files, _charge } = drawn;
    let Some((_, png)) = files.into_iter().next() else { return Ok(()) };
    let recognising = ocr.engine.recognise(Picture::new(png));
    let recognised = tokio::time::timeout_at(deadline, recognising).await;
    // Otherwise the result without rotation stays.
    let (Ok(Ok(recognised)), Some(before)) = (recognised, read.pages.get(&page)) else {
        return Ok(());
    };
    if is_better(&recognised, before) {
        read.charge.grow(bytes(&recognised)).map_err(Error::reached)?;
        read.pages.insert(page, Recognised { turned: turn, ..recognised });
    }
    Ok(())
}

/// Returns whether more was recognised, with a higher confidence.
fn is_better(recognised: &Recognised, before: &Recognised) -> bool {
    let certain = |it: &Recognised| it.confidence.unwrap_or(0.0);
    let letters = |it: &Recognised| it.text.chars().filter(|c| c.is_alphanumeric()).count() as f64;
    certain(recognised) >= certain(before) + BETTER
        && letters(recognised) * certain(recognised) > letters(before) * certain(before)
}

/// Returns the bytes that it occupies.
fn bytes(recognised: &Recognised) -> u64 {
    let doubtful = recognised.doubtful.iter().map(String::len).sum::<usize>();
    (recognised.text.len() + doubtful) as u64
}

/// Adds warnings: what was recognised, with which confidence, and what is missing.
async fn add_warnings(ocr: &OcrOptions, read: &Read, content: &mut Content) {
    read.failed.iter().for_each(|it| content.warnings.push(text::one_line(it)));
    if read.pages.is_empty() {
        return;
    }
    let numbers: Vec<u32> = read.pages.keys().copied().collect();
    let ranges = ranges(&numbers);
    let mut add = |name: &str, value: String| content.metadata.push((name.to_owned(), value));
    add("ocr", text::shortened(&text::one_line(&ocr.engine.name().await), 100));
    add("ocr pages", ranges.clone());
    let mean = mean(read.pages.values());
    let warning = match mean {
        Some(mean) => {
            add("ocr confidence", format!("{mean:.0} %"));
            format!(
                "the text of {} was recognised in pictures, ocr confidence {mean:.0} %",
                named(&numbers, &ranges)
            )
        }
        None => format!("the text of {} was recognised in pictures", named(&numbers, &ranges)),
    };
    content.warnings.push(warning);
    for turn in [90, 180, 270] {
        let turned = read.pages.iter().filter(|(_, it)| it.turned == turn);
        let turned: Vec<u32> = turned.map(|(page, _)| *page).collect();
        if !turned.is_empty() {
            let pages = named(&turned, &self::ranges(&turned));
            content.warnings.push(format!("{pages}: turned by {turn}° clockwise to be read"));
        }
    }
    let nothing: Vec<u32> = read
        .pages
        .iter()
        .filter(|(_, it)| it.text.trim().is_empty())
        .map(|(page, _)| *page)
        .collect();
    if !nothing.is_empty() {
        let pages = named(&nothing, &self::ranges(&nothing));
        content.warnings.push(format!("nothing legible was found on {pages}"));
    }
    let doubtful = read.pages.iter().filter(|(_, it)| !it.doubtful.is_empty());
    for (page, recognised) in doubtful.take(MAX_DOUBTFUL) {
        let lines = recognised
            .doubtful
            .iter()
            .map(|line| format!("`{}`", text::shortened(&text::one_line(line), MAX_LINE)));
        let lines = lines.collect::<Vec<_>>().join(", ");
        content.warnings.push(format!("page {page}: these lines are not certain: {lines}"));
    }
}

/// Returns the mean confidence of all pages, weighted by their letters.
fn mean<'p>(pages: impl Iterator<Item = &'p Recognised>) -> Option<f64> {
    let (mut sum, mut letters) = (0.0, 0.0);
    for page in pages {
        if let Some(confidence) = page.confidence {
            let count = page.text.chars().count().max(1) as f64;
            sum += count * confidence;
            letters += count;
        }
    }
    (letters > 0.0).then(|| sum / letters)
}

/// Inserts each page at its place: after other content of the page, before the next page.
fn put(pages: &BTreeMap<u32, Recognised>, content: &mut Content) {
    let (given, places) =
        (std::mem::take(&mut content.markdown), std::mem::take(&mut content.places));
    let number = |place: &Place| place.label.strip_prefix("page ")?.parse::<u32>().ok();
    // A single page needs no place.
    let is_alone = places.is_empty() && given.is_empty() && pages.len() == 1;
    let mut out = Growing::default();
    let mut rest = given.chars();
    let (mut taken, mut next) = (0, 0);
    for (page, recognised) in pages.iter().filter(|(_, it)| !it.text.trim().is_empty()) {
        let later = places.iter().position(|place| number(place).is_some_and(|it| it > *page));
        let later = later.unwrap_or(places.len()).max(next);
        let until = places.get(later).map_or(u64::MAX, |place| place.offset);
        let moved = |place: &Place, out: &Growing| Place {
            offset: place.offset + out.added,
            label: place.label.clone(),
        };
        content.places.extend(places[next..later].iter().map(|place| moved(place, &out)));
        next = later;
        let piece: String = rest
            .by_ref()
            .take(until.saturating_sub(taken).min(usize::MAX as u64) as usize)
            .collect();
        taken += out.give(&piece);
        out.part();
        if !is_alone && !places.iter().any(|place| number(place) == Some(*page)) {
            content.places.push(Place { offset: out.characters, label: format!("page {page}") });
        }
        out.add(&as_markdown(&recognised.text));
    }
    let added = out.added;
    let moved = |place: Place| Place { offset: place.offset + added, ..place };
    content.places.extend(places.into_iter().skip(next).map(moved));
    out.give(rest.as_str());
    content.markdown = out.text;
}

/// Text that grows.
#[derive(Default)]
struct Growing {
    text: String,
    characters: u64,
    /// Number of characters that were added to the original text.
    added: u64,
}

impl Growing {
    /// Appends original text, and returns the number of its characters.
    fn give(&mut self, text: &str) -> u64 {
        let count = text.chars().count() as u64;
        self.text.push_str(text);
        self.characters += count;
        count
    }

    fn add(&mut self, text: &str) {
        self.added += self.give(text);
    }

    /// Begins a new paragraph.
    fn part(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.add(if self.text.ends_with('\n') { "\n" } else { "\n\n" });
        }
    }
}

/// Escapes a text so that nothing in it is Markdown by accident.
fn as_markdown(recognised: &str) -> String {
    let mut text = String::new();
    for line in text::shortened(recognised, MAX_CHARACTERS).lines() {
        let line = line.trim_end();
        let is_mark =
            |c: char| matches!(c, '#' | '>' | '|' | '`' | '~' | '=' | '<' | '-' | '+' | '*');
        if line.trim_start().starts_with(is_mark) {
            text.push('\\');
        }
        text.push_str(line.trim_start());
        text.push('\n');
    }
    text.push('\n');
    text
}

/// Formats numbers as ranges: `1-3, 7`.
fn ranges(numbers: &[u32]) -> String {
    const SHOWN: usize = 12;
    let runs: Vec<&[u32]> = numbers.chunk_by(|a, b| a + 1 == *b).collect();
    let mut shown: Vec<String> = runs
        .iter()
        .take(SHOWN)
        .filter_map(|run| match (run.first()?, run.last()?) {
            (first, last) if first == last => Some(first.to_string()),
            (first, last) => Some(format!("{first}-{last}")),
        })
        .collect();
    if runs.len() > SHOWN {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

fn named(numbers: &[u32], ranges: &str) -> String {
    if numbers.len() == 1 { format!("page {ranges}") } else { format!("pages {ranges}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Recognised {
        Recognised { text: text.to_owned(), ..Recognised::default() }
    }

    fn put_into(
        markdown: &str,
        places: &[(&str, &str)],
        pages: &[(u32, &str)],
    ) -> (String, Vec<String>) {
        let place = |(at, label): &(&str, &str)| Place {
            offset: markdown[..markdown.find(at).unwrap()].chars().count() as u64,
            label: (*label).to_owned(),
        };
        let places = places.iter().map(place).collect();
        let mut content = Content { markdown: markdown.to_owned(), places, ..Content::default() };
        put(&pages.iter().map(|(number, text)| (*number, page(text))).collect(), &mut content);
        let beginning = |place: &Place| {
            let text: String =
                content.markdown.chars().skip(place.offset as usize).take(4).collect();
            format!("{}: {text}", place.label)
        };
        (content.markdown.clone(), content.places.iter().map(beginning).collect())
    }

    #[test]
    fn pages_stand_where_they_are_in_the_document() {
        let (text, places) = put_into(
            "第二页 text\n\n## Chapter\n\nmore\n\n第四页",
            &[("第二", "page 2"), ("## C", "chapter 1"), ("第四", "page 4")],
            &[(1, "one"), (2, "two"), (3, "# three"), (5, "five")],
        );
        assert_eq!(
            text,
            "one\n\n第二页 text\n\n## Chapter\n\nmore\n\ntwo\n\n\\# three\n\n第四页\n\nfive\n\n"
        );
        assert_eq!(
            places,
            [
                "page 1: one\n",
                "page 2: 第二页 ",
                "chapter 1: ## C",
                "page 3: \\# t",
                "page 4: 第四页\n",
                "page 5: five"
            ]
        );
    }

    #[test]
    fn a_turned_page_counts_if_it_is_better_by_both() {
        let read = |text: &str, confidence| Recognised { confidence, ..page(text) };
        let before = read("l1I1 ll|I1 lIl1", Some(43.0));
        assert!(is_better(&read("words that are legible", Some(93.0)), &before));
        assert!(is_better(&read("words", Some(93.0)), &read("", None)));
        // A single word is not the text of the page, and garbage is illegible in either rotation.
        assert!(!is_better(&read("on", Some(93.0)), &before));
        assert!(!is_better(&read("l1I1 ll|I1 lIl1 more of it", Some(45.0)), &before));
    }

    #[test]
    fn a_picture_of_one_page_is_its_text() {
        assert_eq!(put_into("", &[], &[(1, "text")]), ("text\n\n".to_owned(), Vec::new()));
        let (text, places) = put_into("", &[], &[(1, "a"), (2, " "), (3, "c")]);
        assert_eq!((text.as_str(), places.len()), ("a\n\nc\n\n", 2));
    }

    #[test]
    fn numbers_are_told_in_short() {
        assert_eq!(ranges(&[1, 2, 3, 7]), "1-3, 7");
        let odd: Vec<u32> = (0..40).map(|n| 2 * n + 1).collect();
        assert!(ranges(&odd).ends_with("23, …"), "{}", ranges(&odd));
    }
}
