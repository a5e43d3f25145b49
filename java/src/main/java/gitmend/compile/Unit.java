package gitmend.compile;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sources that are compiled together, with their earlier compilations. */
final class Unit {
    private final ClassFolder folder;
    private final Compiler compiler = new Compiler();
    private final ProcessorCompiler processorCompiler;
    /** What the processors of the last successful compilation may have read besides the sources; null before it. */
    private List<String> processorInputs;

    /**
     * First compilation. Most variants are edits of one version, so files that revert the previous edit need not be
     * compiled.
     */
    private Compilation firstCompilation;
    /** Last successful compilation. Both fields are null before it, and while the class folder is updated. */
    private Compilation lastCompilation;

    Unit(String output) {
        folder = new ClassFolder(output);
        processorCompiler = new ProcessorCompiler(output);
    }

    /** Compiles the files that need it. On success the class folder is up to date. */
    CompileResult compile(CompileRequest request, Map<String, Unit> units) throws IOException {
        Sources sources = Sources.read(request, lastCompilation == null ? null : lastCompilation.sources);
        if (sources.unsupportedReason != null) {
            return CompileResult.unsupported(sources.unsupportedReason);
        }
        List<Map<String, ClassShape>> classPathShapes = new ArrayList<>();
        for (String entry : request.classPath) {
            if (units.containsKey(entry)) {
                classPathShapes.add(units.get(entry).shapes());
            }
        }
        if (request.runsProcessors) {
            return compileWithProcessors(request, sources, classPathShapes, units);
        }
        boolean isSameConfiguration = compiler.prepare(request, units.keySet());
        RecompilationPlan plan = isSameConfiguration ? findSmallestPlan(sources, classPathShapes) : null;
        CompileResult result = plan == null ? null : compileIncrementally(plan, sources, request.acceptsPartialErrors);
        if (result == null) {
            result = compiler.compile(sources, sources.explicitFiles(), Collections.emptyMap());
        }
        if (result.isSuccess()) {
            accept(new Compilation(sources, result, classPathShapes), plan == null);
        }
        return result;
    }

    /** Compiles all files, unless nothing has changed that a processor may read. */
    private CompileResult compileWithProcessors(
            CompileRequest request,
            Sources sources,
            List<Map<String, ClassShape>> classPathShapes,
            Map<String, Unit> units)
            throws IOException {
        List<String> newInputs = ProcessorCompiler.otherInputs(request, sources, units.keySet());
        // Processors also read what shapes leave out, such as annotations.
        request.classPath.stream().filter(units::containsKey)
                .forEach(entry -> newInputs.add(units.get(entry).stampOfClasses()));
        boolean isUnchanged = !ProcessorCompiler.runsProcessorsOfProject(request)
                && newInputs.equals(processorInputs)
                && lastCompilation != null
                && lastCompilation.hasSameSources(sources);
        CompileResult result = isUnchanged
                ? CompileResult.unchanged(lastCompilation) : processorCompiler.compile(request, sources);
        if (result.isSuccess()) {
            accept(new Compilation(sources, result, classPathShapes), true);
            processorInputs = newInputs;
        }
        return result;
    }

    /** Returns a text that differs if a class differs. */
    private String stampOfClasses() {
        return lastCompilation == null
                ? "" : Arrays.toString(Digests.digestOf(lastCompilation.classes, lastCompilation.resources));
    }

    private Map<String, ClassShape> shapes() {
        return lastCompilation == null ? Collections.emptyMap() : lastCompilation.shapes;
    }

    /** Returns the applicable plan with the fewest files; null if there is none. */
    private RecompilationPlan findSmallestPlan(Sources sources, List<Map<String, ClassShape>> classPathShapes) {
        List<Compilation> compilations = Stream.of(lastCompilation, firstCompilation)
                .filter(compilation -> compilation != null && compilation.isDivisible())
                .filter(compilation -> sources.canReuseClassesOf(compilation.sources))
                .distinct()
                .collect(Collectors.toList());
        return compilations.stream()
                .map(base -> new RecompilationPlan(base, compilations, sources, classPathShapes))
                .filter(this::isApplicable)
                .min(Comparator.comparingInt(plan -> plan.filesToCompile.size()))
                .orElse(null);
    }

    /** Returns true if the plan compiles less than a full compilation, and has the same result. */
    private boolean isApplicable(RecompilationPlan plan) {
        // Signatures do not show whether a class is the project's or that of a library with the same name.
        return plan.isApplicable() && plan.addedAndRemovedClasses().stream().noneMatch(compiler::hasClassOnClassPath);
    }

    /**
     * Compiles the files of a plan, and files that the result affects. Returns null if that is not possible or fails,
     * because a full compilation may have more errors.
     */
    private CompileResult compileIncrementally(RecompilationPlan plan, Sources sources, boolean acceptsPartialErrors)
            throws IOException {
        boolean stopsAtErrors = acceptsPartialErrors && plan.isInterfaceUnchanged();
        CompileResult result = CompileResult.fromDiagnostics(Collections.emptyList());
        boolean isDone = plan.filesToCompile.isEmpty();
        int compiledFiles = 0;
        while (!isDone) {
            compiledFiles += plan.filesToCompile.size();
            result = compiler.compile(sources, plan.filesToCompile, plan.keptClasses());
            if (stopsAtErrors && result.hasErrors()) {
                return result;
            }
            stopsAtErrors = false;
            if (!result.isSuccess() || !plan.filesToCompile.containsAll(result.classes.keySet())) {
                return null;
            }
            isDone = !plan.addAffectedBy(result.classes);
            // Otherwise the rounds together cost more than a full compilation.
            boolean isWorthwhile = compiledFiles + plan.filesToCompile.size() <= plan.fileCount();
            if (!isDone && !isWorthwhile || !isApplicable(plan)) {
                return null;
            }
        }
        result.classes.putAll(plan.keptClasses());
        return result;
    }

    /** Returns true if more than half of the files differ from the first compilation. */
    private boolean isMostlyChanged(Compilation compilation) {
        return compilation.sources.changedSince(firstCompilation.sources).size() * 2 > compilation.classes.size();
    }

    private void accept(Compilation compilation, boolean isFull) throws IOException {
        boolean isMostlyChanged = isFull || isMostlyChanged(compilation);
        Compilation newFirst = isMostlyChanged ? compilation : firstCompilation;
        // If the update fails, the folder is in an unknown state.
        firstCompilation = null;
        lastCompilation = null;
        Map<String, byte[]> files = new TreeMap<>(compilation.resources);
        compilation.classes.values().forEach(list ->
                list.forEach(compiledClass ->
                        files.put(compiledClass.name.replace('.', '/') + ".class", compiledClass.bytes())));
        folder.update(files);
        firstCompilation = newFirst;
        lastCompilation = compilation;
    }
}
