//! What one tenant may do to another: end its sessions, take its place, slow it down.
