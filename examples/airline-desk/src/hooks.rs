//! The desk's hooks. Each is an ordinary function; the lists in `desk/*.json` say which of them are in force.

pub mod context;
pub mod fragile;
pub mod guard;
pub mod payment;
pub mod privacy;
pub mod watch;
