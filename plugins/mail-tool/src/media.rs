//! Media types of attached files, by the ending of their names.

/// Returns the media type of a file.
pub(crate) fn media_type(file_name: &str) -> &'static str {
    match &*extension(file_name) {
        "pdf" => "application/pdf",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "dotx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xltx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "potx" => "application/vnd.openxmlformats-officedocument.presentationml.template",
        "doc" => "application/msword",
        "xls" => "application/vnd.ms-excel",
        "ppt" => "application/vnd.ms-powerpoint",
        "odt" => "application/vnd.oasis.opendocument.text",
        "ods" => "application/vnd.oasis.opendocument.spreadsheet",
        "odp" => "application/vnd.oasis.opendocument.presentation",
        "rtf" => "application/rtf",
        "epub" => "application/epub+zip",
        "zip" => "application/zip",
        "json" => "application/json",
        "xml" => "application/xml",
        "csv" => "text/csv; charset=UTF-8",
        "tsv" => "text/tab-separated-values; charset=UTF-8",
        "txt" | "log" => "text/plain; charset=UTF-8",
        "md" => "text/markdown; charset=UTF-8",
        "html" | "htm" => "text/html; charset=UTF-8",
        "ics" => "text/calendar; charset=UTF-8",
        "vcf" => "text/vcard; charset=UTF-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "bmp" => "image/bmp",
        "tif" | "tiff" => "image/tiff",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        // A mail in a mail may not be encoded (RFC 2046), and would be changed on its way. As bytes it stays as it is.
        _ => "application/octet-stream",
    }
}

/// Returns `true` for endings that mail programs or servers commonly block.
pub(crate) fn is_blocked(file_name: &str) -> bool {
    matches!(
        &*extension(file_name),
        "bat"
            | "chm"
            | "cmd"
            | "com"
            | "cpl"
            | "dll"
            | "exe"
            | "hta"
            | "iso"
            | "jar"
            | "js"
            | "jse"
            | "lnk"
            | "mde"
            | "msi"
            | "msp"
            | "ps1"
            | "py"
            | "reg"
            | "scr"
            | "sh"
            | "sys"
            | "vb"
            | "vbe"
            | "vbs"
            | "wsf"
    )
}

fn extension(file_name: &str) -> String {
    file_name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{is_blocked, media_type};

    #[test]
    fn endings() {
        assert_eq!(media_type("报告.PDF"), "application/pdf");
        assert_eq!(media_type("a.tar.zip"), "application/zip");
        assert_eq!(media_type("a.csv"), "text/csv; charset=UTF-8");
        for other in ["mail.eml", "README", "a.", "a.xyz"] {
            assert_eq!(media_type(other), "application/octet-stream");
        }
        assert!(is_blocked("a.PS1") && !is_blocked("exe") && !is_blocked("a.pdf"));
    }
}
