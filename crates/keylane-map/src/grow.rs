//! How a full map gets more room: entries are hashed and moved in chunks.

use crate::key::{Form, Key};
use crate::many::split_mut;
use crate::map::{Map, form, hash_of};
use crate::table::CHUNK;
use hashbrown::HashTable;
use std::mem::replace;

impl<K: Key, V> Map<K, V> {
    /// Moves the entries of a full table to one with at least twice the room.
    ///
    /// Does nothing if hashbrown does better: the table is tiny, or half of its places are those of removed entries,
    /// which it makes free again. It also gets to handle a lack of memory, as it does for std's map.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&mut self) {
        let places = self.table.num_buckets();
        if places < CHUNK || self.len() <= places / 2 {
            return;
        }
        let mut larger = HashTable::new();
        if larger.try_reserve(places, hash_of(&self.siphash)).is_err() {
            return;
        }
        let mut entries = replace(&mut self.table, larger).into_iter();
        let mut chunk = Vec::with_capacity(CHUNK);
        let mut hashes = [0; CHUNK];
        loop {
            chunk.extend(entries.by_ref().take(CHUNK));
            if chunk.is_empty() {
                return;
            }
            let hashes = split_mut(&mut hashes, chunk.len());
            K::Form::siphash_many(chunk.iter().map(|(key, _)| form(key)), &self.siphash, hashes);
            for (entry, &hash) in chunk.drain(..).zip(&*hashes) {
                self.table.insert_unique(hash, entry, hash_of(&self.siphash));
            }
        }
    }
}
