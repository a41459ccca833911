//! Which bytes of a file a signature covers, and what follows it. Gaps that are not the signature itself hide content:
//! nobody signed it, but readers show it.

use std::ops::Range;

/// Most ranges that are looked at. A signature of PDF has two.
const MAX_RANGES: usize = 64;

/// What the byte range of a signature covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All bytes of the file but the signature itself.
    WholeFile,
    /// All bytes of an earlier revision but the signature itself. More was appended later.
    EarlierRevision {
        /// Where the signed revision ends.
        end: usize,
        /// How many bytes follow it.
        appended_bytes: usize,
        /// How many complete revisions follow it.
        later_revisions: usize,
        /// `true` if the last byte that follows is part of a complete revision.
        ends_complete: bool,
    },
    /// Something else. The file may show what nobody signed.
    Suspicious {
        /// What is wrong, one sentence each.
        problems: Vec<String>,
    },
}

/// The checked byte range.
pub(crate) struct Ranges {
    pub(crate) coverage: Coverage,
    /// The signed parts that lie in the file; `None` if the range reaches beyond the file or makes no sense.
    pub(crate) parts: Option<Vec<Range<usize>>>,
}

impl Ranges {
    pub(crate) fn slices<'a>(&self, pdf: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let parts = self.parts.as_ref()?;
        parts.iter().map(|part| pdf.get(part.clone())).collect()
    }
}

/// Compares a byte range with the file, and the gap with the signature's own contents.
pub(crate) fn check(pdf: &[u8], byte_range: &[i64], contents: &[u8]) -> Ranges {
    let parts = match read(pdf.len(), byte_range) {
        Ok(parts) => parts,
        Err(problem) => {
            return Ranges {
                coverage: Coverage::Suspicious { problems: vec![problem] },
                parts: None,
            };
        }
    };
    let mut problems = Vec::new();
    if parts.len() != 2 {
        problems.push(format!("expected two parts in the byte range, got {}", parts.len()));
    }
    if parts[0].start != 0 {
        problems.push(format!("the first {} bytes of the file are not signed", parts[0].start));
    }
    for (index, pair) in parts.windows(2).enumerate() {
        let gap = pair[0].end..pair[1].start;
        // Only the first gap can be the signature.
        let problem = if index == 0 {
            gap_problem(&pdf[gap.clone()], contents)
        } else {
            Some("is not signed".to_owned())
        };
        if let Some(problem) = problem {
            problems.push(format!("the gap in bytes {} to {} {problem}", gap.start, gap.end));
        }
    }
    let end = parts.last().map_or(0, |part| part.end);
    let rest = &pdf[end..];
    let is_revision = ends_a_revision(&pdf[..end]);
    if !is_revision {
        problems.push(format!(
            "the signed part ends at byte {end}, which is not the end of a revision"
        ));
    }
    let coverage = if !problems.is_empty() {
        Coverage::Suspicious { problems }
    } else if rest.iter().all(|byte| is_space(*byte)) {
        Coverage::WholeFile
    } else {
        let later_revisions = places(rest, b"%%EOF").count();
        let ends_complete = later_revisions > 0 && ends_a_revision(rest);
        Coverage::EarlierRevision {
            end,
            appended_bytes: rest.len(),
            later_revisions,
            ends_complete,
        }
    };
    Ranges { coverage, parts: Some(parts) }
}

fn read(file_bytes: usize, byte_range: &[i64]) -> Result<Vec<Range<usize>>, String> {
    if byte_range.is_empty()
        || !byte_range.len().is_multiple_of(2)
        || byte_range.len() > 2 * MAX_RANGES
    {
        return Err(format!(
            "expected two pairs of numbers in the byte range, got {} numbers",
            byte_range.len()
        ));
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for pair in byte_range.chunks_exact(2) {
        let (Ok(start), Ok(length)) = (usize::try_from(pair[0]), usize::try_from(pair[1])) else {
            return Err(format!("the byte range has a negative number: {} {}", pair[0], pair[1]));
        };
        let end = start.checked_add(length).filter(|end| *end <= file_bytes);
        let Some(end) = end else {
            return Err(format!(
                "the byte range {start} + {length} reaches beyond the file of {file_bytes} bytes"
            ));
        };
        if parts.last().is_some_and(|before| start < before.end) {
            return Err(format!(
                "the part of the byte range that begins at {start} overlaps the one before it"
            ));
        }
        parts.push(start..end);
    }
    Ok(parts)
}

/// Returns what is wrong with the gap, which must hold the contents in hexadecimal and nothing else.
fn gap_problem(gap: &[u8], contents: &[u8]) -> Option<String> {
    let Some(inner) = gap.strip_prefix(b"<").and_then(|rest| rest.strip_suffix(b">")) else {
        return Some("is not exactly the signature".to_owned());
    };
    match decode_hex(inner) {
        None => Some("holds more than the signature".to_owned()),
        Some(bytes) if bytes != contents => Some("holds other bytes than the signature".to_owned()),
        Some(_) => None,
    }
}

/// Returns the bytes that hexadecimal digits stand for; `None` if there is anything but digits and white space.
pub(crate) fn decode_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    let mut high = None;
    for byte in digits {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            byte if is_space(*byte) => continue,
            _ => return None,
        };
        match high.take() {
            None => high = Some(digit << 4),
            Some(first) => bytes.push(first | digit),
        }
    }
    // A missing last digit is 0.
    bytes.extend(high);
    Some(bytes)
}

fn ends_a_revision(signed: &[u8]) -> bool {
    let trailing = signed.iter().rev().take_while(|byte| is_space(**byte)).count();
    signed[..signed.len() - trailing].ends_with(b"%%EOF")
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0c | 0)
}

/// Returns where `needle` begins in `text`, each place.
pub(crate) fn places<'a>(text: &'a [u8], needle: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let mut at = 0;
    std::iter::from_fn(move || {
        let found = at + text[at..].windows(needle.len()).position(|window| window == needle)?;
        at = found + needle.len();
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b"%PDF-1.7 abc <0102> def\n%%EOF\n";

    fn problems(pdf: &[u8], range: &[i64], contents: &[u8]) -> String {
        match check(pdf, range, contents).coverage {
            Coverage::Suspicious { problems } => problems.join("; "),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_range_around_the_contents_covers_the_file() {
        let range = [0, 13, 19, 11];
        assert_eq!(check(FILE, &range, &[1, 2]).coverage, Coverage::WholeFile);
        let more = [FILE, b"1 0 obj endobj startxref 1\n%%EOF\n"].concat();
        let expected = Coverage::EarlierRevision {
            end: 30,
            appended_bytes: 33,
            later_revisions: 1,
            ends_complete: true,
        };
        assert_eq!(check(&more, &range, &[1, 2]).coverage, expected);
        let cut = [FILE, b"1 0 obj"].concat();
        let expected = Coverage::EarlierRevision {
            end: 30,
            appended_bytes: 7,
            later_revisions: 0,
            ends_complete: false,
        };
        assert_eq!(check(&cut, &range, &[1, 2]).coverage, expected);
    }

    #[test]
    fn gaps_that_are_not_the_contents_are_suspicious() {
        assert!(
            problems(FILE, &[0, 12, 19, 11], &[1, 2])
                .contains("bytes 12 to 19 is not exactly the signature")
        );
        assert!(problems(FILE, &[0, 13, 20, 10], &[1, 2]).contains("is not exactly the signature"));
        assert!(problems(FILE, &[0, 13, 19, 11], &[1, 3]).contains("holds other bytes"));
        let hidden = b"%PDF-1.7 abc <01> /Evil <02> def\n%%EOF\n";
        assert!(problems(hidden, &[0, 13, 28, 11], &[1]).contains("holds more than the signature"));
        assert!(problems(FILE, &[1, 12, 19, 11], &[1, 2]).contains("the first 1 bytes"));
        assert!(problems(FILE, &[0, 13, 19, 4], &[1, 2]).contains("not the end of a revision"));
        assert!(problems(FILE, &[0, 13, 19, 2, 22, 8], &[1, 2]).contains("got 3"));
        assert!(problems(FILE, &[0, 30], &[1, 2]).contains("got 1"));
    }

    #[test]
    fn ranges_that_make_no_sense_give_no_parts() {
        for range in [
            &[][..],
            &[0, 1, 2],
            &[0, 13, 19, 12],
            &[0, 13, 12, 4],
            &[0, -1, 19, 11],
            &[0, i64::MAX, 1, 1],
        ] {
            let ranges = check(FILE, range, &[1, 2]);
            assert!(ranges.parts.is_none(), "{range:?}");
            assert!(matches!(ranges.coverage, Coverage::Suspicious { .. }));
        }
        assert!(check(FILE, &vec![0; 2 * MAX_RANGES + 2], &[1, 2]).parts.is_none());
    }
}
