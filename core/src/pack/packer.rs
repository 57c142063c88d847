use super::layout::{Compression, HEADER_LEN, RECORD_LEN, StreamHeader};
#[cfg(feature = "lz4")]
use super::lz4::Compressor;
use super::writer::{Stored, Writer};
use crate::{Chunk, ChunkHasher, ChunkParams, GearTable, IdKey, Retained};

/// Makes whole records of chunks, compressed where that pays. Knows nothing of devices: it gives the bytes, the caller
/// writes them.
///
/// Takes 312 bytes of RAM on 64-bit targets, besides the memory lent to its compressor.
///
/// ```
/// use chunkmill_core::pack::Packer;
/// use chunkmill_core::{Chunk, ChunkParams, GearTable, IdKey, Retained};
///
/// let key = IdKey::from_bytes([7; 32]);
/// let mut packer = Packer::new(ChunkParams::DEFAULT, GearTable::published(), [9; 16], &key);
/// let mut device = packer.header().to_vec();
/// let bytes = b"all there is";
/// let chunk = Chunk { offset: 0, len: 12, id: key.id_of(bytes) };
/// for part in packer.store(&Retained { chunk, first: bytes, second: b"" }).parts() {
///     device.extend(part);
/// }
/// device.extend(packer.refer(&chunk));
/// device.extend(packer.trailer());
/// assert_eq!(device.len(), 76 + 68 + 12 + 68 + 68);
/// ```
#[derive(Debug)]
pub struct Packer<'m> {
    key: IdKey,
    header: StreamHeader,
    header_bytes: [u8; HEADER_LEN],
    writer: Writer,
    memory: Memory<'m>,
}

#[cfg(feature = "lz4")]
type Memory<'m> = Option<Compressor<'m>>;
#[cfg(not(feature = "lz4"))]
type Memory<'m> = core::marker::PhantomData<&'m mut [u8]>;

/// A record in the parts to be written one behind the other.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pieces<'p> {
    head: [u8; RECORD_LEN],
    first: &'p [u8],
    second: &'p [u8],
    stored: Stored,
}

impl<'m> Packer<'m> {
    /// Packs without compression. `stream_id` should be 16 random bytes, and must never be used for two streams.
    pub fn new(params: ChunkParams, gear: &GearTable, stream_id: [u8; 16], key: &IdKey) -> Self {
        let header = StreamHeader { params, gear: gear.kind(), compression: Compression::None, stream_id };
        Self::with(header, key, Memory::default())
    }

    /// Packs with LZ4.
    #[cfg(feature = "lz4")]
    pub fn compressing(
        params: ChunkParams,
        gear: &GearTable,
        stream_id: [u8; 16],
        key: &IdKey,
        compressor: Compressor<'m>,
    ) -> Self {
        let compression = Compression::Lz4(compressor.block());
        let header = StreamHeader { params, gear: gear.kind(), compression, stream_id };
        Self::with(header, key, Some(compressor))
    }

    /// Packs chunks that someone else compresses with a [`Compressor`] of this block length: see
    /// [`store_frame`](Self::store_frame). What [`store`](Self::store) is given is stored raw.
    #[cfg(feature = "lz4")]
    pub fn precompressed(
        params: ChunkParams,
        gear: &GearTable,
        stream_id: [u8; 16],
        key: &IdKey,
        block: super::BlockLen,
    ) -> Self {
        let header = StreamHeader { params, gear: gear.kind(), compression: Compression::Lz4(block), stream_id };
        Self::with(header, key, Memory::default())
    }

    fn with(header: StreamHeader, key: &IdKey, memory: Memory<'m>) -> Self {
        let (writer, header_bytes) = Writer::new(&header, key);
        Self { key: key.clone(), header, header_bytes, writer, memory }
    }

    /// What the stream says about itself.
    pub const fn stream_header(&self) -> StreamHeader {
        self.header
    }

    /// The bytes to write first.
    pub const fn header(&self) -> [u8; HEADER_LEN] {
        self.header_bytes
    }

    /// Records so far.
    pub const fn records(&self) -> u64 {
        self.writer.records()
    }

    /// Whether a chunk may come next: it begins where the one before ended, and its length keeps to the sizes in the header.
    pub const fn accepts(&self, chunk: &Chunk) -> bool {
        chunk.offset == self.writer.bytes() && chunk.len > 0 && chunk.len <= self.header.params.max()
    }

    /// Whether a chunk and its bytes may be stored next: besides, they are as many as it says, and the first chunk of all
    /// has the id that this packer's key gives. That finds a chunker of another key, at the price of hashing one chunk.
    pub fn accepts_bytes(&self, retained: &Retained<'_>) -> bool {
        let len = retained.first.len().saturating_add(retained.second.len());
        self.accepts(&retained.chunk)
            && usize::try_from(retained.chunk.len) == Ok(len)
            && (self.records() > 0 || self.has_key_of(retained))
    }

    // Never inlined: its hasher would take 1,920 bytes of the stack from whoever drives the sink, all the time.
    #[inline(never)]
    fn has_key_of(&self, retained: &Retained<'_>) -> bool {
        let mut hasher = ChunkHasher::new(&self.key);
        hasher.update(retained.first);
        hasher.update(retained.second);
        hasher.finish() == retained.chunk.id
    }

    /// The record of a chunk that is to be stored, which should be one that it [accepts](Self::accepts_bytes). It counts from
    /// now on: write it whole, or give the stream up.
    pub fn store<'p>(&'p mut self, retained: &Retained<'p>) -> Pieces<'p> {
        let Retained { chunk, first, second } = *retained;
        #[cfg(feature = "lz4")]
        if let Some(frame) = self.memory.as_mut().and_then(|compressor| compressor.compress(first, second)) {
            return frame_record(&mut self.writer, &chunk, frame);
        }
        Pieces { head: self.writer.record(&chunk, Stored::Raw), first, second, stored: Stored::Raw }
    }

    /// The record of a chunk whose LZ4 frame is at hand: what [`Compressor::compress`] made of it. As for
    /// [`store`](Self::store), it should be one that is accepted, and it counts from now on.
    #[cfg(feature = "lz4")]
    pub fn store_frame<'p>(&mut self, chunk: &Chunk, frame: &'p [u8]) -> Pieces<'p> {
        frame_record(&mut self.writer, chunk, frame)
    }

    /// The record of a chunk that was stored before.
    pub fn refer(&mut self, chunk: &Chunk) -> [u8; RECORD_LEN] {
        self.writer.record(chunk, Stored::Reference)
    }

    /// The bytes to write last. The same again if called again.
    pub fn trailer(&self) -> [u8; RECORD_LEN] {
        self.writer.trailer()
    }
}

#[cfg(feature = "lz4")]
fn frame_record<'p>(writer: &mut Writer, chunk: &Chunk, frame: &'p [u8]) -> Pieces<'p> {
    // A frame is shorter than its chunk, whose length has 32 bits.
    let stored = Stored::Lz4(u32::try_from(frame.len()).unwrap_or(u32::MAX));
    Pieces { head: writer.record(chunk, stored), first: frame, second: &[], stored }
}

impl Pieces<'_> {
    /// The parts: what stands before the payload, and the payload in two slices, of which any may be empty.
    pub const fn parts(&self) -> [&[u8]; 3] {
        [&self.head, self.first, self.second]
    }

    /// How the chunk is stored.
    pub const fn stored(&self) -> Stored {
        self.stored
    }

    /// Bytes of the payload.
    pub const fn payload_len(&self) -> usize {
        self.first.len().saturating_add(self.second.len())
    }
}

#[cfg(test)]
mod tests {
    #[cfg(all(target_pointer_width = "64", feature = "lz4"))]
    #[test]
    fn ram_is_as_documented() {
        use super::{Compressor, Packer};
        assert_eq!(size_of::<Packer<'_>>(), 312);
        assert_eq!(size_of::<Compressor<'_>>(), 48);
    }
}
