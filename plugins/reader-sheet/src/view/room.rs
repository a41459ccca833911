//! Bounds the size of what is written about all sheets together.

/// A number of bytes that is left.
pub(super) struct Room(usize);

impl Room {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Takes a number of bytes. Returns `false`, and takes none, if there are not so many.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        match self.0.checked_sub(bytes) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}
