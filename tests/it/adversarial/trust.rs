//! Skills that want to be taken for others, and helpers that nobody approved.
