//! Locks that stay usable after a panic.
//!
//! A lock is poisoned when a thread panics while holding it. All locks of Mitt guard plain values that are valid after each
//! assignment, and no foreign code runs while one is held. So the value that a panicking thread left is valid, and one panic
//! must not make all later calls fail. Do not keep a value that takes several steps to update under one of these locks.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Takes a lock, even if a thread panicked while holding it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// Returns the guard that a lock or a wait gave, even if a thread panicked while holding the lock.
pub fn unpoisoned<G>(result: LockResult<G>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_with_the_lock_closes_it_for_nobody() {
        let mutex = Mutex::new(1);
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let mut value = lock(&mutex);
                *value = 2;
                panic!("with the lock");
            });
            assert!(thread.join().is_err());
        });
        assert!(mutex.is_poisoned());
        assert_eq!(*lock(&mutex), 2);
    }
}
