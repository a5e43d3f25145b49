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

/** Sources that are compiled together, again and again. */
final class Unit {
    private final ClassFolder folder;
    private final Compiler compiler = new Compiler();

    /**
     * The first compilation. Variants are mostly edits of one version: from there an edit is compiled, and not also
     * what undoes the edit before it.
     */
    private Compilation first;
    /** The last compilation that went well. Both are null before it, and while the folder is out of step. */
    private Compilation last;

    Unit(String output) {
        folder = new ClassFolder(output);
    }

    /** Compiles what has to be compiled; on success the unit's folder holds the classes. */
    Compiled compile(Asked asked, Map<String, Unit> units) throws IOException {
        Sources fresh = Sources.read(asked, last == null ? null : last.sources);
        if (fresh.obstacle != null) {
            return Compiled.unfit(fresh.obstacle);
        }
        List<Map<String, Shape>> onClassPath = new ArrayList<>();
        for (String entry : asked.classPath) {
            if (units.containsKey(entry)) {
                onClassPath.add(units.get(entry).shapes());
            }
        }
        boolean isSameWay = compiler.prepare(asked, units.keySet());
        Compilation base = isSameWay ? closest(fresh) : null;
        Compiled compiled = base == null ? null : step(base, fresh, onClassPath, asked.isHasty);
        if (compiled == null) {
            compiled = compiler.compile(fresh, fresh.explicit(), Collections.emptyMap());
        }
        if (compiled.isOk()) {
            accept(new Compilation(fresh, compiled.classes, onClassPath), base == null);
        }
        return compiled;
    }

    private Map<String, Shape> shapes() {
        return last == null ? Collections.emptyMap() : last.shapes;
    }

    /** The compilation from which it takes the fewest files; null if there is none to start from. */
    private Compilation closest(Sources fresh) {
        Compilation closest = null;
        int fewest = Integer.MAX_VALUE;
        for (Compilation base : new Compilation[] {last, first}) {
            if (base != null && fresh.hasSameNames(base.sources)) {
                int changed = fresh.changedSince(base.sources).size();
                if (changed < fewest) {
                    closest = base;
                    fewest = changed;
                }
            }
        }
        return closest;
    }

    /**
     * Compiles as few files as possible; null where that cannot be told or does not go well. What is refused of the
     * files that differ is refused of the whole as well, but more may be.
     */
    private Compiled step(
            Compilation base, Sources fresh, List<Map<String, Shape>> onClassPath, boolean isHasty)
            throws IOException {
        Set<String> todo = fresh.changedSince(base.sources);
        for (String path : todo) {
            if (path.endsWith("package-info.java") || !base.classes.containsKey(path)) {
                return null;
            }
        }
        Change change = base.changeOf(onClassPath);
        boolean isRefusalEnough = isHasty && change.isNothing();
        while (true) {
            if (change.isEverywhere || !spread(base, change, fresh, todo, onClassPath) && todo.isEmpty()) {
                return change.isEverywhere ? null : unchanged(base);
            }
            if (todo.size() * 2 > base.classes.size()) {
                return null;
            }
            Map<String, List<MemoryClass>> others = new HashMap<>(base.classes);
            others.keySet().removeAll(todo);
            Compiled compiled = compiler.compile(fresh, todo, others);
            if (isRefusalEnough && compiled.isRefused()) {
                return compiled;
            }
            isRefusalEnough = false;
            if (!compiled.isOk() || !todo.containsAll(compiled.classes.keySet())) {
                return null;
            }
            change.add(
                    Compilation.shapesOf(todo, base.classes), Compilation.shapesOf(todo, compiled.classes));
            if (!change.isEverywhere && !spread(base, change, fresh, todo, onClassPath)) {
                compiled.classes.putAll(others);
                return compiled;
            }
        }
    }

    /** Whether next to nothing is as it was in the first compilation. */
    private boolean isFar(Compilation compilation) {
        return compilation.sources.changedSince(first.sources).size() * 2 > compilation.classes.size();
    }

    private static Compiled unchanged(Compilation base) {
        Compiled compiled = Compiled.of(Collections.emptyList());
        compiled.classes.putAll(base.classes);
        return compiled;
    }

    /** Adds the files that a change concerns; whether there are any. */
    private static boolean spread(Compilation base, Change change, Sources fresh, Set<String> todo,
            List<Map<String, Shape>> onClassPath) {
        if (change.isNothing()) {
            return false;
        }
        Map<String, Shape> all = new HashMap<>(base.shapes);
        onClassPath.forEach(all::putAll);
        Set<String> more = new TreeSet<>();
        for (Map.Entry<String, List<MemoryClass>> file : base.classes.entrySet()) {
            boolean isOther = !todo.contains(file.getKey());
            if (isOther && change.concerns(fresh.text(file.getKey()), file.getValue(), all)) {
                more.add(file.getKey());
            }
        }
        return todo.addAll(more);
    }

    private void accept(Compilation compilation, boolean isFirst) throws IOException {
        boolean isFar = isFirst || isFar(compilation);
        Compilation start = isFar ? compilation : first;
        // Until the folder is in step, nothing is known of it.
        first = null;
        last = null;
        Map<String, byte[]> files = new TreeMap<>();
        compilation.classes.values().forEach(list ->
                list.forEach(one -> files.put(one.name.replace('.', '/') + ".class", one.bytes())));
        folder.become(files);
        first = start;
        last = compilation;
    }
}
