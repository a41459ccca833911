//! What of an answer goes to S3, so that the rest fits. It is decided before anything is written there.

use super::made_file::{FilePlace, MadeFile};
use super::payload::Reader;
use mitt::value::Json;
use mitt_base::{Error, Resource, Result};

/// Bytes around a key of the answer, whose quotes may be escaped.
const AROUND_KEY: u64 = 8;

/// Key of the result in an answer.
pub(super) const RESULT_KEY: &str = "result";

/// Name of an object that is a result.
pub(super) const RESULT: (&str, &str) = ("result.json", "application/json");

/// Bytes of size and digest beside the link to a result.
const AROUND_RESULT: u64 = 256;

/// Folder of the files of a task, so that none replaces its result.
pub(super) const FILES: &str = "files";

/// Way out of an answer whose parts do not fit although files are in S3.
const FEWER: &str = "make fewer files, return less, or print less";

/// Bytes of an answer without its files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) all: u64,
    /// Bytes of the result among them.
    pub(super) result: u64,
}

impl Sizes {
    /// Returns the sizes of these members, as they are counted for the reader.
    pub(super) fn of(members: &[(String, Json)], reader: Reader) -> Sizes {
        let mut sizes = Sizes { all: reader.around(), result: 0 };
        for (key, value) in members {
            let value = reader.size(&value.to_string());
            if key == RESULT_KEY {
                sizes.result = value;
            }
            sizes.all += value + key.len() as u64 + AROUND_KEY;
        }
        sizes
    }
}

/// What goes to S3, so that the rest fits into the answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) has_result: bool,
    /// Indexes of files.
    pub(super) files: Vec<usize>,
}

impl Plan {
    /// Returns the plan for files beside a result: the largest files go, and the result only if that does not suffice. All files go
    /// if nobody reads the answer. `link_bytes` returns the bytes of the link to an object in a folder of the task.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the rest and the links do not fit. Those of `link_bytes`.
    pub(super) fn of(
        sizes: Sizes,
        files: &[MadeFile],
        reader: Reader,
        link_bytes: impl Fn(&[&str], &str) -> Result<u64>,
    ) -> Result<Plan> {
        let most = reader.most();
        let is_inside = |at: &usize| matches!(files[*at].place, FilePlace::Answer);
        let mut inside: Vec<usize> = (0..files.len()).filter(is_inside).collect();
        if reader == Reader::Nobody {
            return Ok(Plan { has_result: sizes.all > most, files: inside });
        }
        let of_files = files.iter().map(|file| file.encoded(reader));
        let mut all = of_files.fold(sizes.all, u64::saturating_add);
        if all <= most {
            return Ok(Plan::default());
        }
        // A link to something short is longer than that itself.
        let result_link = link_bytes(&[], RESULT.0)? + AROUND_RESULT;
        let of_result = sizes.result.saturating_sub(result_link);
        let mut plan = Plan { has_result: sizes.all > most && of_result > 0, files: Vec::new() };
        if plan.has_result {
            all = all.saturating_sub(of_result);
        }
        inside.sort_by_key(|at| std::cmp::Reverse(files[*at].size));
        for at in inside {
            if all <= most {
                break;
            }
            let file = &files[at];
            let of_file = file.content_bytes().saturating_sub(link_bytes(&[FILES], &file.name)?);
            if of_file > 0 {
                all = all.saturating_sub(of_file);
                plan.files.push(at);
            }
        }
        if all > most && !plan.has_result && of_result > 0 {
            all = all.saturating_sub(of_result);
            plan.has_result = true;
        }
        if all > most {
            return Err(too_large("answer", reader, all).hint(FEWER));
        }
        Ok(plan)
    }
}

/// Returns the error of a part of an answer that is too large.
pub(super) fn too_large(what: &str, reader: Reader, got: u64) -> Error {
    Error::limit(Resource::Transfer, reader.most(), got).at(what)
}

#[cfg(test)]
mod tests {
    use super::super::made_file::file;
    use super::super::payload::MAX_PAYLOAD_BYTES;
    use super::*;

    const MOST: u64 = MAX_PAYLOAD_BYTES as u64;

    /// Bytes of each link in plans.
    const LINK: u64 = 1_500;

    fn files(sizes: &[u64]) -> Vec<MadeFile> {
        sizes.iter().map(|size| file("a", *size, None)).collect()
    }

    fn plan((all, result): (u64, u64), files: &[MadeFile], reader: Reader) -> Result<Plan> {
        Plan::of(Sizes { all, result }, files, reader, |_, _| Ok(LINK))
    }

    #[test]
    fn the_largest_files_go_elsewhere_until_the_others_fit() {
        for (sizes, expected) in [
            (&[10, 20][..], &[][..]),
            (&[10, MOST, 20], &[1]),
            (&[MOST, 10, MOST - 1], &[0, 2]),
            (&[MOST / 3, MOST / 2, 7], &[1]),
        ] {
            let plan = plan((100, 20), &files(sizes), Reader::Caller).unwrap();
            assert_eq!((plan.has_result, &plan.files[..]), (false, expected), "{sizes:?}");
        }
        let of_nobody = plan((100, 20), &files(&[1, 2]), Reader::Nobody).unwrap();
        assert_eq!(of_nobody, Plan { has_result: false, files: vec![0, 1] });
        let on_disk = [file("a", MOST, Some("/mnt/a"))];
        assert!(plan((100, 20), &on_disk, Reader::Nobody).unwrap().files.is_empty());
    }

    #[test]
    fn a_result_goes_elsewhere_if_files_do_not_suffice() {
        // Parts that fit alone, and not together.
        let both = plan((MOST - 3_000, MOST - 4_000), &files(&[60_000]), Reader::Caller).unwrap();
        assert_eq!(both, Plan { has_result: false, files: vec![0] });
        let small: Vec<u64> = vec![900; 1_000];
        let result = plan((MOST - 3_000, MOST - 4_000), &files(&small), Reader::Caller).unwrap();
        assert_eq!(result, Plan { has_result: true, files: Vec::new() }, "links are longer");
        // One that is too large alone goes first.
        let large = plan((MOST + 1, MOST - 99), &files(&[60_000]), Reader::Caller).unwrap();
        assert_eq!(large, Plan { has_result: true, files: Vec::new() });
        // What was printed goes nowhere, so nothing is written.
        let error = plan((MOST + 5_000, 2_000), &files(&[MOST]), Reader::Caller).unwrap_err();
        let error = error.render();
        assert!(error.starts_with("answer: ") && error.contains("fewer files"), "{error}");
        assert!(!error.contains("--results"), "{error}");
        // Links have to fit too.
        let many: Vec<u64> = vec![2_000; 5_000];
        assert!(plan((100, 20), &files(&many), Reader::Caller).is_err());
    }
}
