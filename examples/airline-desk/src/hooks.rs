//! The desk's hooks. Each is an ordinary function. The lists in `desk/*.json` determine which of them are in force.

pub mod context;
pub mod fragile;
pub mod guard;
pub mod payment;
pub mod privacy;
pub mod watch;
