//! A pack read to its end, by all threads, and what can be done with what comes out.

mod checking;
mod listing;
mod restoring;

use core::ops::ControlFlow;
use std::io::Read;

use chunkmill_core::IdKey;
use chunkmill_core::drive::{ReadError, Stopped, Summary};
use chunkmill_core::pack::{Opener, StreamHeader, Totals};

use super::line::{Line, Output, items_alone, items_within};
use super::parcel::{Entry, Parcel, State, Tools};
use super::records::{Failed, Records};
use crate::{Gate, Pool};

pub use self::checking::{VerifyError, verify};
pub use self::listing::{Listed, list};
pub use self::restoring::{UnpackError, unpack};

/// How a pack is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadSetup<'s> {
    /// The id key.
    pub key: &'s IdKey,
    /// Bytes of memory for parcels of records on their way. A parcel takes up to twice the largest chunk of the pack and 512
    /// KiB, half of that if chunks are only checked. One there is whatever is said here, and no more than one for each thread
    /// and one. What [`Earlier`](super::Earlier) takes comes on top, and a chunk if any repeats.
    pub memory: usize,
    /// Whether a read may wait for a writer, as that of a pipe does. What follows a pack is then only seen if it has come with
    /// it: nobody waits for what need not come.
    pub waits: bool,
    /// From how many bytes of a pack on helpers are called, if more are to come.
    pub gate: Gate,
}

/// What was read of a pack that is good to its trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// What it holds.
    pub summary: Summary,
    /// Whether bytes follow behind the trailer, which are not part of it.
    pub more_follows: bool,
}

/// What is done with the records of a pack, in order, on one thread at a time.
trait Consumer: Send {
    type Error: Send;

    /// Whether it looks at the bytes of chunks.
    const KEEPING: bool = false;

    /// A failure of the pack, as this one's own.
    fn failed(failed: Failed) -> Self::Error;

    /// The header, first.
    fn header(&mut self, _: &StreamHeader) -> Result<(), Self::Error> {
        Ok(())
    }

    /// A record, whose payload is good if it has one. The opener is for what is had from elsewhere.
    fn record(&mut self, parcel: &Parcel, entry: &Entry, opener: &Opener) -> Result<(), Self::Error>;

    /// There is nothing more: a good trailer, or damage. Not called after an error of this one's own.
    fn end(&mut self, _: Option<Totals>) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The line's output.
struct Taking<C: Consumer> {
    consumer: C,
    opener: Opener,
    summary: Summary,
    result: Result<(), Refused<C::Error>>,
}

enum Refused<E> {
    ByConsumer(E),
    Wrong(Failed),
}

fn read<C: Consumer>(
    pool: &Pool<'_, '_>,
    pack: impl Read + Send,
    setup: &ReadSetup<'_>,
    mut consumer: C,
) -> Result<Whole, Stopped<C::Error>> {
    let mut records = Records::new(pack, setup.key, C::KEEPING);
    let begun = records.header().map_err(Refused::Wrong).and_then(|header| {
        consumer.header(&header).map_err(Refused::ByConsumer)?;
        let max = usize::try_from(header.params.max()).unwrap_or(usize::MAX);
        let each = Parcel::most_memory(max, C::KEEPING);
        let parcels = items_within(setup.memory, each, pool.threads(), || Parcel::with_room(max, C::KEEPING));
        let offset = records.offset();
        let parcels = parcels.map_err(|source| Refused::Wrong(Failed::Read(ReadError::Failed { offset, source })))?;
        Ok((parcels, Opener::new(setup.key, &header)))
    });
    let (mut consumer, mut summary, result) = match begun {
        Ok((parcels, opener)) => {
            let mut taking = Taking { consumer, opener: opener.clone(), summary: Summary::default(), result: Ok(()) };
            let line = Line::new(&mut records, |_| false, &mut taking, parcels);
            line.run(
                pool,
                items_alone(setup.gate, Parcel::LEN),
                || Tools::new(&opener),
                |tools, parcel| parcel.open(tools),
            );
            (taking.consumer, taking.summary, taking.result)
        }
        Err(refused) => (consumer, Summary::default(), Err(refused)),
    };
    summary.stored_bytes = records.offset();
    let result = result.and_then(|()| records.ended().map_err(Refused::Wrong));
    let result = match result {
        Ok(totals) => consumer.end(Some(totals)),
        Err(Refused::ByConsumer(error)) => Err(error),
        Err(Refused::Wrong(failed)) => consumer.end(None).and(Err(C::failed(failed))),
    };
    match result {
        Ok(()) => Ok(Whole { summary, more_follows: records.more_follows(setup.waits) }),
        Err(error) => Err(Stopped { summary, error }),
    }
}

impl<C: Consumer> Taking<C> {
    fn take(&mut self, parcel: &Parcel) -> Result<(), Refused<C::Error>> {
        for entry in &parcel.entries {
            if let State::Wrong(error) = entry.state {
                return Err(Refused::Wrong(Failed::Pack(error)));
            }
            self.consumer.record(parcel, entry, &self.opener).map_err(Refused::ByConsumer)?;
            self.summary.count(entry.sealed.chunk().len, entry.state == State::Nothing);
        }
        Ok(())
    }
}

impl<C: Consumer> Output<Parcel> for Taking<C> {
    fn put(&mut self, parcel: &mut Parcel) -> ControlFlow<()> {
        self.result = self.take(parcel);
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
