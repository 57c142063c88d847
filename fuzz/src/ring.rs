//! The ring against a model: any operations in any order on rings of any size.

use arbitrary::Unstructured;
use chunkmill_tests::ring_model::Model;

/// The first two bytes are the capacity; then come operations of three bytes.
pub fn run(input: &[u8]) {
    let _ = operate(&mut Unstructured::new(input));
}

fn operate(input: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let mut memory = vec![0xee; usize::from(input.arbitrary::<u16>()? % 5000)];
    let capacity = memory.len();
    let mut model = Model::new(&mut memory);
    model.assert_sound();
    while !input.is_empty() {
        let (operation, number) = (input.arbitrary::<u8>()?, usize::from(input.arbitrary::<u16>()?));
        // Small numbers and whole parts are where things change.
        let up_to = |limit: usize| match operation / 4 % 4 {
            0 => limit,
            1 => (number % 4).min(limit),
            _ => number % (limit + 1),
        };
        match operation % 4 {
            0 => {
                let len = up_to(model.window_len());
                model.commit(len);
            }
            1 => {
                let len = up_to(model.len());
                model.release(len);
            }
            2 => model.assert_refusals(number),
            _ => model.assert_slices(up_to(capacity + 2), number % (capacity + 3)),
        }
        model.assert_sound();
    }
    Ok(())
}
