//! Hostile components: proposals that are off, code that takes long to compile, what instances keep beside their memories.
