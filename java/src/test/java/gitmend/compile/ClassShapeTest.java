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

/** Facts about changes of a class, and which other files must be compiled again. */
class ClassShapeTest {
    private static Map<String, ClassShape> shapes(String source) {
        Map<String, ClassShape> shapes = new HashMap<>();
        CompiledClasses.of(source).values().forEach(bytes -> {
            ClassShape shape = ClassShape.read(bytes);
            shapes.put(shape.name, shape);
        });
        return shapes;
    }

    private static Change change(String before, String after) {
        Change change = new Change();
        change.add(shapes(before), shapes(after));
        return change;
    }

    private static void assertNames(Change change, String... names) {
        assertFalse(change.isEverywhere);
        assertEquals(new TreeSet<>(Arrays.asList(names)), change.names);
    }

    @Test
    void theBodyOfAMethodIsNoPartOfTheShape() {
        assertTrue(change("class A { int b() { return 1; } }", "class A { int b() { return 2 + 3; } }").isNothing());
    }

    @Test
    void aLambdaOrAClassInsideAMethodIsNoPartOfTheShape() {
        String before = "class A { Runnable b() { return null; } }";
        assertTrue(change(before, "class A { Runnable b() { return () -> { }; } }").isNothing());
        Change local = change(before, "class A { Runnable b() { class C { } return null; } }");
        assertTrue(local.isNothing());
    }

    @Test
    void synchronizedIsNoPartOfTheShape() {
        assertTrue(change("class A { void b() { } }", "class A { synchronized void b() { } }").isNothing());
    }

    @Test
    void aStaticInitialiserIsNoPartOfTheShape() {
        assertTrue(change("class A { }", "class A { static { System.gc(); } }").isNothing());
    }

    @Test
    void aNewMethodConcernsFilesThatNameIt() {
        assertNames(change("class A { }", "class A { void b() { } }"), "b");
    }

    @Test
    void aChangedReturnTypeConcernsFilesThatNameTheMethod() {
        assertNames(change("class A { int b() { return 1; } }", "class A { long b() { return 1; } }"), "b");
    }

    @Test
    void aChangedConstructorConcernsFilesThatNameTheClass() {
        assertNames(change("class A { A() { } }", "class A { A(int b) { } }"), "A");
    }

    @Test
    void theValueOfAConstantIsPartOfTheShape() {
        assertNames(change("class A { static final int B = 1; }", "class A { static final int B = 2; }"), "B");
        assertNames(change(
                "class A { static final double B = 0.0; }", "class A { static final double B = -0.0; }"), "B");
    }

    @Test
    void theInitialValueOfAVariableIsNoPartOfTheShape() {
        assertTrue(change("class A { static int b = 1; }", "class A { static int b = 2; }").isNothing());
    }

    @Test
    void checkedExceptionsArePartOfTheShape() {
        assertNames(change("class A { void b() { } }", "class A { void b() throws Exception { } }"), "b");
    }

    @Test
    void genericTypesArePartOfTheShape() {
        String before = "class A { java.util.List<String> b; }";
        assertNames(change(before, "class A { java.util.List<Object> b; }"), "b");
    }

    @Test
    void aNestedClassThatIsRemovedConcernsFilesThatNameIt() {
        assertNames(change("class A { static class B { } }", "class A { }"), "B");
    }

    @Test
    void anotherSuperclassConcernsAllFiles() {
        assertTrue(change("class A { }", "class A extends Thread { }").isEverywhere);
    }

    @Test
    void aMethodOfAnInterfaceConcernsAllFilesBecauseLambdasDoNotNameIt() {
        assertTrue(change("interface A { void b(); }", "interface A { void b(int c); }").isEverywhere);
    }

    @Test
    void aConstantOfAnEnumConcernsAllFilesBecauseSwitchesDoNotNameIt() {
        assertTrue(change("enum A { B }", "enum A { B, C }").isEverywhere);
    }

    @Test
    void aMethodThatLoopsCallConcernsAllFiles() {
        assertTrue(change("class A { }", "class A { public void close() { } }").isEverywhere);
    }

    @Test
    void theDefaultOfAnAnnotationConcernsAllFiles() {
        assertTrue(change("@interface A { int b() default 1; }", "@interface A { int b() default 2; }").isEverywhere);
    }

    @Test
    void aNameIsFoundInUnicodeEscapes() {
        Change change = change("class A { }", "class A { void b() { } }");
        assertTrue(change.concerns("x.\\u0062()", Collections.emptyList(), Collections.emptyMap()));
        assertFalse(change.concerns("x.c()", Collections.emptyList(), Collections.emptyMap()));
    }
}
