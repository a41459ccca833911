//! Signatures from both sides. Keys, certificates and files are made by the tests.

mod chains;
mod cms;
mod hostile;
mod keys;
mod pdf;
mod pki;
mod signing;
mod time_stamps;
mod verifying;
