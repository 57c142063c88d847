use super::*;

/// A peer that sends on only when what it sent has been acknowledged, but for so many bytes.
struct LockStep<'b> {
    left: &'b [u8],
    sent: u64,
    ahead: u64,
    acknowledged: &'b AtomicU64,
}

impl Read for LockStep<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.sent - self.acknowledged.load(Ordering::SeqCst) > self.ahead {
            thread::sleep(Duration::from_millis(1));
        }
        let len = self.left.read(&mut buffer[..40_000])?;
        self.sent += len as u64;
        Ok(len)
    }
}

/// No chunk that is known waits for bytes that are not there yet.
#[test]
fn a_peer_that_waits_for_chunks_is_never_waited_for() {
    within_a_minute(|| {
        let (key, params) = (key(), params(4 << 10, 16 << 10, 64 << 10));
        let bytes = noise(11, 3_000_000);
        let scanner = Scanner::new(params, GearTable::published(), &key).with_gate(ALWAYS);
        for threads in [1, 2, 3, 4] {
            // One chunk of the largest size may be at hand, and the byte that decides about it.
            for ahead in [(64 << 10) + 2, 150_000, 300_000] {
                let acknowledged = AtomicU64::new(0);
                let peer = LockStep { left: &bytes, sent: 0, ahead, acknowledged: &acknowledged };
                let visit = |chunk: Chunk| {
                    acknowledged.store(chunk.offset + u64::from(chunk.len), Ordering::SeqCst);
                    Ok::<(), Infallible>(())
                };
                let read = Pool::scope(threads, |pool| scanner.scan(pool, peer, visit)).unwrap();
                assert_eq!(read, 3_000_000, "{threads} threads, {ahead} bytes");
            }
        }
    });
}
