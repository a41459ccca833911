//! Tests through the functions themselves, of what a program in C reaches less easily.

mod caller;
mod calls;
mod tables;
