//! Text soup: seeded words with the lengths, letters and frequencies of English prose, near enough for a benchmark.

use crate::rng::SplitMix;

/// Words known to a soup, the most frequent first.
const WORDS_LOG2: usize = 12;

/// How long words are, as a list to draw from; common words (the first 64) and all others.
const COMMON_LENS: &[u8] = &[1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 5];
const OTHER_LENS: &[u8] = &[3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 10, 10, 11, 12, 14];

/// Letters about as often as English has them.
const LETTERS: &[u8] =
    b"eeeeeeeeeeeettttttttttaaaaaaaaooooooooiiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvkjxqz";

/// Sentences on a line, and words in a sentence: from and up to (exclusive).
const SENTENCES: (usize, usize) = (3, 9);
const SENTENCE_WORDS: (usize, usize) = (4, 28);

/// Turns of phrase known to a soup, how many words they have (from and up to), and one in how many draws is of a phrase. Prose
/// says the same again: without them LZ4 gains far less than on real documents.
const PHRASES: usize = 512;
const PHRASE_WORDS: (usize, usize) = (2, 6);
const PHRASE_SHARE: usize = 4;

/// A vocabulary, and the seed of the texts made from it.
pub(crate) struct Soup {
    seed: u64,
    words: Vec<Vec<u8>>,
    phrases: Vec<Vec<u8>>,
}

impl Soup {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = SplitMix::new(seed);
        let words: Vec<Vec<u8>> = (0..1 << WORDS_LOG2)
            .map(|rank| {
                let lens = if rank < 64 { COMMON_LENS } else { OTHER_LENS };
                let len = lens[rng.below(lens.len())];
                (0..len).map(|_| LETTERS[rng.below(LETTERS.len())]).collect()
            })
            .collect();
        let mut soup = Self { seed, words, phrases: Vec::new() };
        soup.phrases = (0..PHRASES).map(|_| soup.phrase(&mut rng)).collect();
        soup
    }

    fn phrase(&self, rng: &mut SplitMix) -> Vec<u8> {
        let words: Vec<&[u8]> = (0..between(rng, PHRASE_WORDS)).map(|_| self.word(rng)).collect();
        words.join(&b' ')
    }

    /// Fills `out` with the text of block `number`.
    pub(crate) fn fill(&self, number: u64, out: &mut [u8]) {
        let mut rng = SplitMix::part(self.seed, number);
        let mut page = Page { out, len: 0 };
        while !page.is_full() {
            for _ in 0..between(&mut rng, SENTENCES) {
                self.sentence(&mut rng, &mut page);
            }
            page.put(b"\n");
        }
    }

    fn sentence(&self, rng: &mut SplitMix, page: &mut Page<'_>) {
        let count = between(rng, SENTENCE_WORDS);
        for index in 0..count {
            let word = self.word_or_phrase(rng);
            if index == 0 {
                page.put(&[word[0].to_ascii_uppercase()]);
                page.put(&word[1..]);
            } else {
                page.put(word);
            }
            page.put(match rng.below(9) {
                _ if index + 1 == count => b". ",
                0 => b", ",
                _ => b" ",
            });
        }
    }

    fn word_or_phrase(&self, rng: &mut SplitMix) -> &[u8] {
        if rng.below(PHRASE_SHARE) == 0 { &self.phrases[rng.below(PHRASES)] } else { self.word(rng) }
    }

    /// Draws a word with a frequency close to one over its rank, as Zipf found it: the rank's number of bits is uniform.
    fn word(&self, rng: &mut SplitMix) -> &[u8] {
        let first = 1 << rng.below(WORDS_LOG2);
        &self.words[first - 1 + rng.below(first)]
    }
}

fn between(rng: &mut SplitMix, (from, to): (usize, usize)) -> usize {
    from + rng.below(to - from)
}

/// A slice that is written from front to back; what no longer fits is dropped.
struct Page<'a> {
    out: &'a mut [u8],
    len: usize,
}

impl Page<'_> {
    fn put(&mut self, bytes: &[u8]) {
        let room = &mut self.out[self.len..];
        let taken = bytes.len().min(room.len());
        room[..taken].copy_from_slice(&bytes[..taken]);
        self.len += taken;
    }

    fn is_full(&self) -> bool {
        self.len == self.out.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_like_prose() {
        let mut out = vec![0; 100_000];
        Soup::new(1).fill(0, &mut out);
        let text = str::from_utf8(&out).unwrap();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let letters: usize = words.iter().map(|word| word.trim_end_matches([',', '.']).len()).sum();
        let mean = letters as f64 / words.len() as f64;
        assert!((3.5..6.5).contains(&mean), "mean word length {mean}");
        assert!(text.lines().count() > 100);
    }

    #[test]
    fn common_words_come_often() {
        let soup = Soup::new(1);
        let mut rng = SplitMix::new(2);
        let first = &soup.words[0];
        let hits = (0..12_000).filter(|_| soup.word(&mut rng) == first).count();
        assert!((800..1300).contains(&hits), "{hits}");
    }
}
