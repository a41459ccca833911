//! Forms with files (`multipart/form-data`), read piece by piece.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::stream;

use super::refusal::refused;
use crate::problem::Problem;
use mitt_serve::http::BodyPieces;

/// Largest value of a field that is not a file, in bytes.
const MOST_FIELD_BYTES: usize = 1024 * 1024;
/// Most fields of a form.
const MOST_FIELDS: usize = 1_000;
/// Most bytes that are read for one step of the parser: the header of a field, or the text before the first one. The parser
/// would collect them without a bound.
const MOST_STEP_BYTES: usize = 256 * 1024;

/// A form that is being read.
pub(crate) struct Form {
    multipart: multer::Multipart<'static>,
    fields: usize,
    step: Arc<AtomicUsize>,
}

/// A field of a form. Read it to its end before the next one.
pub(crate) struct FormField {
    /// Name of the field.
    pub(crate) name: String,
    /// Name of the file, if the field is a file.
    pub(crate) file_name: Option<String>,
    /// Media type of the file, if the client named one.
    pub(crate) media_type: Option<String>,
    field: multer::Field<'static>,
    step: Arc<AtomicUsize>,
}

impl Form {
    pub(super) fn of_body(media_type: &str, pieces: BodyPieces) -> Result<Form, Problem> {
        let pieces = stream::unfold(Some(pieces), |pieces| async {
            let mut pieces = pieces?;
            match pieces.next().await {
                Ok(Some(piece)) => Some((Ok(piece), Some(pieces))),
                Ok(None) => None,
                Err(refusal) => Some((Err(refused(refusal)), None)),
            }
        });
        Form::new(media_type, pieces)
    }

    fn new(
        media_type: &str,
        pieces: impl Stream<Item = Result<Bytes, Problem>> + Send + 'static,
    ) -> Result<Form, Problem> {
        let boundary = multer::parse_boundary(media_type).map_err(|_| {
            let detail = "expected a body of `multipart/form-data` with a boundary";
            Problem::new(415, "unsupported_media_type", detail)
        })?;
        let step = Arc::new(AtomicUsize::new(0));
        let state = (Some(Box::pin(pieces)), step.clone());
        let bounded = stream::unfold(state, |(pieces, step)| async {
            use futures_util::StreamExt as _;
            let mut pieces = pieces?;
            // The parser takes everything that is ready into its buffer. So nothing is ready twice in a row.
            tokio::task::yield_now().await;
            let piece = match pieces.next().await? {
                Ok(piece) => piece,
                Err(problem) => return Some((Err(FormError(problem)), (None, step))),
            };
            let held = step.fetch_add(piece.len(), Ordering::Relaxed);
            if held > MOST_STEP_BYTES {
                let detail = format!("a field's header has more than {MOST_STEP_BYTES} bytes");
                let problem = Problem::new(413, "too_large", detail);
                return Some((Err(FormError(problem)), (None, step)));
            }
            Some((Ok::<Bytes, FormError>(piece), (Some(pieces), step)))
        });
        Ok(Form { multipart: multer::Multipart::new(bounded, boundary), fields: 0, step })
    }

    /// Returns the next field; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<FormField>, Problem> {
        self.step.store(0, Ordering::Relaxed);
        let Some(field) = self.multipart.next_field().await.map_err(wrong)? else {
            return Ok(None);
        };
        self.fields += 1;
        if self.fields > MOST_FIELDS {
            let detail = format!("a form has at most {MOST_FIELDS} fields");
            return Err(Problem::new(413, "too_large", detail));
        }
        Ok(Some(FormField {
            name: field.name().unwrap_or_default().to_owned(),
            file_name: field.file_name().map(str::to_owned),
            media_type: field.content_type().map(|it| it.to_string()),
            field,
            step: self.step.clone(),
        }))
    }
}

impl FormField {
    /// Returns the next piece of the field; `None` at its end.
    pub(crate) async fn piece(&mut self) -> Result<Option<Bytes>, Problem> {
        self.step.store(0, Ordering::Relaxed);
        self.field.chunk().await.map_err(wrong)
    }

    /// Returns the whole field as text, which has at most 1 MiB.
    pub(crate) async fn text(mut self) -> Result<String, Problem> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece().await? {
            if bytes.len() + piece.len() > MOST_FIELD_BYTES {
                let detail = format!(
                    "the field `{}` has more than {MOST_FIELD_BYTES} bytes; send it as a file",
                    shown(&self.name)
                );
                return Err(Problem::new(413, "too_large", detail));
            }
            bytes.extend_from_slice(&piece);
        }
        String::from_utf8(bytes).map_err(|_| {
            let detail = format!("the field `{}` is not UTF-8", shown(&self.name));
            Problem::bad("invalid_body", detail)
        })
    }

    /// Reads the field to its end and ignores it.
    pub(crate) async fn skip(mut self) -> Result<(), Problem> {
        while self.piece().await?.is_some() {}
        Ok(())
    }
}

/// Returns the name of a field for a message.
fn shown(name: &str) -> String {
    mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 100))
}

/// An error of the body below a form.
#[derive(Debug)]
struct FormError(Problem);

impl std::fmt::Display for FormError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl std::error::Error for FormError {}

fn wrong(error: multer::Error) -> Problem {
    if let multer::Error::StreamReadFailed(inner) = &error
        && let Some(FormError(problem)) = inner.downcast_ref::<FormError>()
    {
        return problem.clone();
    }
    Problem::bad("invalid_body", format!("the form cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEDIA_TYPE: &str = "multipart/form-data; boundary=XX";

    /// Returns a form whose body arrives in pieces of `size` bytes.
    fn form(body: &[u8], size: usize) -> Form {
        let pieces: Vec<_> = body.chunks(size).map(|it| Ok(Bytes::copy_from_slice(it))).collect();
        Form::new(MEDIA_TYPE, stream::iter(pieces)).unwrap()
    }

    fn part(name: &str, file: Option<&str>, content: &str) -> String {
        let file = file.map_or_else(String::new, |it| {
            format!("; filename=\"{it}\"\r\nContent-Type: text/csv")
        });
        format!(
            "--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
        )
    }

    #[tokio::test]
    async fn fields_and_files_are_read_whatever_their_pieces() {
        let body = [
            part("instruction", None, "Compare.\r\n--X"),
            part("document", Some("销售.csv"), "a,b\n1,2\n"),
            "--XX--\r\n".to_owned(),
        ]
        .concat();
        for size in [1, 2, 7, 1_000] {
            let mut form = form(body.as_bytes(), size);
            let field = form.next().await.unwrap().unwrap();
            assert_eq!((field.name.as_str(), field.file_name.is_some()), ("instruction", false));
            assert_eq!(field.text().await.unwrap(), "Compare.\r\n--X");
            let field = form.next().await.unwrap().unwrap();
            assert_eq!(field.file_name.as_deref(), Some("销售.csv"));
            assert_eq!(field.media_type.as_deref(), Some("text/csv"));
            assert_eq!(field.text().await.unwrap(), "a,b\n1,2\n");
            assert!(form.next().await.unwrap().is_none());
        }
    }

    #[tokio::test]
    async fn a_large_file_is_read_in_pieces_and_a_large_text_is_refused() {
        let content = "x".repeat(3 * MOST_FIELD_BYTES);
        let body = [part("a", None, &content), "--XX--\r\n".to_owned()].concat();
        let mut file = form(body.as_bytes(), 64 * 1024);
        let mut field = file.next().await.unwrap().unwrap();
        let mut sum = 0;
        while let Some(piece) = field.piece().await.unwrap() {
            assert!(piece.len() <= MOST_STEP_BYTES, "{}", piece.len());
            sum += piece.len();
        }
        assert_eq!(sum, content.len());
        let field = form(body.as_bytes(), 64 * 1024).next().await.unwrap().unwrap();
        let problem = field.text().await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (413, "too_large"));
    }

    #[tokio::test]
    async fn headers_and_preambles_without_an_end_are_refused() {
        let endless = "x".repeat(4 * MOST_STEP_BYTES);
        let header = format!("--XX\r\nContent-Disposition: form-data; name=\"{endless}");
        for body in [endless, header] {
            let mut form = form(body.as_bytes(), 16 * 1024);
            let problem = form.next().await.err().unwrap();
            assert_eq!((problem.status, problem.code.as_str()), (413, "too_large"));
        }
    }

    #[tokio::test]
    async fn the_number_of_fields_is_bounded() {
        let body = part("a", None, "1").repeat(MOST_FIELDS + 1);
        let mut form = form(body.as_bytes(), 4096);
        let problem = loop {
            match form.next().await {
                Ok(Some(field)) => field.skip().await.unwrap(),
                Ok(None) => panic!("all fields were read"),
                Err(problem) => break problem,
            }
        };
        assert_eq!(problem.detail, "a form has at most 1000 fields");
    }

    #[tokio::test]
    async fn what_is_no_form_is_refused() {
        let none = stream::iter(Vec::new());
        let problem = Form::new("application/json", none).err().unwrap();
        assert_eq!((problem.status, problem.code.as_str()), (415, "unsupported_media_type"));
        let mut cut = form(part("a", None, "1").as_bytes(), 100);
        let field = cut.next().await.unwrap().unwrap();
        assert_eq!(field.text().await.unwrap_err().status, 400);
        let wrong = [part("a", None, "x").into_bytes(), b"--XX--".to_vec()].concat();
        let wrong: Vec<u8> = wrong.iter().map(|it| if *it == b'x' { 0xff } else { *it }).collect();
        let field = form(&wrong, 100).next().await.unwrap().unwrap();
        assert_eq!(field.text().await.unwrap_err().detail, "the field `a` is not UTF-8");
    }

    #[tokio::test]
    async fn a_refused_body_is_the_problem_of_the_form() {
        let refusal = Problem::new(413, "too_large", "a body has at most 5 bytes");
        let pieces = stream::iter([Ok(Bytes::from("--XX\r\n")), Err(refusal.clone())]);
        let mut form = Form::new(MEDIA_TYPE, pieces).unwrap();
        assert_eq!(form.next().await.err(), Some(refusal));
    }
}
