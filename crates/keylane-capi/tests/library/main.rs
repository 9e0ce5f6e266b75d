//! The library as C, C++ and Python see it. gcc is required; what else is not there is named.

mod answers;
mod exports;
mod library;
mod programs;
mod redis;
