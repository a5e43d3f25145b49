//! Roles of accesses in a program: product code, test code, or the implementation of a lock.

use mend_model::schedules::{CodeLocation, PatternCount};
use std::collections::BTreeSet;

/// Role of an access, the most relevant one for an explanation first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessRole {
    /// Product code, or a variable of a product class.
    Product,
    /// Test code that accesses a variable of a test or an object of the JDK.
    Test,
    /// Implementation of a lock.
    Lock,
}

/// Classifier of accesses.
pub struct AccessRoles<'a> {
    /// Classes that behave as locks.
    pub lock_classes: &'a BTreeSet<String>,
    /// Returns true for the name of a class of the test code.
    pub is_test_class: &'a dyn Fn(&str) -> bool,
}

impl AccessRoles<'_> {
    /// Returns the role of a pattern: the least relevant one of its accesses.
    pub fn pattern_role(&self, pattern: &PatternCount) -> AccessRole {
        let roles = pattern.sites.iter().map(|site| self.access_role(site));
        roles.max().unwrap_or(AccessRole::Product)
    }

    /// Returns the role of an access.
    pub fn access_role(&self, site: &CodeLocation) -> AccessRole {
        let accessed = accessed_class(site);
        let is_product_variable =
            accessed.is_some_and(|class| !is_jdk_class(class) && !(self.is_test_class)(class));
        if is_lock_class(&site.class, self.lock_classes)
            || accessed.is_some_and(|class| is_lock_class(class, self.lock_classes))
        {
            AccessRole::Lock
        } else if (self.is_test_class)(&site.class) && !is_product_variable {
            AccessRole::Test
        } else {
            AccessRole::Product
        }
    }
}

/// Returns true if a class, or a class around it, behaves as a lock.
pub fn is_lock_class(class: &str, lock_classes: &BTreeSet<String>) -> bool {
    let mut name = class;
    loop {
        if name.starts_with("java.util.concurrent.locks.") || lock_classes.contains(name) {
            return true;
        }
        let Some((outer, _)) = name.rsplit_once('$') else { return false };
        name = outer;
    }
}

/// Returns the class of the accessed variable or of the called method; `None` for an array element.
fn accessed_class(site: &CodeLocation) -> Option<&str> {
    let subject = site.subject.strip_prefix("contents of ").unwrap_or(&site.subject);
    subject.rsplit_once('.').map(|(class, _)| class)
}

fn is_jdk_class(class: &str) -> bool {
    class.starts_with("java.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_objects_and_lock_internals_come_after_product_code() {
        let lock_classes = ["shop.Gate".to_owned()].into();
        let is_test_class = |class: &str| class.starts_with("shop.TillTest");
        let roles = AccessRoles { lock_classes: &lock_classes, is_test_class: &is_test_class };
        let role = |class: &str, subject: &str| {
            let (class, subject) = (class.to_owned(), subject.to_owned());
            let method = "run".to_owned();
            roles.access_role(&CodeLocation { class, method, line: 1, turn: 0, subject })
        };
        let reference = "java.util.concurrent.atomic.AtomicReference.set";
        assert_eq!(role("shop.TillTest", reference), AccessRole::Test);
        assert_eq!(role("shop.TillTest$1", "shop.TillTest.seen"), AccessRole::Test);
        assert_eq!(role("shop.TillTest", "shop.Till.sum"), AccessRole::Product);
        assert_eq!(role("shop.Till", reference), AccessRole::Product);
        assert_eq!(role("shop.Till", "contents of shop.Till.items"), AccessRole::Product);
        assert_eq!(role("shop.Gate$Sync", "shop.Gate$Sync.owner"), AccessRole::Lock);
        assert_eq!(role("shop.Till", "shop.Gate.isOpen"), AccessRole::Lock);
    }
}
