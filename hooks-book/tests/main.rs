//! The tests of the book, one binary.

mod chapters;
mod layers;
mod written;
