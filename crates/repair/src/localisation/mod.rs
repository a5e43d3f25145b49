//! Fault localisation: suspicious statements, and the definitions of the values that they use.

pub(crate) mod changed_statements;
pub(crate) mod dependence;
pub(crate) mod diagnosis;
pub(crate) mod exception_kinds;
pub(crate) mod expected_guards;
pub(crate) mod fault_localisation;
pub(crate) mod postcondition_violations;
pub(crate) mod reaching_definitions;
pub(crate) mod stack_trace_suspicion;
pub(crate) mod suspect;
pub(crate) mod suspicious_location;
pub(crate) mod violated_clauses;
