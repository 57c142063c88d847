//! Chunks in an append-only file, and a redb database that knows where each one lies.
//!
//! The order that makes kills harmless: bytes are appended; then, at a commit, they are synced, and after that the database takes
//! their places, the files made of them and the new length, all at once. Whatever stands behind that length when the store is
//! opened was never acknowledged, and is cut off.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use chunkmill::core::{Chunk, ChunkId, ChunkIndex, ChunkSink, IdKey, Retained};
use redb::{Database, ReadableTable, TableDefinition};

/// Where a chunk lies: offset and length in the file of chunks.
type Place = (u64, u32);
/// By id.
const CHUNKS: TableDefinition<'_, &[u8; 32], Place> = TableDefinition::new("chunks");
/// The ids of a file's chunks, one behind the other, by its path.
const FILES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("files");
/// How far the file of chunks is good.
const STATE: TableDefinition<'_, &str, u64> = TableDefinition::new("state");
const GOOD: &str = "good";

type Error = Box<dyn core::error::Error>;

pub(crate) struct Store {
    database: Database,
    data: File,
    /// Length of the file of chunks.
    end: u64,
    /// Chunks and files since the last commit.
    new_chunks: HashMap<ChunkId, Place>,
    new_files: Vec<(Vec<u8>, Vec<u8>)>,
    /// Ids of the file that is being read.
    ids: Vec<u8>,
    /// Why the database could not answer a question. The chunk is then stored again, which is harmless; the next commit says it.
    unanswered: Option<Error>,
}

impl Store {
    /// Opens a store, or makes one in a folder that is made, too.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        fs::create_dir_all(folder)?;
        let data = OpenOptions::new().read(true).append(true).create(true).open(folder.join("chunks"))?;
        let database = open_database(folder)?;
        let write = database.begin_write()?;
        let end = {
            write.open_table(CHUNKS)?;
            write.open_table(FILES)?;
            write.open_table(STATE)?.get(GOOD)?.map_or(0, |good| good.value())
        };
        write.commit()?;
        let found = data.metadata()?.len();
        if found < end {
            return Err(format!("the chunks are damaged: expected {end} bytes, found {found}").into());
        }
        data.set_len(end)?;
        // The names are on the disk, too.
        File::open(folder)?.sync_all()?;
        Ok(Self {
            database,
            data,
            end,
            new_chunks: HashMap::new(),
            new_files: Vec::new(),
            ids: Vec::new(),
            unanswered: None,
        })
    }

    /// Files that are not committed yet.
    pub(crate) fn files_waiting(&self) -> usize {
        self.new_files.len()
    }

    /// The file that was read last is whole.
    pub(crate) fn end_file(&mut self, path: &[u8]) {
        self.new_files.push((path.to_vec(), core::mem::take(&mut self.ids)));
    }

    /// The file that was read last is given up. Its chunks stay, whoever needs them next.
    pub(crate) fn give_up_file(&mut self) {
        self.ids.clear();
    }

    /// Puts all that was stored on the disk, for good. Gives the paths that are acknowledged with that.
    pub(crate) fn commit(&mut self) -> Result<Vec<Vec<u8>>, Error> {
        if let Some(error) = self.unanswered.take() {
            return Err(error);
        }
        self.data.sync_data()?;
        let write = self.database.begin_write()?;
        {
            let mut chunks = write.open_table(CHUNKS)?;
            for (id, place) in &self.new_chunks {
                chunks.insert(id.as_bytes(), *place)?;
            }
            let mut files = write.open_table(FILES)?;
            for (path, ids) in &self.new_files {
                files.insert(path.as_slice(), ids.as_slice())?;
            }
            write.open_table(STATE)?.insert(GOOD, self.end)?;
        }
        write.commit()?;
        self.new_chunks.clear();
        Ok(self.new_files.drain(..).map(|(path, _)| path).collect())
    }

    /// Gives the bytes of each file, chunk by chunk, each checked against its id.
    pub(crate) fn restore(
        &self,
        key: &IdKey,
        mut begin: impl FnMut(&[u8]) -> io::Result<Box<dyn Write>>,
    ) -> Result<u64, Error> {
        let read = self.database.begin_read()?;
        let (chunks, files) = (read.open_table(CHUNKS)?, read.open_table(FILES)?);
        let mut count = 0;
        for file in files.iter()? {
            let (path, ids) = file?;
            let mut out = begin(path.value())?;
            let (ids, _) = ids.value().as_chunks::<32>();
            for id in ids {
                let place = chunks.get(id)?.ok_or("a chunk of a file is not in the index")?;
                let (offset, len) = place.value();
                let mut bytes = vec![0; usize::try_from(len)?];
                self.data.read_exact_at(&mut bytes, offset)?;
                if key.id_of(&bytes) != ChunkId::from_bytes(*id) {
                    return Err(format!("the chunk at {offset} is damaged").into());
                }
                out.write_all(&bytes)?;
            }
            out.flush()?;
            count += 1;
        }
        Ok(count)
    }

    fn find(&self, id: &ChunkId) -> Result<bool, Error> {
        let read = self.database.begin_read()?;
        Ok(read.open_table(CHUNKS)?.get(id.as_bytes())?.is_some())
    }
}

/// A database that is killed while it is made cannot be opened again: it is made beside its place.
fn open_database(folder: &Path) -> Result<Database, Error> {
    let (name, beside) = (folder.join("index.redb"), folder.join("index.new"));
    if !name.exists() {
        let _ = fs::remove_file(&beside);
        drop(Database::create(&beside)?);
        fs::rename(&beside, &name)?;
    }
    Ok(Database::open(name)?)
}

/// The store as an index.
pub(crate) struct Index<'s>(pub(crate) &'s core::cell::RefCell<Store>);

impl ChunkIndex for Index<'_> {
    fn contains(&mut self, id: &ChunkId) -> bool {
        let mut store = self.0.borrow_mut();
        store.new_chunks.contains_key(id)
            || store.find(id).unwrap_or_else(|error| {
                store.unanswered = Some(error);
                false
            })
    }

    /// The sink has taken note of it already, since it knows the place.
    fn insert(&mut self, _: &Chunk) {}
}

/// The store as a sink.
pub(crate) struct Sink<'s>(pub(crate) &'s core::cell::RefCell<Store>);

impl ChunkSink for Sink<'_> {
    type Error = io::Error;

    fn store(&mut self, retained: &Retained<'_>) -> io::Result<u64> {
        let store = &mut *self.0.borrow_mut();
        let Retained { chunk, first, second } = *retained;
        store.data.write_all(first)?;
        store.data.write_all(second)?;
        store.new_chunks.insert(chunk.id, (store.end, chunk.len));
        store.end += u64::from(chunk.len);
        store.ids.extend(chunk.id.as_bytes());
        Ok(chunk.len.into())
    }

    fn refer(&mut self, chunk: &Chunk) -> io::Result<()> {
        self.0.borrow_mut().ids.extend(chunk.id.as_bytes());
        Ok(())
    }

    /// A commit for each file would be slow: see `main`.
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
