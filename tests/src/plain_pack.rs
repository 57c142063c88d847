//! The pack format once more, written from its description alone: a plain parser and a plain writer over `Vec`, with
//! `blake3` used directly. Nothing of chunkmill's own code is used in here, so that the two can be compared.
//!
//! The writer seals whatever fields it is given: it also stands for a writer that has the key and lies.

pub use crate::plain_frame::{Block, blocks, frame};

/// Bytes of a header.
pub const HEADER: usize = 76;
/// Bytes of a record without its payload.
pub const RECORD: usize = 68;

/// Kinds of records.
pub const RAW: u8 = 1;
/// A record with an LZ4 frame.
pub const LZ4: u8 = 2;
/// A record without payload.
pub const REFERENCE: u8 = 3;
/// The last record.
pub const TRAILER: u8 = 4;

const MAGIC: [u8; 8] = [0x8e, b'C', b'M', b'I', b'L', b'L', b'\n', 0x1a];

/// The fields of a header between the magic and the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Format version.
    pub version: u16,
    /// Chunker id.
    pub chunker: u16,
    /// Minimum chunk size.
    pub min: u32,
    /// Average chunk size.
    pub avg: u32,
    /// Maximum chunk size.
    pub max: u32,
    /// Normalization level.
    pub level: u8,
    /// Gear table: 0 published, 1 seeded, 2 keyed.
    pub gear: u8,
    /// Compression: 0 none, 1 LZ4.
    pub compression: u8,
    /// log2 of the block length; 0 without compression.
    pub block_log2: u8,
    /// Seed or counter.
    pub gear_value: u64,
    /// Stream id.
    pub stream_id: [u8; 16],
}

/// The fields of a record, the trailer's among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Kind.
    pub kind: u8,
    /// The three bytes that are 0.
    pub zeros: [u8; 3],
    /// Raw length; of a trailer, the lower half of the total.
    pub raw_len: u32,
    /// Stored length; of a trailer, the upper half of the total.
    pub stored_len: u32,
    /// Sequence number.
    pub sequence: u64,
    /// Id of the chunk; of a trailer, the chain.
    pub id: [u8; 32],
}

/// A record as it was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Offset in the pack.
    pub at: usize,
    /// Its fields.
    pub fields: Fields,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// A pack as it was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Its header.
    pub head: Head,
    /// Its records, without the trailer.
    pub entries: Vec<Entry>,
    /// Its trailer.
    pub trailer: Entry,
}

impl Head {
    /// Bytes 0 to 51 of a header.
    pub fn bytes(&self) -> Vec<u8> {
        [
            &MAGIC[..],
            &self.version.to_le_bytes(),
            &self.chunker.to_le_bytes(),
            &self.min.to_le_bytes(),
            &self.avg.to_le_bytes(),
            &self.max.to_le_bytes(),
            &[self.level, self.gear, self.compression, self.block_log2],
            &self.gear_value.to_le_bytes(),
            &self.stream_id,
        ]
        .concat()
    }

    /// The whole header.
    pub fn sealed(&self, key: &[u8; 32]) -> Vec<u8> {
        let mut bytes = self.bytes();
        bytes.extend(tag(&tag_key(key), &[&bytes]));
        bytes.extend(plain_sum(&bytes));
        bytes
    }
}

impl Fields {
    fn bytes(&self) -> Vec<u8> {
        [
            &[self.kind][..],
            &self.zeros,
            &self.raw_len.to_le_bytes(),
            &self.stored_len.to_le_bytes(),
            &self.sequence.to_le_bytes(),
            &self.id,
        ]
        .concat()
    }
}

/// The key of checks, tags and chain.
pub fn tag_key(key: &[u8; 32]) -> [u8; 32] {
    blake3::derive_key("chunkmill pack tag key v1", key)
}

/// The id of a chunk.
pub fn id(key: &[u8; 32], chunk: &[u8]) -> [u8; 32] {
    *blake3::keyed_hash(key, chunk).as_bytes()
}

fn tag(tag_key: &[u8; 32], parts: &[&[u8]]) -> [u8; 16] {
    blake3::keyed_hash(tag_key, &parts.concat()).as_bytes()[..16].try_into().expect("16 bytes")
}

fn plain_sum(bytes: &[u8]) -> [u8; 8] {
    blake3::hash(bytes).as_bytes()[..8].try_into().expect("8 bytes")
}

fn next_in_chain(tag_key: &[u8; 32], chain: &[u8; 32], id: &[u8; 32]) -> [u8; 32] {
    *blake3::keyed_hash(tag_key, &[&chain[..], &id[..]].concat()).as_bytes()
}

/// Writes a pack, honestly or not.
#[derive(Clone, Debug)]
pub struct Scribe {
    key: [u8; 32],
    tag_key: [u8; 32],
    stream_id: [u8; 16],
    sequence: u64,
    total: u64,
    chain: [u8; 32],
    pack: Vec<u8>,
}

impl Scribe {
    /// A pack with a header and nothing else so far.
    pub fn new(head: &Head, key: &[u8; 32]) -> Self {
        Self {
            key: *key,
            tag_key: tag_key(key),
            stream_id: head.stream_id,
            sequence: 0,
            total: 0,
            chain: [0; 32],
            pack: head.sealed(key),
        }
    }

    /// Bytes of the pack so far.
    pub const fn len(&self) -> usize {
        self.pack.len()
    }

    /// Whether there is not even a header, which never is.
    pub const fn is_empty(&self) -> bool {
        self.pack.is_empty()
    }

    /// The fields that belong to the next record.
    pub fn honest(&self, kind: u8, chunk: &[u8], payload_len: usize) -> Fields {
        Fields {
            kind,
            zeros: [0; 3],
            raw_len: chunk.len() as u32,
            stored_len: payload_len as u32,
            sequence: self.sequence,
            id: id(&self.key, chunk),
        }
    }

    /// The fields that belong to the trailer.
    pub const fn honest_trailer(&self) -> Fields {
        Fields {
            kind: TRAILER,
            zeros: [0; 3],
            raw_len: self.total as u32,
            stored_len: (self.total >> 32) as u32,
            sequence: self.sequence,
            id: self.chain,
        }
    }

    /// A record of these fields under a good tag, and this payload.
    pub fn put(&mut self, fields: &Fields, payload: &[u8]) {
        let bytes = fields.bytes();
        self.pack.extend(&bytes);
        self.pack.extend(tag(&self.tag_key, &[&self.stream_id, &bytes]));
        self.pack.extend(payload);
        self.sequence += 1;
        self.total += u64::from(fields.raw_len);
        self.chain = next_in_chain(&self.tag_key, &self.chain, &fields.id);
    }

    /// A chunk as it is.
    pub fn raw(&mut self, chunk: &[u8]) {
        self.put(&self.honest(RAW, chunk, chunk.len()), chunk);
    }

    /// A chunk as this frame.
    pub fn lz4(&mut self, chunk: &[u8], frame: &[u8]) {
        self.put(&self.honest(LZ4, chunk, frame.len()), frame);
    }

    /// A chunk that lies elsewhere.
    pub fn reference(&mut self, chunk: &[u8]) {
        self.put(&self.honest(REFERENCE, chunk, 0), &[]);
    }

    /// The pack with its trailer.
    pub fn end(self) -> Vec<u8> {
        let trailer = self.honest_trailer();
        self.end_with(&trailer)
    }

    /// The pack with a trailer of these fields.
    pub fn end_with(mut self, trailer: &Fields) -> Vec<u8> {
        self.put(trailer, &[]);
        self.pack
    }
}

/// A pack's parts as bytes: header, records with their payloads, trailer. For cutting and pasting; checks nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The header.
    pub header: Vec<u8>,
    /// The records, each with its payload.
    pub records: Vec<Vec<u8>>,
    /// The trailer.
    pub trailer: Vec<u8>,
}

impl Parts {
    /// Cuts a pack at the lengths its records give.
    pub fn of(pack: &[u8]) -> Self {
        let (header, mut rest) = pack.split_at(HEADER);
        let mut records = Vec::new();
        while rest[0] != TRAILER {
            let (record, tail) = rest.split_at(RECORD + u32_at(rest, 8) as usize);
            records.push(record.to_vec());
            rest = tail;
        }
        Self { header: header.to_vec(), records, trailer: rest.to_vec() }
    }

    /// The parts one behind the other.
    pub fn join(&self) -> Vec<u8> {
        [&self.header[..], &self.records.concat(), &self.trailer].concat()
    }

    /// Offset of record `index`; the trailer counts as one.
    pub fn offset(&self, index: usize) -> usize {
        HEADER + self.records[..index].concat().len()
    }
}

/// Reads a whole pack and checks all that its description says, but for what LZ4 blocks hold.
///
/// # Errors
///
/// The first thing that is not as described.
pub fn parse(pack: &[u8], key: &[u8; 32]) -> Result<Pack, String> {
    let tag_key = tag_key(key);
    let head = parse_head(pack, &tag_key)?;
    let mut at = HEADER;
    let mut entries = Vec::new();
    let (mut total, mut chain) = (0, [0; 32]);
    loop {
        let entry = parse_record(pack, at, &tag_key, &head.stream_id)?;
        let Fields { kind, raw_len, stored_len, sequence, id: said, .. } = entry.fields;
        if sequence != entries.len() as u64 {
            return Err(format!("sequence number {sequence} at {at}"));
        }
        if kind == TRAILER {
            if u64::from(raw_len) | u64::from(stored_len) << 32 != total || said != chain {
                return Err(format!("trailer at {at}"));
            }
            if pack.len() != at + RECORD {
                return Err("bytes behind the trailer".to_owned());
            }
            return Ok(Pack { head, entries, trailer: entry });
        }
        if kind == RAW && (entry.payload.len() != raw_len as usize || id(key, &entry.payload) != said) {
            return Err(format!("raw payload at {at}"));
        }
        if kind == LZ4 && (head.compression != 1 || blocks(&entry.payload).is_none()) {
            return Err(format!("LZ4 payload at {at}"));
        }
        if kind == REFERENCE && stored_len != 0 {
            return Err(format!("payload of a reference at {at}"));
        }
        total += u64::from(raw_len);
        chain = next_in_chain(&tag_key, &chain, &said);
        at += RECORD + entry.payload.len();
        entries.push(entry);
    }
}

fn parse_head(pack: &[u8], tag_key: &[u8; 32]) -> Result<Head, String> {
    let bytes = pack.get(..HEADER).ok_or("short header")?;
    if bytes[..8] != MAGIC {
        return Err("magic".to_owned());
    }
    if bytes[68..] != plain_sum(&bytes[..68]) {
        return Err("plain sum".to_owned());
    }
    if bytes[52..68] != tag(tag_key, &[&bytes[..52]]) {
        return Err("keyed check".to_owned());
    }
    let head = Head {
        version: u16::from_le_bytes([bytes[8], bytes[9]]),
        chunker: u16::from_le_bytes([bytes[10], bytes[11]]),
        min: u32_at(bytes, 12),
        avg: u32_at(bytes, 16),
        max: u32_at(bytes, 20),
        level: bytes[24],
        gear: bytes[25],
        compression: bytes[26],
        block_log2: bytes[27],
        gear_value: u64_at(bytes, 28),
        stream_id: bytes[36..52].try_into().expect("16 bytes"),
    };
    match (head.version, head.chunker, head.compression, head.block_log2) {
        (1, 1, 0, 0) | (1, 1, 1, 10..=16) => Ok(head),
        _ => Err(format!("unknown values in {head:?}")),
    }
}

fn parse_record(pack: &[u8], at: usize, tag_key: &[u8; 32], stream_id: &[u8; 16]) -> Result<Entry, String> {
    let bytes = pack.get(at..at + RECORD).ok_or(format!("short record at {at}"))?;
    if bytes[52..] != tag(tag_key, &[stream_id, &bytes[..52]]) {
        return Err(format!("tag at {at}"));
    }
    let fields = Fields {
        kind: bytes[0],
        zeros: [bytes[1], bytes[2], bytes[3]],
        raw_len: u32_at(bytes, 4),
        stored_len: u32_at(bytes, 8),
        sequence: u64_at(bytes, 12),
        id: bytes[20..52].try_into().expect("32 bytes"),
    };
    if fields.zeros != [0; 3] || !(RAW..=TRAILER).contains(&fields.kind) {
        return Err(format!("kind at {at}"));
    }
    let payload_len = if fields.kind == TRAILER { 0 } else { fields.stored_len as usize };
    let payload = pack.get(at + RECORD..).and_then(|rest| rest.get(..payload_len));
    Ok(Entry { at, fields, payload: payload.ok_or(format!("short payload at {at}"))?.to_vec() })
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}
