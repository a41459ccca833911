//! Locks that a panic elsewhere does not close.
//!
//! A lock is poisoned when a thread panics while it holds it. All of Mitt's locks guard plain values that are valid after each
//! assignment, and no code of others runs under them; so what a panicking thread left is as good as any, and one call that
//! panicked is no reason for all later ones to fail. A value that needs several steps to be whole again must not be kept
//! under one of these.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Take a lock, whoever panicked with it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// What a lock, a wait or a read of one gives, whoever panicked with it.
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
