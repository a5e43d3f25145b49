package gitmend.compile;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Successful compilation: sources, classes, class shapes and other outputs. */
final class Compilation {
    /** Key of the classes if annotation processors ran, because then classes have more than one source. */
    static final String ALL_SOURCES = "";

    final Sources sources;
    final Map<String, List<MemoryClass>> classes;
    final Map<String, byte[]> resources;
    final Map<String, ClassShape> shapes;
    /** Shapes of the units on the class path at the time of the compilation. */
    final List<Map<String, ClassShape>> classPathShapes;

    Compilation(
            Sources sources,
            CompileResult result,
            List<Map<String, ClassShape>> classPathShapes) {
        this.sources = sources;
        this.classes = result.classes;
        this.resources = result.resources;
        this.shapes = shapesOf(classes.keySet(), classes);
        this.classPathShapes = classPathShapes;
    }

    boolean hasSameSources(Sources currentSources) {
        return currentSources.hasSameFiles(sources) && currentSources.changedSince(sources).isEmpty();
    }

    /** Returns true if it is known which file each class comes from. */
    boolean isDivisible() {
        return !classes.containsKey(ALL_SOURCES);
    }

    static Map<String, ClassShape> shapesOf(Set<String> files, Map<String, List<MemoryClass>> classes) {
        Map<String, ClassShape> shapes = new HashMap<>();
        for (String file : files) {
            for (MemoryClass compiledClass : classes.getOrDefault(file, Collections.emptyList())) {
                shapes.put(compiledClass.shape().name, compiledClass.shape());
            }
        }
        return shapes;
    }

    /** Returns the changes of the units on the class path since this compilation. */
    InterfaceChange classPathChange(List<Map<String, ClassShape>> currentShapes) {
        InterfaceChange change = new InterfaceChange();
        for (int i = 0; i < currentShapes.size(); i++) {
            change.add(i < classPathShapes.size() ? classPathShapes.get(i) : Collections.emptyMap(),
                    currentShapes.get(i));
        }
        return change;
    }
}
