//! Change patterns of exceptions and their handlers.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

/// Declares two checked exceptions, then `rest`.
macro_rules! with_exceptions {
    ($rest:literal) => {
        concat!(
            "class E extends Exception { } class F extends Exception { } class A { ",
            $rest,
            " }"
        )
    };
}

facts! {
    every_family_is_coupled:
    catch_clauses_depend_on_throws,
    throws_clauses_depend_on_throws,
}

fn catch_clauses_depend_on_throws() {
    check_all(&[
        single_file_pattern(
            "CHG_EXC_CHG_CATCH",
            with_exceptions!("void f() { try { throw new E(); } catch (E e) { } }"),
            with_exceptions!("void f() { try { throw new F(); } catch (F e) { } }"),
            &[],
        ),
        single_file_pattern(
            "CHG_EXC_ADD_CATCH ADD_EXC_ADD_CATCH",
            with_exceptions!("void f() { try { g(); } catch (E e) { } } void g() throws E { }"),
            with_exceptions!(
                "void f() { try { g(); throw new F(); } catch (E e) { } catch (F e) { } } void g() throws E { }"
            ),
            &[("+throw new F", "+catch (F"), ("+catch (F", "+throw new F")],
        ),
        single_file_pattern(
            "CHG_EXC_RM_CATCH RM_EXC_RM_CATCH",
            with_exceptions!(
                "void f() { try { g(); throw new F(); } catch (E e) { } catch (F e) { } } void g() throws E { }"
            ),
            with_exceptions!("void f() { try { g(); } catch (E e) { } } void g() throws E { }"),
            &[("-throw new F", "-catch (F"), ("-catch (F", "-throw new F")],
        ),
        single_file_pattern(
            "ADD_EXC_CHG_CATCH RM_EXC_CHG_CATCH",
            with_exceptions!("void f() { try { g(); } catch (E e) { } } void g() throws E { }"),
            with_exceptions!(
                "void f() { try { g(); throw new F(); } catch (Exception e) { } } void g() throws E { }"
            ),
            &[("+throw new F", "+Exception")],
        ),
    ]);
}

fn throws_clauses_depend_on_throws() {
    check_all(&[
        single_file_pattern(
            "ADD_IVK_ADD_THROWS ADD_THROWS_ADD_EXC",
            with_exceptions!("void g() throws E { } void f() { }"),
            with_exceptions!("void g() throws E { } void f() throws E, F { g(); throw new F(); }"),
            &[("+g()", "+throws"), ("+throw new F", "+throws")],
        ),
        single_file_pattern(
            "ADD_THROWS_ADD_THROWS ADD_THROWS_ADD_THROWS_IVK",
            with_exceptions!("void g() { } void f() { g(); }"),
            with_exceptions!("void g() throws E { } void f() throws E { g(); }"),
            &[],
        ),
        single_file_pattern(
            "RM_THROWS_RM_THROWS RM_THROWS_RM_THROWS_IVK",
            with_exceptions!("void g() throws E { } void f() throws E { g(); }"),
            with_exceptions!("void g() { } void f() { g(); }"),
            &[],
        ),
        single_file_pattern(
            "CHG_THROWS_ADD_IVK",
            with_exceptions!("void g() throws F { } void f() throws E { }"),
            with_exceptions!("void g() throws F { } void f() throws F { g(); }"),
            &[("+g()", "+F")],
        ),
        single_file_pattern(
            "ADD_THROWS_CHG_THROW",
            with_exceptions!("void f() { throw new RuntimeException(); }"),
            with_exceptions!("void f() throws E { throw new E(); }"),
            &[("+E", "+throws E")],
        ),
        single_file_pattern(
            "RM_THROWS_CHG_THROW RM_THROWS_RM_EXC",
            with_exceptions!("void f() throws E { throw new E(); }"),
            with_exceptions!("void f() { throw new RuntimeException(); }"),
            &[("-throws E", "-E")],
        ),
        single_file_pattern(
            "ADD_THROWS_ADD_THROWS across overriding methods",
            with_exceptions!("void f() { } static class B extends A { void f() { } }"),
            with_exceptions!(
                "void f() throws E { } static class B extends A { void f() throws E { } }"
            ),
            &[],
        ),
    ]);
}
