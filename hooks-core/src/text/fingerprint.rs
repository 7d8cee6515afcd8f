//! A 128-bit FNV-1a hash. It is the same in every process, build and version, which no hasher of `std` guarantees.

use serde_json::Value;

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// The hash of a JSON value as 32 hexadecimal digits, independent of the order of keys.
pub(crate) fn fingerprint(mut value: Value) -> String {
    value.sort_all_objects();
    let hash = |hash: u128, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    format!("{:032x}", value.to_string().bytes().fold(OFFSET, hash))
}
