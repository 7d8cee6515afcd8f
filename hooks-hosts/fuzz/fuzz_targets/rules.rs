#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [from, to, text @ ..] = input else { return };
    let host = |byte: &u8| hooks_hosts::all()[usize::from(*byte) % hooks_hosts::all().len()];
    if let Ok(text) = std::str::from_utf8(text) {
        let _ = hooks_hosts::convert(host(from), host(to), text);
    }
});
