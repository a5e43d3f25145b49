//! Sets of units.

use fixedbitset::FixedBitSet;

/// A set of units, as bits by unit number. Its length is the number of all units.
pub type Subset = FixedBitSet;

/// Returns the set of all `len` units.
pub(super) fn full_set(len: usize) -> Subset {
    let mut full = Subset::with_capacity(len);
    full.insert_range(..);
    full
}

/// Returns the units that are not in `subset`.
pub(super) fn complement(subset: &Subset) -> Subset {
    let mut complement = subset.clone();
    complement.toggle_range(..);
    complement
}
