//! The tests of the program, one binary.

mod app;
mod book;
mod outputs;
mod robust;
mod scripts;
mod support;
mod trust;
