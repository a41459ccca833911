//! Memory of the caller: what is read and written through its pointers.
//!
//! A value of these types was made from a pointer by unsafe code, which promises that the pointer is null or valid; all
//! other code is safe.

use std::marker::PhantomData;

use crate::code::mitt_code;
use crate::problem::Problem;

/// Bytes that the caller passes, with the name of the parameter.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    name: &'static str,
    /// `None` if the pointer is null.
    bytes: Option<&'a [u8]>,
    length: usize,
}

impl<'a> Given<'a> {
    /// Wraps the parameter `name`.
    ///
    /// # Safety
    ///
    /// `data` is null, or `length` bytes from it on can be read and do not change during `'a`.
    pub(crate) unsafe fn new(name: &'static str, data: *const u8, length: usize) -> Given<'a> {
        // A slice of more bytes must not exist, so a negative length that became one is refused below.
        let is_possible = isize::try_from(length).is_ok();
        let bytes = (!data.is_null() && is_possible)
            // SAFETY: the caller of this function promises it, and the length is not more than a slice may have.
            .then(|| unsafe { std::slice::from_raw_parts(data, length) });
        Given { name, bytes, length }
    }

    /// Returns the bytes. A null pointer with the length 0 stands for none.
    ///
    /// # Errors
    ///
    /// [`mitt_code::MITT_NULL_POINTER`] - the pointer is null, and the length is not 0. [`mitt_code::MITT_ARGUMENTS`] -
    /// the length is more than any object can have, such as -1.
    pub(crate) fn bytes(self) -> Result<&'a [u8], Problem> {
        match self.bytes {
            Some(bytes) => Ok(bytes),
            None if self.length == 0 => Ok(&[]),
            None if isize::try_from(self.length).is_err() => {
                let message = format!("expected a length in bytes, got {}", self.length);
                Err(Problem::of_parameter(mitt_code::MITT_ARGUMENTS, self.name, message))
            }
            None => {
                let message = format!("expected {} bytes, got a null pointer", self.length);
                Err(Problem::of_parameter(mitt_code::MITT_NULL_POINTER, self.name, message))
            }
        }
    }

    /// Returns the text.
    ///
    /// # Errors
    ///
    /// Those of [`Given::bytes`]; [`mitt_code::MITT_INVALID_UTF8`] - it is not UTF-8; the error names the first wrong
    /// byte.
    pub(crate) fn text(self) -> Result<&'a str, Problem> {
        std::str::from_utf8(self.bytes()?).map_err(|error| {
            let message = format!("expected UTF-8, got another byte at {}", error.valid_up_to());
            Problem::of_parameter(mitt_code::MITT_INVALID_UTF8, self.name, message)
        })
    }

    /// Returns the text, which must not be empty.
    ///
    /// # Errors
    ///
    /// Those of [`Given::text`]; [`mitt_code::MITT_NULL_POINTER`] - the pointer is null; [`mitt_code::MITT_ARGUMENTS`] -
    /// the text is empty.
    pub(crate) fn required(self) -> Result<&'a str, Problem> {
        let text = self.text()?;
        if !text.is_empty() {
            return Ok(text);
        }
        let (code, got) = match self.bytes {
            Some(_) => (mitt_code::MITT_ARGUMENTS, "an empty one"),
            None => (mitt_code::MITT_NULL_POINTER, "a null pointer"),
        };
        Err(Problem::of_parameter(code, self.name, format!("expected a text, got {got}")))
    }
}

/// Place of the caller for a result.
pub(crate) struct Out<'a, T> {
    name: &'static str,
    place: *mut T,
    lifetime: PhantomData<&'a mut T>,
}

impl<T: Copy> Out<'_, T> {
    /// Wraps the parameter `name`, and writes `empty` there, so that nobody reads what was there before.
    ///
    /// # Safety
    ///
    /// `place` is null, or aligned and writable during the lifetime of the value, and nothing else reads or writes it.
    pub(crate) unsafe fn new(name: &'static str, place: *mut T, empty: T) -> Self {
        if !place.is_null() {
            // SAFETY: the caller of this function promises it.
            unsafe { place.write(empty) };
        }
        Out { name, place, lifetime: PhantomData }
    }

    /// Returns `true` if the caller wants no result.
    pub(crate) fn is_null(&self) -> bool {
        self.place.is_null()
    }

    /// Checks that there is a place.
    ///
    /// # Errors
    ///
    /// [`mitt_code::MITT_NULL_POINTER`] - there is none.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.place.is_null() {
            let message = "expected a place for the result, got a null pointer";
            return Err(Problem::of_parameter(mitt_code::MITT_NULL_POINTER, self.name, message));
        }
        Ok(())
    }

    /// Writes the result, if there is a place.
    pub(crate) fn set(&mut self, value: T) {
        if !self.place.is_null() {
            // SAFETY: `new` was promised that it can be written to.
            unsafe { self.place.write(value) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(data: *const u8, length: usize) -> Given<'static> {
        // SAFETY: the tests pass null or static bytes.
        unsafe { Given::new("name", data, length) }
    }

    #[test]
    fn null_pointers_and_impossible_lengths_are_errors() {
        let null = std::ptr::null();
        assert_eq!(given(null, 0).bytes().unwrap(), b"");
        let problem = given(null, 3).bytes().unwrap_err();
        assert_eq!(problem.code, mitt_code::MITT_NULL_POINTER);
        assert_eq!(problem.error.place(), Some("name"));
        assert_eq!(given(b"abc".as_ptr(), 2).text().unwrap(), "ab");
        let problem = given(b"abc".as_ptr(), usize::MAX).bytes().unwrap_err();
        assert_eq!(problem.code, mitt_code::MITT_ARGUMENTS);
        assert_eq!(given(null, 0).required().unwrap_err().code, mitt_code::MITT_NULL_POINTER);
        let empty = given(b"".as_ptr(), 0).required().unwrap_err();
        assert_eq!(empty.code, mitt_code::MITT_ARGUMENTS);
    }

    #[test]
    fn texts_are_utf8_and_may_have_a_zero() {
        assert_eq!(given(b"a\0b".as_ptr(), 3).text().unwrap(), "a\0b");
        let problem = given(b"ab\xff".as_ptr(), 3).text().unwrap_err();
        assert_eq!(problem.code, mitt_code::MITT_INVALID_UTF8);
        assert!(problem.error.message().ends_with("at 2"), "{:?}", problem.error);
    }
}
