//! A set of units.

use fixedbitset::FixedBitSet;

/// A set of units, as bits by unit number. Its length is the number of all units.
pub type Subset = FixedBitSet;

/// Every unit of `len`.
pub(super) fn full_set(len: usize) -> Subset {
    let mut full = Subset::with_capacity(len);
    full.insert_range(..);
    full
}

/// The units that are not in `subset`.
pub(super) fn complement(subset: &Subset) -> Subset {
    let mut complement = subset.clone();
    complement.toggle_range(..);
    complement
}
