use chunkmill::core::{ChunkParams, GearTable, IdKey, Size};
use clap::Args;

use crate::failure::Failure;
use crate::sizes::{parse_chunk_size, parse_digits};

#[derive(Args, Debug)]
#[command(next_help_heading = "Chunking")]
pub(crate) struct ChunkingArgs {
    /// Smallest chunk [default: a quarter of the average, 512KiB]
    #[arg(long, value_parser = parse_chunk_size, value_name = "SIZE")]
    min: Option<u32>,

    /// Average chunk; random data gives chunks of about 1.2 times that
    #[arg(long, value_parser = parse_chunk_size, default_value = "2MiB", value_name = "SIZE")]
    avg: u32,

    /// Largest chunk [default: four times the average, 8MiB]
    #[arg(long, value_parser = parse_chunk_size, value_name = "SIZE")]
    max: Option<u32>,

    /// Normalization, 0 to 3: the higher, the closer chunks are to the average
    #[arg(long, default_value_t = 1, value_name = "LEVEL")]
    level: u8,

    /// Seed of the gear table; another seed cuts elsewhere
    #[arg(long, default_value_t = 0, value_parser = parse_seed, value_name = "NUMBER")]
    seed: u64,

    /// Cut by a gear table made from the key: it hides where known content would be cut
    #[arg(long, conflicts_with = "seed")]
    pub(crate) keyed_gear: bool,
}

impl ChunkingArgs {
    pub(crate) fn params(&self) -> Result<ChunkParams, Failure> {
        // Kept within their limits, so that an average out of its own is what the error names.
        let within = |size: Size, value: u32| value.clamp(size.limits().0, size.limits().1);
        let min = self.min.unwrap_or_else(|| within(Size::Min, (self.avg / 4) & !1));
        let max = self.max.unwrap_or_else(|| within(Size::Max, self.avg.saturating_mul(4)));
        Ok(ChunkParams::new(min, self.avg, max, self.level)?)
    }

    pub(crate) fn gear(&self, key: &IdKey, params: &ChunkParams) -> GearTable {
        if self.keyed_gear { GearTable::keyed(key, params) } else { GearTable::seeded(self.seed) }
    }
}

fn parse_seed(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => parse_digits(hex, 16),
        None => parse_digits(text, 10),
    };
    number.ok_or_else(|| "expected a whole number below 2^64, or one in hex such as 0x1f".to_owned())
}
