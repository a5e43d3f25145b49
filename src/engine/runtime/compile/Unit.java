package gitmend.runtime;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Sources that are compiled together, as they were compiled last. */
final class Unit {
    private final ClassFolder folder;
    private final Compiler compiler = new Compiler();

    /** Null before the first compilation that went well. */
    private Sources sources;
    private Map<String, List<MemoryClass>> classes = Collections.emptyMap();
    private Map<String, Shape> shapes = Collections.emptyMap();
    /** The shapes of the units on the class path, as this one was compiled against them. */
    private List<Map<String, Shape>> against = Collections.emptyList();

    Unit(String output) {
        folder = new ClassFolder(output);
    }

    /** Compiles what has to be compiled; on success the unit's folder holds the classes. */
    Compiled compile(Asked asked, Map<String, Unit> units) throws IOException {
        Sources fresh = Sources.read(asked);
        if (fresh.obstacle != null) {
            return Compiled.unfit(fresh.obstacle);
        }
        List<Map<String, Shape>> onClassPath = new ArrayList<>();
        for (String entry : asked.classPath) {
            if (units.containsKey(entry)) {
                onClassPath.add(units.get(entry).shapes);
            }
        }
        boolean isSameWay = compiler.prepare(asked, units.keySet());
        Compiled compiled = isSameWay && sources != null && fresh.hasSameNames(sources)
                ? step(fresh, onClassPath)
                : null;
        if (compiled == null) {
            compiled = compiler.compile(fresh, fresh.explicit(), Collections.emptyMap());
        }
        if (compiled.isOk()) {
            accept(fresh, onClassPath, compiled);
        }
        return compiled;
    }

    /** Compiles as few files as possible; null where that cannot be told or does not go well. */
    private Compiled step(Sources fresh, List<Map<String, Shape>> onClassPath) throws IOException {
        Set<String> todo = fresh.changedSince(sources);
        for (String path : todo) {
            if (path.endsWith("package-info.java") || !classes.containsKey(path)) {
                return null;
            }
        }
        Change change = new Change();
        for (int i = 0; i < onClassPath.size(); i++) {
            change.add(i < against.size() ? against.get(i) : Collections.emptyMap(), onClassPath.get(i));
        }
        while (true) {
            if (change.isEverywhere || !spread(change, fresh, todo, onClassPath) && todo.isEmpty()) {
                return change.isEverywhere ? null : unchanged();
            }
            if (todo.size() * 2 > classes.size()) {
                return null;
            }
            Map<String, List<MemoryClass>> others = new HashMap<>(classes);
            others.keySet().removeAll(todo);
            Compiled compiled = compiler.compile(fresh, todo, others);
            if (!compiled.isOk() || !todo.containsAll(compiled.classes.keySet())) {
                return null;
            }
            change.add(shapesOf(todo, classes), shapesOf(todo, compiled.classes));
            if (!change.isEverywhere && !spread(change, fresh, todo, onClassPath)) {
                compiled.classes.putAll(others);
                return compiled;
            }
        }
    }

    private Compiled unchanged() {
        Compiled compiled = Compiled.of(Collections.emptyList());
        compiled.classes.putAll(classes);
        return compiled;
    }

    /** Adds the files that a change concerns; whether there are any. */
    private boolean spread(
            Change change, Sources fresh, Set<String> todo, List<Map<String, Shape>> onClassPath) {
        if (change.isNothing()) {
            return false;
        }
        Map<String, Shape> all = new HashMap<>(shapes);
        onClassPath.forEach(all::putAll);
        Set<String> more = new TreeSet<>();
        for (Map.Entry<String, List<MemoryClass>> file : classes.entrySet()) {
            boolean isOther = !todo.contains(file.getKey());
            if (isOther && change.concerns(fresh.text(file.getKey()), file.getValue(), all)) {
                more.add(file.getKey());
            }
        }
        return todo.addAll(more);
    }

    private static Map<String, Shape> shapesOf(Set<String> files, Map<String, List<MemoryClass>> classes) {
        Map<String, Shape> shapes = new HashMap<>();
        for (String file : files) {
            for (MemoryClass one : classes.getOrDefault(file, Collections.emptyList())) {
                shapes.put(one.shape().name, one.shape());
            }
        }
        return shapes;
    }

    private void accept(Sources fresh, List<Map<String, Shape>> onClassPath, Compiled compiled)
            throws IOException {
        // Until the folder is in step, nothing is known of it.
        sources = null;
        Map<String, byte[]> files = new TreeMap<>();
        compiled.classes.values().forEach(list ->
                list.forEach(one -> files.put(one.name.replace('.', '/') + ".class", one.bytes())));
        folder.become(files);
        classes = compiled.classes;
        shapes = shapesOf(classes.keySet(), classes);
        against = onClassPath;
        sources = fresh;
    }
}
