package gitmend.compile;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sources that are compiled together, again and again. */
final class Unit {
    private final ClassFolder folder;
    private final Compiler compiler = new Compiler();

    /**
     * The first compilation. Variants are mostly edits of one version: with it, what undoes the edit before need not
     * be compiled.
     */
    private Compilation first;
    /** The last compilation that went well. Both are null before it, and while the folder is out of step. */
    private Compilation last;

    Unit(String output) {
        folder = new ClassFolder(output);
    }

    /** Compiles what has to be compiled; on success the unit's folder holds the classes. */
    Compiled compile(CompileRequest asked, Map<String, Unit> units) throws IOException {
        Sources fresh = Sources.read(asked, last == null ? null : last.sources);
        if (fresh.obstacle != null) {
            return Compiled.unfit(fresh.obstacle);
        }
        List<Map<String, ClassShape>> onClassPath = new ArrayList<>();
        for (String entry : asked.classPath) {
            if (units.containsKey(entry)) {
                onClassPath.add(units.get(entry).shapes());
            }
        }
        boolean isSameWay = compiler.prepare(asked, units.keySet());
        RecompilationPlan plan = isSameWay ? shortest(fresh, onClassPath) : null;
        Compiled compiled = plan == null ? null : step(plan, fresh, asked.isHasty);
        if (compiled == null) {
            compiled = compiler.compile(fresh, fresh.explicit(), Collections.emptyMap());
        }
        if (compiled.isOk()) {
            accept(new Compilation(fresh, compiled.classes, onClassPath), plan == null);
        }
        return compiled;
    }

    private Map<String, ClassShape> shapes() {
        return last == null ? Collections.emptyMap() : last.shapes;
    }

    /** The way by which the fewest files are compiled; null if there is none. */
    private RecompilationPlan shortest(Sources fresh, List<Map<String, ClassShape>> onClassPath) {
        List<Compilation> known = Stream.of(last, first)
                .filter(one -> one != null && fresh.hasSameNames(one.sources))
                .distinct()
                .collect(Collectors.toList());
        return known.stream()
                .map(base -> new RecompilationPlan(base, known, fresh, onClassPath))
                .filter(RecompilationPlan::isFit)
                .min(Comparator.comparingInt(plan -> plan.todo.size()))
                .orElse(null);
    }

    /**
     * Compiles as few files as possible; null if the set cannot be determined or the compilation
     * fails. Errors in the changed files are errors of the whole as well, but there may be more.
     */
    private Compiled step(RecompilationPlan plan, Sources fresh, boolean isHasty) throws IOException {
        boolean isRefusalEnough = isHasty && plan.isWhole();
        Compiled compiled = Compiled.of(Collections.emptyList());
        boolean isDone = plan.todo.isEmpty();
        while (!isDone) {
            compiled = compiler.compile(fresh, plan.todo, plan.known());
            if (isRefusalEnough && compiled.isRefused()) {
                return compiled;
            }
            isRefusalEnough = false;
            if (!compiled.isOk() || !plan.todo.containsAll(compiled.classes.keySet())) {
                return null;
            }
            isDone = !plan.grows(compiled.classes);
            if (!plan.isFit()) {
                return null;
            }
        }
        compiled.classes.putAll(plan.known());
        return compiled;
    }

    /** Whether next to nothing is as it was in the first compilation. */
    private boolean isFar(Compilation compilation) {
        return compilation.sources.changedSince(first.sources).size() * 2 > compilation.classes.size();
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
