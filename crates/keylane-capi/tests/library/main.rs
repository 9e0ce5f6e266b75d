//! The library as C, C++ and Python see it. gcc is required. Other missing tools are named and their tests
//! skipped.

mod answers;
mod apple;
mod archive;
mod calls;
mod exports;
mod first_use;
mod header;
mod inline_header;
mod kernels;
mod library;
mod programs;
mod redis;
