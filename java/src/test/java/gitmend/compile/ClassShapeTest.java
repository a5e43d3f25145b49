package gitmend.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gitmend.testing.CompiledClasses;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests of class shapes, and of the files that their changes affect. */
class ClassShapeTest {
    private static Map<String, ClassShape> shapes(String source) {
        Map<String, ClassShape> shapes = new HashMap<>();
        CompiledClasses.of(source).values().forEach(bytes -> {
            ClassShape shape = ClassShape.read(bytes);
            shapes.put(shape.name, shape);
        });
        return shapes;
    }

    private static InterfaceChange interfaceChange(String before, String after) {
        InterfaceChange change = new InterfaceChange();
        change.add(shapes(before), shapes(after));
        return change;
    }

    private static void assertNames(InterfaceChange change, String... names) {
        assertFalse(change.affectsAllFiles);
        assertEquals(new TreeSet<>(Arrays.asList(names)), change.affectedNames);
    }

    @Test
    void aMethodBodyDoesNotChangeTheShape() {
        assertTrue(interfaceChange("class A { int b() { return 1; } }", "class A { int b() { return 2 + 3; } }")
                .isEmpty());
    }

    @Test
    void aLambdaOrLocalClassDoesNotChangeTheShape() {
        String before = "class A { Runnable b() { return null; } }";
        assertTrue(interfaceChange(before, "class A { Runnable b() { return () -> { }; } }").isEmpty());
        InterfaceChange local = interfaceChange(before, "class A { Runnable b() { class C { } return null; } }");
        assertTrue(local.isEmpty());
    }

    @Test
    void synchronizedDoesNotChangeTheShape() {
        assertTrue(interfaceChange("class A { void b() { } }", "class A { synchronized void b() { } }").isEmpty());
    }

    @Test
    void aStaticInitialiserDoesNotChangeTheShape() {
        assertTrue(interfaceChange("class A { }", "class A { static { System.gc(); } }").isEmpty());
    }

    @Test
    void aNewMethodAffectsFilesThatNameIt() {
        assertNames(interfaceChange("class A { }", "class A { void b() { } }"), "b");
    }

    @Test
    void aChangedReturnTypeAffectsFilesThatNameTheMethod() {
        assertNames(interfaceChange("class A { int b() { return 1; } }", "class A { long b() { return 1; } }"), "b");
    }

    @Test
    void aChangedConstructorAffectsFilesThatNameTheClass() {
        assertNames(interfaceChange("class A { A() { } }", "class A { A(int b) { } }"), "A");
    }

    @Test
    void theValueOfAConstantIsPartOfTheShape() {
        assertNames(interfaceChange("class A { static final int B = 1; }", "class A { static final int B = 2; }"), "B");
        assertNames(interfaceChange(
                "class A { static final double B = 0.0; }", "class A { static final double B = -0.0; }"), "B");
    }

    @Test
    void theInitialValueOfAVariableDoesNotChangeTheShape() {
        assertTrue(interfaceChange("class A { static int b = 1; }", "class A { static int b = 2; }").isEmpty());
    }

    @Test
    void checkedExceptionsArePartOfTheShape() {
        assertNames(interfaceChange("class A { void b() { } }", "class A { void b() throws Exception { } }"), "b");
    }

    @Test
    void genericTypesArePartOfTheShape() {
        String before = "class A { java.util.List<String> b; }";
        assertNames(interfaceChange(before, "class A { java.util.List<Object> b; }"), "b");
    }

    @Test
    void aRemovedNestedClassAffectsFilesThatNameIt() {
        assertNames(interfaceChange("class A { static class B { } }", "class A { }"), "B");
    }

    @Test
    void anotherSuperclassAffectsAllFiles() {
        assertTrue(interfaceChange("class A { }", "class A extends Thread { }").affectsAllFiles);
    }

    @Test
    void anInterfaceMethodAffectsAllFilesBecauseLambdasDoNotNameIt() {
        assertTrue(interfaceChange("interface A { void b(); }", "interface A { void b(int c); }").affectsAllFiles);
    }

    @Test
    void anEnumConstantAffectsAllFilesBecauseSwitchesDoNotNameIt() {
        assertTrue(interfaceChange("enum A { B }", "enum A { B, C }").affectsAllFiles);
    }

    @Test
    void anImplicitlyCalledMethodAffectsAllFiles() {
        assertTrue(interfaceChange("class A { }", "class A { public void close() { } }").affectsAllFiles);
    }

    @Test
    void theDefaultOfAnAnnotationElementAffectsAllFiles() {
        assertTrue(interfaceChange("@interface A { int b() default 1; }",
                "@interface A { int b() default 2; }").affectsAllFiles);
    }

    @Test
    void aNameWithUnicodeEscapesIsFound() {
        InterfaceChange change = interfaceChange("class A { }", "class A { void b() { } }");
        assertTrue(change.canAffect("x.\\u0062()", Collections.emptyList(), Collections.emptyMap()));
        assertFalse(change.canAffect("x.c()", Collections.emptyList(), Collections.emptyMap()));
    }
}
