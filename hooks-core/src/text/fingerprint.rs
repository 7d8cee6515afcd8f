//! A 128-bit FNV-1a hash. It is the same in every process, build and version, which no hasher of `std` guarantees.

use serde_json::Value;

/// The state of the hash.
pub(crate) struct Fnv(u128);

impl Fnv {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    pub(crate) fn new() -> Self {
        Self(Self::OFFSET)
    }

    pub(crate) fn write(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(Self::PRIME);
        }
    }

    /// The hash as 32 hexadecimal digits.
    pub(crate) fn digits(&self) -> String {
        format!("{:032x}", self.0)
    }
}

/// The hash of a JSON value as 32 hexadecimal digits, independent of the order of keys.
pub(crate) fn fingerprint(mut value: Value) -> String {
    value.sort_all_objects();
    let mut hash = Fnv::new();
    hash.write(value.to_string().bytes());
    hash.digits()
}
