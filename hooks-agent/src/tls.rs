//! TLS for clients over HTTP.

/// Makes `ring` the cryptography of TLS in this process, unless the program has chosen one.
pub(crate) fn install_provider() {
    // An error says that there is one.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
