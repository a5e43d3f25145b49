package gitmend.facts;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Facts that javac attributes to one version of the sources, for one response. */
final class Facts {
    final Trees trees;
    final Elements elements;
    final Types types;
    final Strings strings = new Strings();
    final Symbols symbols;
    final Obligations obligations;
    private final Map<URI, SourceText> sources = new HashMap<>();
    private final List<CompilationUnitTree> units = new ArrayList<>();
    private final Writer nodes = new Writer();
    private int files;

    Facts(JavacTask task, List<SourceText> sources) {
        for (SourceText source : sources) {
            this.sources.put(source.toUri(), source);
        }
        this.trees = Trees.instance(task);
        this.elements = task.getElements();
        this.types = task.getTypes();
        this.symbols = new Symbols(this);
        this.obligations = new Obligations(this);
    }

    /** Returns the method `close()` of a type; null if there is none. */
    Element closeMethod(TypeMirror type) {
        Element element = types.asElement(type);
        if (!(element instanceof TypeElement)) {
            return null;
        }
        for (ExecutableElement method : ElementFilter.methodsIn(elements.getAllMembers((TypeElement) element))) {
            if (method.getSimpleName().contentEquals("close") && method.getParameters().isEmpty()) {
                return method;
            }
        }
        return null;
    }

    /** Attributes the sources. Returns the exception with which the compiler ended early, if any. */
    Optional<Throwable> attribute(JavacTask task) throws IOException {
        for (CompilationUnitTree unit : task.parse()) {
            units.add(unit);
        }
        try {
            Attribution.run(task);
            return Optional.empty();
        } catch (RuntimeException | Error e) {
            // Sources that were attributed before the exception still have facts.
            return Optional.of(e);
        }
    }

    /** Collects the facts of the attributed sources. */
    void collect() {
        for (CompilationUnitTree unit : units) {
            // The compiler wraps its file objects, so sources are looked up by URI.
            SourceText source = sources.get(unit.getSourceFile().toUri());
            Walker walker = new Walker(this, unit, source, files);
            walker.scan(unit, null);
            files++;
            nodes.writeString(source.path);
            nodes.writeNumber(walker.count);
            nodes.write(walker.nodes.toByteArray(), 0, walker.nodes.size());
        }
    }

    void write(Writer answer) {
        Writer symbolBytes = new Writer();
        symbols.write(symbolBytes);
        Writer obligationBytes = new Writer();
        obligations.write(obligationBytes);
        strings.write(answer);
        append(answer, symbolBytes);
        append(answer, obligationBytes);
        answer.writeNumber(files);
        append(answer, nodes);
    }

    private static void append(Writer answer, Writer bytes) {
        answer.write(bytes.toByteArray(), 0, bytes.size());
    }
}
