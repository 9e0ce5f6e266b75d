//! The command as people use it: what it prints, to which output, and its exit status.

mod bench;
mod browser;
mod check;
mod column;
mod copies;
mod faults;
mod forms;
mod help;
mod key;
mod keygen;
mod load;
mod mac;
mod memory;
mod names;
mod sha256sum;
mod streams;
mod subkey;
mod sum;
mod table;
mod terminal;
mod tool;
