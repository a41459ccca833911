//! The capability `files`: the content of the files behind documents, byte for byte, and delivery of edited copies.
//!
//! Its functions are linked by hand because generated ones would copy a file before its size is checked and charged.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use mitt_contract::host::mitt::host::types;
use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Linker, WasmList};

use super::artifact::Artifact;
use super::render::wit_artifact;
use super::shared::{Nobody, ServiceError};
use mitt_base::memory::Charge;
use mitt_base::{Error, text};
use mitt_engine::StoreData;
use mitt_render::{Cancel, FontSet, TextAlign, TextPages};

/// Name of the interface in imports.
const INTERFACE: &str = "mitt:host/files@0.1.0";

/// Reason why an agent that may only read delivers no copies.
const READS_ONLY: &str = "this agent only reads: it delivers no files";

/// Interface to the session. A [`ServiceError`] is a value for the guest, an [`Error`] ends the guest's store.
pub trait Files: Send + Sync + 'static {
    /// Returns the content of the file of a document or artifact. That of a document is not copied.
    fn read_file(&self, name: &str) -> Result<Result<Arc<[u8]>, ServiceError>, Error>;

    /// Charges for the copy of a file of `bytes` bytes that is about to be delivered.
    fn charge_file(&self, bytes: u64) -> Result<Result<Charge, ServiceError>, Error>;

    /// Checks an edited file and writes it. It is registered when the current attempt succeeds.
    fn deliver_file(
        &self,
        file: EditedFile,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>, Error>>;

    /// Sets texts as a PDF for use inside of another one. The fonts and the cancel signal are those of the session.
    fn text_pages(
        &self,
        pages: TextPages,
    ) -> BoxFuture<'_, Result<Result<Vec<u8>, ServiceError>, Error>>;

    /// Returns the file of the font with which the host sets Chinese, also with bold letters.
    fn chinese_font(
        &self,
        bold: bool,
    ) -> BoxFuture<'_, Result<Result<&'static [u8], ServiceError>, Error>>;
}

/// File that a plugin made from another one.
pub struct EditedFile {
    /// Content of the file.
    pub content: Vec<u8>,
    /// Name of the file.
    pub filename: String,
    /// What was changed or left out, one sentence each.
    pub warnings: Vec<String>,
    /// Charge for the content.
    pub charge: Charge,
}

/// Side at which lines of text stand, as in `wit/files.wit`.
#[derive(Clone, Copy, ComponentType, Lift)]
#[component(enum)]
#[repr(u8)]
#[expect(dead_code, reason = "the derived code makes them from a number")]
enum TextSide {
    #[component(name = "left")]
    Left,
    #[component(name = "center")]
    Center,
    #[component(name = "right")]
    Right,
}

/// How texts are set on pages of their own, as in `wit/files.wit`.
#[derive(ComponentType, Lift)]
#[component(record)]
struct TextLook {
    #[component(name = "size")]
    size: f64,
    #[component(name = "color")]
    color: String,
    #[component(name = "bold")]
    bold: bool,
    #[component(name = "width")]
    width: Option<f64>,
    #[component(name = "side")]
    side: TextSide,
}

/// Returns `files` for an agent that may only read.
pub(super) fn reading_only(files: Arc<dyn Files>) -> Arc<dyn Files> {
    Arc::new(ReadingOnly(files))
}

struct ReadingOnly(Arc<dyn Files>);

impl Files for ReadingOnly {
    fn read_file(&self, name: &str) -> Result<Result<Arc<[u8]>, ServiceError>, Error> {
        self.0.read_file(name)
    }

    fn charge_file(&self, _: u64) -> Result<Result<Charge, ServiceError>, Error> {
        Ok(Err(ServiceError::Unsupported(READS_ONLY.to_owned())))
    }

    fn deliver_file(
        &self,
        _: EditedFile,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>, Error>> {
        Box::pin(async move { Ok(Err(ServiceError::Unsupported(READS_ONLY.to_owned()))) })
    }

    fn text_pages(
        &self,
        pages: TextPages,
    ) -> BoxFuture<'_, Result<Result<Vec<u8>, ServiceError>, Error>> {
        Box::pin(async move { self.0.text_pages(pages).await })
    }

    fn chinese_font(
        &self,
        bold: bool,
    ) -> BoxFuture<'_, Result<Result<&'static [u8], ServiceError>, Error>> {
        Box::pin(async move { self.0.chinese_font(bold).await })
    }
}

impl Files for Nobody {
    fn read_file(&self, _: &str) -> Result<Result<Arc<[u8]>, ServiceError>, Error> {
        Ok(Err(ServiceError::no_session()))
    }

    fn charge_file(&self, _: u64) -> Result<Result<Charge, ServiceError>, Error> {
        Ok(Err(ServiceError::no_session()))
    }

    fn deliver_file(
        &self,
        _: EditedFile,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>, Error>> {
        Box::pin(async move { Ok(Err(ServiceError::no_session())) })
    }

    fn text_pages(
        &self,
        _: TextPages,
    ) -> BoxFuture<'_, Result<Result<Vec<u8>, ServiceError>, Error>> {
        Box::pin(async move { Ok(Err(ServiceError::no_session())) })
    }

    fn chinese_font(
        &self,
        _: bool,
    ) -> BoxFuture<'_, Result<Result<&'static [u8], ServiceError>, Error>> {
        Box::pin(async move { Ok(Err(ServiceError::no_session())) })
    }
}

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> Arc<dyn Files>,
) -> wasmtime::Result<()> {
    let mut files = linker.instance(INTERFACE)?;
    files.func_wrap("read", move |mut store, (name,): (String,)| {
        let content = host_getter(store.data_mut()).read_file(&name)?;
        Ok((content.map_err(ServiceError::into_wit),))
    })?;
    files.func_wrap_async(
        "deliver",
        move |mut store: StoreContextMut<'_, T>,
              (content, filename, warnings): (WasmList<u8>, String, Vec<String>)| {
            let session = host_getter(store.data_mut());
            let charged = session.charge_file(content.len() as u64);
            let given = charged.map(|charged| {
                charged.map(|charge| {
                    let content = content.as_le_slice(&store).to_vec();
                    EditedFile { content, filename, warnings, charge }
                })
            });
            Box::new(deliver(session, given))
        },
    )?;
    files.func_wrap_async(
        "text-pages",
        move |mut store: StoreContextMut<'_, T>, (texts, look): (Vec<String>, TextLook)| {
            let session = host_getter(store.data_mut());
            Box::new(text_pages(session, texts, look))
        },
    )?;
    files.func_wrap_async(
        "chinese-font",
        move |mut store: StoreContextMut<'_, T>, (bold,): (bool,)| {
            let session = host_getter(store.data_mut());
            Box::new(chinese_font(session, bold))
        },
    )
}

/// Result of the linked function, as the only one of its results.
type FontFile = (Result<&'static [u8], types::Error>,);

async fn chinese_font(session: Arc<dyn Files>, bold: bool) -> wasmtime::Result<FontFile> {
    Ok((session.chinese_font(bold).await?.map_err(ServiceError::into_wit),))
}

/// Result of the linked function, as the only one of its results.
type TextSet = (Result<Vec<u8>, types::Error>,);

async fn text_pages(
    session: Arc<dyn Files>,
    texts: Vec<String>,
    look: TextLook,
) -> wasmtime::Result<TextSet> {
    let set = match requested(texts, look) {
        Ok(pages) => session.text_pages(pages).await?,
        Err(error) => Err(error),
    };
    Ok((set.map_err(ServiceError::into_wit),))
}

/// Converts texts and their look. The session adds its fonts and the cancel signal.
fn requested(texts: Vec<String>, look: TextLook) -> Result<TextPages, ServiceError> {
    let TextLook { size, color, bold, width, side } = look;
    let is_color = color.len() == 6 && color.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(&color, 16).ok().filter(|_| is_color);
    let [_, red, green, blue] = number.map(u32::to_be_bytes).ok_or_else(|| {
        let shown = text::one_line(text::cut_bytes(&color, 40));
        ServiceError::InvalidArgument(format!("color: expected `RRGGBB`, got `{shown}`"))
    })?;
    let align = match side {
        TextSide::Left => TextAlign::Left,
        TextSide::Center => TextAlign::Center,
        TextSide::Right => TextAlign::Right,
    };
    let (fonts, cancel) = (FontSet::default(), Cancel::default());
    Ok(TextPages { texts, size, color: [red, green, blue], bold, width, align, fonts, cancel })
}

/// Result of the linked function, as the only one of its results.
type Delivered = (Result<types::Artifact, types::Error>,);

async fn deliver(
    session: Arc<dyn Files>,
    given: Result<Result<EditedFile, ServiceError>, Error>,
) -> wasmtime::Result<Delivered> {
    let delivered = match given? {
        Ok(file) => session.deliver_file(file).await?,
        Err(error) => Err(error),
    };
    Ok((delivered.map(wit_artifact).map_err(ServiceError::into_wit),))
}
