//! Memory that a caller makes the host keep: documents, kept scripts, bodies, journals. All of it is charged to somebody.
