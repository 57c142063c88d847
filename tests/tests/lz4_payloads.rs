//! Payloads cut out of packs are LZ4 frames to whoever knows LZ4: the frame decoder of `lz4_flex`, and the program `lz4`
//! where it is installed.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic fails the test, which is what it is for"
)]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use chunkmill_core::ChunkParams;
use chunkmill_tests::data::{Data, Rng};
use chunkmill_tests::pack_writing::{Put, Recipe, every_kind, lines};
use chunkmill_tests::plain_pack::{self, LZ4};
use lz4_flex::frame::FrameDecoder;

/// Chunks of every kind of data that gets shorter, around whole numbers of blocks, with and without a random stretch.
fn chunks(block_log2: u8) -> Vec<Vec<u8>> {
    let block_len = 1 << block_log2;
    let mut rng = Rng::new(u64::from(block_log2));
    let mut chunks = vec![lines(1, 100), vec![0; 100], lines(2, block_len), vec![7; 5 * block_len]];
    for around in [block_len, 2 * block_len, 3 * block_len] {
        for len in [around - 1, around, around + 1] {
            chunks.extend([lines(rng.next(), len), vec![0; len], Data::Mixed { seed: rng.next() }.bytes(len)]);
            let random_at = rng.below(len);
            let random_len = rng.below(len - random_at).min(3 * len / 4);
            let mut mixture = lines(rng.next(), len);
            mixture[random_at..][..random_len].copy_from_slice(&Data::Random { seed: rng.next() }.bytes(random_len));
            chunks.push(mixture);
        }
    }
    chunks
}

/// Chunks and the payloads that they became, for every block length.
fn payloads() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut payloads = Vec::new();
    for block_log2 in 10..=16 {
        let params = ChunkParams::new(64, 65_536, 1 << 19, 1).unwrap();
        let recipe = Recipe { block_log2: Some(block_log2), params, ..Recipe::small() };
        let puts: Vec<Put> = chunks(block_log2).into_iter().map(Put::Store).collect();
        let pack = plain_pack::parse(&recipe.pack(&puts), &recipe.key).unwrap();
        for (entry, put) in pack.entries.into_iter().zip(puts) {
            if entry.fields.kind == LZ4 {
                payloads.push((put.bytes().to_vec(), entry.payload));
            }
        }
    }
    assert!(payloads.len() > 150, "{} payloads", payloads.len());
    payloads
}

#[test]
fn frame_decoder_reads_payloads() {
    for (chunk, payload) in payloads() {
        let mut input = &payload[..];
        let mut bytes = Vec::new();
        FrameDecoder::new(&mut input).read_to_end(&mut bytes).unwrap();
        assert!(bytes == chunk, "{} bytes", chunk.len());
        assert!(input.is_empty(), "the frame ends where the payload does");
    }
}

#[test]
fn lz4_program_reads_payloads() {
    let version = Command::new("lz4").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        eprintln!("lz4 is not installed: its half of this file was not run");
        return;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("payload-{}.lz4", std::process::id()));
    let mut payloads = payloads();
    let small = plain_pack::parse(&Recipe::small().pack(&every_kind()), &Recipe::small().key).unwrap();
    for (entry, put) in small.entries.into_iter().zip(every_kind()) {
        if entry.fields.kind == LZ4 {
            payloads.push((put.bytes().to_vec(), entry.payload));
        }
    }
    for (chunk, payload) in payloads {
        fs::write(&path, &payload).unwrap();
        let output = Command::new("lz4").args(["-d", "-c", "-q"]).arg(&path).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} bytes: {complaint}", payload.len());
        assert!(output.stdout == chunk, "{} bytes: {complaint}", payload.len());
    }
    fs::remove_file(&path).unwrap();
}
