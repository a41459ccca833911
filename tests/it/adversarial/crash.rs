//! A process that is killed at any moment leaves no half file, loses nothing that was finished, and is cleaned up after.
