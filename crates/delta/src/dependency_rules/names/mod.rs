//! Dependency rules about names: uses, imports, shadowing and collisions.

pub(crate) mod duplicate_declarations;
pub(crate) mod imports;
pub(crate) mod labels;
pub(crate) mod member_scopes;
pub(crate) mod modifiers;
pub(crate) mod references;
pub(crate) mod shadowing;
pub(crate) mod variable_scopes;
