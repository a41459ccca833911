//! Pictures that the owner of a session adds for its documents.

use super::state::Content;
use mitt_base::file_name::check_file_name;
use mitt_base::{Error, ErrorKind, Result};

impl Content {
    /// Keeps a picture under a name.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_picture`](crate::Session::add_picture).
    pub(in crate::session) fn add_picture(&self, name: &str, bytes: &[u8]) -> Result<()> {
        check_file_name(name).map_err(|problem| Error::new(ErrorKind::Input, problem))?;
        let name = &*self.guard.name(name)?;
        let place = |error: Error| error.at(format!("picture `{name}`"));
        let charged = self.pictures.charge(bytes).map_err(place)?.ok_or_else(|| {
            place(Error::new(ErrorKind::Input, "expected a PNG, JPEG, GIF or WebP"))
        })?;
        self.pictures.keep(name, charged).map_err(place)
    }
}
