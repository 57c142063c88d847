//! The keyed checks of a stream.

use super::layout::{HEADER_LEN, Out, RECORD_LEN, Record, SUMMED_LEN, StreamHeader, TAG_LEN, TAGGED_LEN};
use crate::IdKey;

/// Makes and checks the tags of one stream, and keeps its chain.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    key: IdKey,
    stream_id: [u8; 16],
    chain: [u8; 32],
}

/// What is wrong with a header's checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderCheck {
    Damaged,
    WrongKey,
}

impl Tags {
    pub(super) fn new(id_key: &IdKey, stream_id: [u8; 16]) -> Self {
        Self { key: id_key.derive("chunkmill pack tag key v1"), stream_id, chain: [0; 32] }
    }

    /// The whole header: fields, keyed check, plain sum.
    pub(super) fn seal_header(&self, header: &StreamHeader) -> [u8; HEADER_LEN] {
        let fields = header.encode();
        let mut summed = [0; SUMMED_LEN];
        let mut out = Out(&mut summed);
        out.put(fields);
        out.put(self.tag(&fields));
        let mut bytes = [0; HEADER_LEN];
        let mut out = Out(&mut bytes);
        out.put(summed);
        out.put(plain_sum(&summed));
        bytes
    }

    /// Checks the sums of a header with magic and version. The keyed one is under a key that only the id key gives.
    pub(super) fn check_header(id_key: &IdKey, bytes: &[u8; HEADER_LEN]) -> Result<[u8; TAGGED_LEN], HeaderCheck> {
        let Some((summed, sum)) = bytes.split_first_chunk::<SUMMED_LEN>() else { return Err(HeaderCheck::Damaged) };
        let Some((fields, tag)) = summed.split_first_chunk::<TAGGED_LEN>() else { return Err(HeaderCheck::Damaged) };
        if plain_sum(summed) != sum {
            return Err(HeaderCheck::Damaged);
        }
        if !same(&Self::new(id_key, [0; 16]).tag(fields), tag) {
            return Err(HeaderCheck::WrongKey);
        }
        Ok(*fields)
    }

    /// A record's fields and their tag.
    pub(super) fn seal(&self, record: &Record) -> [u8; RECORD_LEN] {
        let fields = record.encode();
        let mut bytes = [0; RECORD_LEN];
        let mut out = Out(&mut bytes);
        out.put(fields);
        out.put(self.record_tag(&fields));
        bytes
    }

    /// The fields of a record, if its tag holds.
    pub(super) fn check_record(&self, bytes: &[u8; RECORD_LEN]) -> Option<[u8; TAGGED_LEN]> {
        let (fields, tag) = bytes.split_first_chunk::<TAGGED_LEN>()?;
        same(&self.record_tag(fields), tag).then_some(*fields)
    }

    /// Each record makes the chain the keyed hash of the chain so far and its id.
    pub(super) fn extend_chain(&mut self, record: &Record) {
        let mut joined = [0; 64];
        let mut out = Out(&mut joined);
        out.put(self.chain);
        out.put(record.id);
        self.chain = *self.key.hash(&joined).as_bytes();
    }

    pub(super) const fn chain(&self) -> [u8; 32] {
        self.chain
    }

    fn record_tag(&self, fields: &[u8; TAGGED_LEN]) -> [u8; TAG_LEN] {
        let mut joined = [0; 16 + TAGGED_LEN];
        let mut out = Out(&mut joined);
        out.put(self.stream_id);
        out.put(*fields);
        self.tag(&joined)
    }

    /// Of bytes at hand: a hasher that takes them in parts would need 2 KB of stack, and wipe it for each record.
    fn tag(&self, bytes: &[u8]) -> [u8; TAG_LEN] {
        first_of(self.key.hash(bytes).as_bytes())
    }
}

fn plain_sum(bytes: &[u8; SUMMED_LEN]) -> [u8; 8] {
    first_of(blake3::hash(bytes).as_bytes())
}

fn first_of<const N: usize>(hash: &[u8; 32]) -> [u8; N] {
    hash.first_chunk().copied().unwrap_or([0; N])
}

/// Compares tags in a time that does not depend on where they differ, which `blake3::Hash` does for 32 bytes.
fn same(ours: &[u8; TAG_LEN], theirs: &[u8]) -> bool {
    let Ok(theirs) = <[u8; TAG_LEN]>::try_from(theirs) else { return false };
    let widen = |tag: [u8; TAG_LEN]| {
        let mut bytes = [0; 32];
        Out(&mut bytes).put(tag);
        blake3::Hash::from_bytes(bytes)
    };
    widen(*ours) == widen(theirs)
}
