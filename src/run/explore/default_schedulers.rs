//! The default samplers of schedules.

use mend_engine::Sampler;

/// The samplers that are used if none are selected.
pub const SAMPLERS: [Sampler; 4] =
    [Sampler::PartialOrder, Sampler::RandomWalk, Sampler::Priorities, Sampler::AllOrders];
