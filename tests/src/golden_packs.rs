//! Golden packs: what is in `tests/vectors/packs/`, and the bytes of it as code computes them now.
//!
//! `cargo run -p chunkmill-tests --example packs` writes the files. No test does.

use chunkmill_core::{ChunkIndex, ChunkParams, GearKind, GearTable, RecentIndex, RetainingChunker, Step};
use serde::Serialize;

use crate::data::Data;
use crate::pack_writing::{Put, Recipe};
use crate::plain_pack;
use crate::setup::{KEY, id_key};

const ABOUT: &str = "Packs of made-up streams under the key, which is given as text. tests/src/data.rs says how the bytes \
                     of each kind of data are made. A chunk that is one of the last four stored is referred to.";

/// A pack and the stream that it was made of.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Name of the file in `tests/vectors/packs/`.
    pub file: &'static str,
    /// The pieces of the stream.
    pub pieces: Vec<(Data, usize)>,
    /// What the header says.
    pub recipe: Recipe,
}

#[derive(Serialize)]
struct Listing {
    about: &'static str,
    key: &'static str,
    packs: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    file: &'static str,
    data: Vec<Piece>,
    min: u32,
    avg: u32,
    max: u32,
    level: u8,
    gear: String,
    block_len: Option<u32>,
    stream_id: String,
    chunks: Vec<ListedChunk>,
}

#[derive(Serialize)]
struct Piece {
    #[serde(flatten)]
    data: Data,
    len: usize,
}

#[derive(Serialize)]
struct ListedChunk {
    offset: u64,
    len: u32,
    stored: &'static str,
    stored_len: u32,
    id: String,
}

impl Golden {
    /// The stream.
    pub fn stream(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|&(data, len)| data.bytes(len)).collect()
    }

    /// The pack as the core makes it of the stream.
    pub fn pack(&self) -> Vec<u8> {
        self.recipe.pack(&self.puts())
    }

    /// The stream's chunks, cut by the core; those known to a small index are referred to.
    fn puts(&self) -> Vec<Put> {
        let mut memory = vec![0; RetainingChunker::memory_needed(&self.recipe.params)];
        let mut chunker = RetainingChunker::new(self.recipe.params, &self.recipe.gear, &id_key(), &mut memory)
            .expect("memory as asked for");
        let mut index = RecentIndex::<4>::new();
        let (stream, mut puts) = (self.stream(), Vec::new());
        let mut rest = &stream[..];
        loop {
            match chunker.step() {
                Step::NeedInput => {
                    let window = chunker.window();
                    let (piece, tail) = rest.split_at(window.len().min(rest.len()));
                    window[..piece.len()].copy_from_slice(piece);
                    rest = tail;
                    if piece.is_empty() {
                        chunker.end_input();
                    }
                    chunker.commit(piece.len()).expect("no more than the window");
                }
                Step::Chunk(retained) => {
                    let bytes = [retained.first, retained.second].concat();
                    let known = index.contains(&retained.chunk.id);
                    puts.push(if known { Put::Refer(bytes) } else { Put::Store(bytes) });
                    if !known {
                        index.insert(&retained.chunk);
                    }
                }
                Step::Done => return puts,
            }
        }
    }

    fn listed(&self) -> Listed {
        let Recipe { params, gear, block_log2, stream_id, key } = &self.recipe;
        let parsed = plain_pack::parse(&self.pack(), key).expect("a pack as described");
        let mut offset = 0;
        let chunks = parsed.entries.iter().map(|entry| {
            let fields = entry.fields;
            let stored = ["?", "raw", "lz4", "reference"][usize::from(fields.kind)];
            let chunk =
                ListedChunk { offset, len: fields.raw_len, stored, stored_len: fields.stored_len, id: hex(&fields.id) };
            offset += u64::from(fields.raw_len);
            chunk
        });
        Listed {
            file: self.file,
            data: self.pieces.iter().map(|&(data, len)| Piece { data, len }).collect(),
            min: params.min(),
            avg: params.avg(),
            max: params.max(),
            level: params.level(),
            gear: gear_text(gear.kind()),
            block_len: block_log2.map(|log2| 1 << log2),
            stream_id: hex(stream_id),
            chunks: chunks.collect(),
        }
    }
}

/// Raw and LZ4 records and references, each kind of gear table, and a stream of nothing; a few KiB in all.
pub fn all() -> Vec<Golden> {
    let smallest = |level| ChunkParams::new(64, 256, 1024, level).expect("sizes and level are valid");
    let medium = ChunkParams::new(512, 2048, 8192, 2).expect("sizes and level are valid");
    let recipe = |params, gear, block_log2, last| {
        let mut stream_id = *b"golden stream  0";
        stream_id[15] = last;
        Recipe { params, gear, block_log2, stream_id, key: KEY }
    };
    let published = GearTable::published().clone();
    let keyed = GearTable::keyed(&id_key(), &smallest(3));
    let random = |seed| Data::Random { seed };
    let log = Data::Periodic { period: 389, seed: 23 };
    vec![
        Golden { file: "empty.cmill", pieces: vec![], recipe: recipe(smallest(1), published.clone(), None, b'1') },
        Golden {
            file: "raw.cmill",
            pieces: vec![(random(21), 1500)],
            recipe: recipe(smallest(1), published.clone(), None, b'2'),
        },
        Golden {
            file: "lz4.cmill",
            pieces: vec![(log, 3000), (random(22), 1100), (log, 2500), (Data::Constant { byte: 0 }, 9000)],
            recipe: recipe(medium, published, Some(10), b'3'),
        },
        Golden {
            file: "references.cmill",
            pieces: vec![(random(24), 900), (Data::Constant { byte: 0xff }, 4500), (random(24), 900)],
            recipe: recipe(smallest(0), GearTable::seeded(666), Some(16), b'4'),
        },
        Golden {
            file: "keyed.cmill",
            pieces: vec![(random(25), 1000)],
            recipe: recipe(smallest(3), keyed, None, b'5'),
        },
    ]
}

/// The text of `tests/vectors/packs.json`, which lists the packs and their chunks.
pub fn listing() -> String {
    let key = str::from_utf8(&KEY).expect("the key of the tests is text");
    let packs = all().iter().map(Golden::listed).collect();
    let mut text = serde_json::to_string_pretty(&Listing { about: ABOUT, key, packs }).expect("no odd keys");
    text.push('\n');
    text
}

/// A kind of gear table as the listing has it.
pub fn gear_text(kind: GearKind) -> String {
    match kind {
        GearKind::Published => "published".to_owned(),
        GearKind::Seeded(seed) => format!("seeded {seed:#018x}"),
        GearKind::Keyed { counter } => format!("keyed {counter}"),
        other => panic!("{other:?} is new"),
    }
}

/// Bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
