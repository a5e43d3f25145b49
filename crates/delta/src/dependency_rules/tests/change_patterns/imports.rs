//! Change patterns of imports, packages and files.

use super::{check_all, multi_file_pattern, single_file_pattern};
use mend_engine::test_support::facts;

const LIST_FILE: (&str, &str) = ("p/List.java", "package p; public class List { }");

facts! {
    every_family_is_coupled:
    simple_names_depend_on_imports,
    files_depend_on_uses_of_their_types,
}

fn simple_names_depend_on_imports() {
    check_all(&[
        single_file_pattern(
            "ADD_IMPORT_INS ADD_IMPORT_REL ADD_IMPORT_ADD_RTY",
            "class A { Object f() { return null; } }",
            "import java.util.List; class A { List a; List f() { return null; } }",
            &[("+List a", "+import"), ("+List", "+import")],
        ),
        single_file_pattern(
            "RM_IMPORT_DEL RM_IMPORT_REL RM_IMPORT_RM_RTY RM_IMPORT_CHG_RTY",
            "import java.util.List; class A { List a; List f() { return null; } }",
            "class A { Object f() { return null; } }",
            &[("-import", "-List a"), ("-import", "-List")],
        ),
        single_file_pattern(
            "RM_IMPORT_ADD_IMPORT",
            "import java.util.List; import java.util.Map; class A { List a; }",
            "import java.util.Map; import java.util.*; class A { List a; }",
            &[("-import java.util.List", "+import java.util.*")],
        ),
        multi_file_pattern(
            "RM_IMPORT_CHG_IMPORT CHG_IMPORT_REL CHG_IMPORT_INS CHG_IMPORT_DEL",
            &[LIST_FILE, ("A.java", "package q; import java.util.List; class A { List a; }")],
            &[LIST_FILE, ("A.java", "package q; import p.List; class A { List a; List b; }")],
            &[],
        ),
    ]);
}

fn files_depend_on_uses_of_their_types() {
    let a = |text| ("q/A.java", text);
    check_all(&[
        multi_file_pattern(
            "ADD_IMPORT_ADD_FILE ADD_CLASS_ADD_IMPORT INS_FILE AUXFILE_DEL",
            &[a("package q; class A { }")],
            &[LIST_FILE, a("package q; import p.List; class A { List a; }")],
            &[("+import", "+p/List.java")],
        ),
        multi_file_pattern(
            "RM_IMPORT_RM_FILE RM_CLASS_RM_IMPORT DEL_FILE",
            &[LIST_FILE, a("package q; import p.List; class A { List a; }")],
            &[a("package q; class A { }")],
            &[("-p/List.java", "-import")],
        ),
        multi_file_pattern(
            "CHG_PKG_MOV_FILE CHG_CLASS_CHG_IMPORT MOV_FILE",
            &[LIST_FILE, a("package q; import p.List; class A { List a; }")],
            &[
                ("r/List.java", "package r; public class List { }"),
                a("package q; import r.List; class A { List a; }"),
            ],
            &[],
        ),
        multi_file_pattern(
            "MOV_FILE_INS MOV_FILE_DEL MOV_FILE_REL CHG_FILE",
            &[
                ("p/One.java", "package p; public class One { int x; }"),
                a("package q; class A { p.One a; }"),
            ],
            &[
                ("p/Two.java", "package p; public class Two { int x; }"),
                a("package q; class A { p.Two a; }"),
            ],
            &[],
        ),
    ]);
}
