//! What reaches a person's terminal, and what a person approves.
