//! File types, with their media types and extensions.

/// Type of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileType {
    /// Excel workbook.
    Xlsx,
    /// Excel workbook with macros, which are never run.
    Xlsm,
    /// Excel workbook in the binary format.
    Xlsb,
    /// Excel workbook of 1997 to 2003.
    Xls,
    /// OpenDocument spreadsheet.
    Ods,
    /// Word document.
    Docx,
    /// Word document of 1997 to 2003.
    Doc,
    /// PowerPoint presentation.
    Pptx,
    /// PowerPoint presentation of 1997 to 2003.
    Ppt,
    /// PDF.
    Pdf,
    /// Parquet file.
    Parquet,
    /// Arrow file or stream (Feather).
    Arrow,
    /// Web page.
    Html,
    /// Book (EPUB).
    Epub,
    /// Jupyter notebook.
    Notebook,
    /// JSON.
    Json,
    /// Lines of JSON.
    JsonLines,
    /// XML, including feeds.
    Xml,
    /// Values separated by commas, semicolons, tabs or bars.
    Csv,
    /// Markdown.
    Markdown,
    /// Other text.
    Text,
    /// Mail, mailbox, or web page saved as one: its parts are encoded and cannot be read as text.
    Mail {
        /// `eml`, `msg`, `mbox`, `mhtml` or `tnef` (`winmail.dat`).
        extension: &'static str,
        /// Its media type.
        media_type: &'static str,
    },
    /// OpenDocument text.
    Odt,
    /// OpenDocument presentation.
    Odp,
    /// OpenDocument text in one XML file.
    Fodt,
    /// Rich text.
    Rtf,
    /// Files packed into one.
    Archive {
        /// `zip`, `tar`, `gz` or `7z`.
        extension: &'static str,
        /// Its media type.
        media_type: &'static str,
    },
    /// A picture, whose text may be recognised.
    Picture {
        /// `png`, `jpg`, `gif`, `webp`, `bmp` or `tiff`.
        extension: &'static str,
        /// Its media type.
        media_type: &'static str,
    },
    /// Office document behind a password.
    EncryptedOffice,
    /// An archive or a compound file that has lost its directory.
    Damaged {
        /// What it was: `an archive (docx, xlsx, pptx, …)`.
        what: &'static str,
    },
    /// Any other type.
    Other {
        /// Its media type.
        media_type: String,
    },
}

impl FileType {
    /// Returns the media type.
    pub fn media_type(&self) -> &str {
        match self {
            FileType::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            FileType::Xlsm => "application/vnd.ms-excel.sheet.macroEnabled.12",
            FileType::Xlsb => "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
            FileType::Xls => "application/vnd.ms-excel",
            FileType::Ods => "application/vnd.oasis.opendocument.spreadsheet",
            FileType::Docx => {
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
            }
            FileType::Doc => "application/msword",
            FileType::Pptx => {
                "application/vnd.openxmlformats-officedocument.presentationml.presentation"
            }
            FileType::Ppt => "application/vnd.ms-powerpoint",
            FileType::Pdf => "application/pdf",
            FileType::Parquet => "application/vnd.apache.parquet",
            FileType::Arrow => "application/vnd.apache.arrow.file",
            FileType::Html => "text/html",
            FileType::Epub => "application/epub+zip",
            FileType::Notebook => "application/x-ipynb+json",
            FileType::Json => "application/json",
            FileType::JsonLines => "application/jsonl",
            FileType::Xml => "application/xml",
            FileType::Csv => "text/csv",
            FileType::Markdown => "text/markdown",
            FileType::Text => "text/plain",
            FileType::Odt => "application/vnd.oasis.opendocument.text",
            FileType::Odp => "application/vnd.oasis.opendocument.presentation",
            FileType::Fodt => "application/vnd.oasis.opendocument.text-flat-xml",
            FileType::Rtf => "application/rtf",
            FileType::Mail { media_type, .. }
            | FileType::Archive { media_type, .. }
            | FileType::Picture { media_type, .. } => media_type,
            FileType::EncryptedOffice => "application/x-ole-storage",
            FileType::Damaged { .. } => "application/octet-stream",
            FileType::Other { media_type } => media_type,
        }
    }

    /// Returns the extension in lower case, without a dot, by which a reader is found; empty if no reader can exist.
    pub fn extension(&self) -> &'static str {
        match self {
            FileType::Xlsx => "xlsx",
            FileType::Xlsm => "xlsm",
            FileType::Xlsb => "xlsb",
            FileType::Xls => "xls",
            FileType::Ods => "ods",
            FileType::Docx => "docx",
            FileType::Doc => "doc",
            FileType::Pptx => "pptx",
            FileType::Ppt => "ppt",
            FileType::Pdf => "pdf",
            FileType::Parquet => "parquet",
            FileType::Arrow => "arrow",
            FileType::Html => "html",
            FileType::Epub => "epub",
            FileType::Notebook => "ipynb",
            FileType::Json => "json",
            FileType::JsonLines => "jsonl",
            FileType::Xml => "xml",
            FileType::Csv => "csv",
            FileType::Markdown => "md",
            FileType::Text => "txt",
            FileType::Odt => "odt",
            FileType::Odp => "odp",
            FileType::Fodt => "fodt",
            FileType::Rtf => "rtf",
            FileType::Mail { extension, .. }
            | FileType::Archive { extension, .. }
            | FileType::Picture { extension, .. } => extension,
            FileType::EncryptedOffice => "encrypted",
            FileType::Damaged { .. } | FileType::Other { .. } => "",
        }
    }

    /// Returns whether it is plain text: CSV, Markdown, or other text.
    pub fn is_plain(&self) -> bool {
        matches!(self, FileType::Csv | FileType::Markdown | FileType::Text)
    }

    /// Returns whether its source is used as text if no skill reads it.
    pub fn is_text_at_least(&self) -> bool {
        self.is_plain()
            || matches!(
                self,
                FileType::Html
                    | FileType::Notebook
                    | FileType::Json
                    | FileType::JsonLines
                    | FileType::Xml
            )
    }
}

pub(super) const PNG: FileType = FileType::Picture { extension: "png", media_type: "image/png" };
pub(super) const JPEG: FileType = FileType::Picture { extension: "jpg", media_type: "image/jpeg" };
const TIFF: FileType = FileType::Picture { extension: "tiff", media_type: "image/tiff" };

/// Extensions that name a type, with the types that they may have without a warning.
pub(super) const NAMED: [(&str, &[FileType]); 40] = [
    ("xlsx", &[FileType::Xlsx, FileType::Xlsm]),
    ("xlsm", &[FileType::Xlsm, FileType::Xlsx]),
    ("xlsb", &[FileType::Xlsb]),
    ("xls", &[FileType::Xls]),
    ("ods", &[FileType::Ods]),
    ("docx", &[FileType::Docx]),
    ("docm", &[FileType::Docx]),
    ("doc", &[FileType::Doc]),
    ("pptx", &[FileType::Pptx]),
    ("pptm", &[FileType::Pptx]),
    ("ppt", &[FileType::Ppt]),
    ("pdf", &[FileType::Pdf]),
    ("odt", &[FileType::Odt]),
    ("odp", &[FileType::Odp]),
    ("fodt", &[FileType::Fodt]),
    ("rtf", &[FileType::Rtf]),
    ("parquet", &[FileType::Parquet]),
    ("arrow", &[FileType::Arrow]),
    ("arrows", &[FileType::Arrow]),
    ("feather", &[FileType::Arrow]),
    ("ipc", &[FileType::Arrow]),
    ("png", &[PNG]),
    ("jpg", &[JPEG]),
    ("jpeg", &[JPEG]),
    ("webp", &[FileType::Picture { extension: "webp", media_type: "image/webp" }]),
    ("tif", &[TIFF]),
    ("tiff", &[TIFF]),
    ("html", &[FileType::Html]),
    ("htm", &[FileType::Html]),
    ("xhtml", &[FileType::Html]),
    ("epub", &[FileType::Epub]),
    ("ipynb", &[FileType::Notebook]),
    ("json", &[FileType::Json, FileType::Notebook]),
    ("jsonl", &[FileType::JsonLines]),
    ("ndjson", &[FileType::JsonLines]),
    // A site may serve XHTML with this extension.
    ("xml", &[FileType::Xml, FileType::Html]),
    ("csv", &[FileType::Csv]),
    ("tsv", &[FileType::Csv]),
    ("md", &[FileType::Markdown]),
    // Excel names its tab-separated export `.txt`.
    ("txt", &[FileType::Text, FileType::Csv]),
];
