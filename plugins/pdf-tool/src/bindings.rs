//! The types of the interface and the functions of the host.
#![allow(unused_qualifications, unreachable_pub, reason = "generated code")]

wit_bindgen::generate!({
    path: ["../../wit", "wit"],
    world: "mitt:pdf-tool/plugin",
    generate_all,
});
