#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| mitt_fuzz::mcp_client(data));
