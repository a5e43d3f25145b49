//! Generated tests with an additional call: of a project method, on a variable of the test, with random arguments. The
//! seed is fixed.

use fastrand::Rng;
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::scope::visible;
use mend_java::facts::{
    NodeIndex, NodeKind, NodeRole, SemanticModel, Symbol, SymbolFlags, SymbolId, SymbolKind,
    can_widen, wrapper_class,
};
use mend_model::RepoPath;
use std::collections::BTreeSet;

/// Seed of the random draws.
const RANDOM_SEED: u64 = 1;

/// Maximum number of additional calls per test.
const MAX_DRAWN_CALLS: usize = 24;

/// Statements after which control may not continue.
pub(super) const JUMP_STATEMENTS: [NodeKind; 5] =
    [NodeKind::Return, NodeKind::Throw, NodeKind::WhileLoop, NodeKind::DoWhileLoop, NodeKind::Try];

/// Exception declared by methods that can wait for other threads.
const INTERRUPTED_EXCEPTION: &str = "java.lang.InterruptedException";

/// Values of a type that are always tried.
const SMALL_VALUES: [(&str, &[&str]); 6] = [
    ("int", &["0", "1", "-1"]),
    ("long", &["0L", "1L", "-1L"]),
    ("double", &["0.0", "-1.0"]),
    ("boolean", &["true", "false"]),
    ("char", &["'a'"]),
    ("java.lang.String", &["\"\"", "\"a\""]),
];

/// Test into which additional calls are inserted.
struct CallingTest<'a> {
    code: Code<'a>,
    method: NodeIndex,
    /// Statements after which a call can be inserted.
    insertion_points: Vec<NodeIndex>,
    variables: Vec<TestVariable<'a>>,
}

/// A variable of a test.
struct TestVariable<'a> {
    name: &'a str,
    ty: &'a str,
    /// Offset from which it can be read.
    readable_from: usize,
}

/// Returns edits that add a call to a test; methods declared in the files `tests` are not called.
pub(crate) fn draw_extra_calls(
    code: &Code<'_>,
    method: NodeIndex,
    body: NodeIndex,
    tests: &BTreeSet<&RepoPath>,
) -> Vec<Edit> {
    let places =
        code.children(body).into_iter().filter(|id| !JUMP_STATEMENTS.contains(&code.kind(*id)));
    let caller = CallingTest {
        code: *code,
        method,
        insertion_points: places.collect(),
        variables: test_variables(code, method, body),
    };
    let all = caller.callable_methods(tests);
    let mut rng = Rng::with_seed(RANDOM_SEED);
    let mut distinct = BTreeSet::new();
    let edits = (0..MAX_DRAWN_CALLS).filter_map(|_| {
        let (variable, callee) = *rng.choice(&all)?;
        caller.draw_call(&mut rng, variable, callee)
    });
    edits.filter(|edit| distinct.insert(edit.clone())).collect()
}

/// Returns the variables that a test's body declares with a value, and the fields that it uses.
fn test_variables<'a>(
    code: &Code<'a>,
    method: NodeIndex,
    body: NodeIndex,
) -> Vec<TestVariable<'a>> {
    let test_variable = |symbol: SymbolId, from: usize| TestVariable {
        name: code.facts.name(symbol),
        ty: code.facts.text(code.facts.symbol(symbol).ty.erased),
        readable_from: from,
    };
    let declared = code.children(body).into_iter().filter_map(|id| {
        let is_given =
            code.has_kind(id, NodeKind::Variable) && code.child(id, NodeRole::Value).is_some();
        let symbol = code.node(id).symbol.filter(|_| is_given)?;
        Some(test_variable(symbol, code.bytes(id).end))
    });
    let inside = method..code.node(method).subtree_end;
    let named: BTreeSet<SymbolId> = inside.filter_map(|id| code.node(id).symbol).collect();
    let fields = visible(code, body).into_iter().map(|field| field.symbol);
    let fields =
        fields.filter(|symbol| named.contains(symbol)).map(|symbol| test_variable(symbol, 0));
    fields.chain(declared).collect()
}

impl CallingTest<'_> {
    /// Returns the methods that can be called on variables, each with the position of the variable.
    fn callable_methods(&self, tests: &BTreeSet<&RepoPath>) -> Vec<(usize, SymbolId)> {
        let facts = self.code.facts;
        let methods_of_variable = |(at, variable): (usize, &TestVariable<'_>)| {
            let class = facts.find_class(variable.ty)?;
            let classes = facts.supertypes_with_self(class);
            let mut distinct = BTreeSet::new();
            let mut is_new = |symbol: &Symbol| {
                let types =
                    symbol.parameters.iter().map(|id| facts.text(facts.symbol(*id).ty.erased));
                distinct.insert((facts.text(symbol.name), types.collect::<Vec<_>>()))
            };
            let methods = facts.symbols().iter().enumerate().filter(|(_, symbol)| {
                symbol.owner.is_some_and(|owner| classes.contains(&owner))
                    && self.can_call(symbol, tests)
                    && is_new(symbol)
            });
            Some(methods.map(|(id, _)| (at, id)).collect::<Vec<_>>())
        };
        self.variables.iter().enumerate().filter_map(methods_of_variable).flatten().collect()
    }

    /// Returns true for a method of the project that the test can call, and that does not wait for other threads.
    fn can_call(&self, symbol: &Symbol, tests: &BTreeSet<&RepoPath>) -> bool {
        let facts = self.code.facts;
        let path = symbol.position.as_ref().map(|place| &facts.trees()[place.tree].path);
        let is_package_visible = || {
            let test = self.code.symbol(self.method).and_then(|test| test.owner);
            symbol.flags.access_level() > 0
                && package_of(facts, symbol.owner) == package_of(facts, test)
        };
        symbol.kind == SymbolKind::Method
            && !symbol.flags.has(SymbolFlags::STATIC)
            && path.is_some_and(|path| !tests.contains(path))
            && (symbol.flags.has(SymbolFlags::PUBLIC) || is_package_visible())
            && !symbol
                .thrown_types
                .iter()
                .any(|thrown| facts.text(*thrown) == INTERRUPTED_EXCEPTION)
    }

    /// Draws a call with random arguments, after a random statement in the variable's scope.
    fn draw_call(&self, rng: &mut Rng, variable: usize, method: SymbolId) -> Option<Edit> {
        let (facts, object) = (self.code.facts, &self.variables[variable]);
        let ends = self.insertion_points.iter().map(|id| self.code.bytes(*id).end);
        let ends: Vec<usize> = ends.filter(|end| *end >= object.readable_from).collect();
        let end = *rng.choice(&ends)?;
        let symbol = facts.symbol(method);
        let arguments = symbol.parameters.iter().map(|parameter| {
            let values = self.argument_values(facts.text(facts.symbol(*parameter).ty.erased), end);
            rng.choice(values)
        });
        let arguments = arguments.collect::<Option<Vec<String>>>()?.join(", ");
        let call = format!("{}.{}({arguments})", object.name, facts.text(symbol.name));
        let recorded_call = match facts.text(symbol.ty.erased) {
            "void" => call,
            _ => format!("gitmend.probe.Trace.recordValues((Object) {call})"),
        };
        let record_exception = "gitmend.probe.Trace.recordException(caughtByGitMend);";
        let text = format!(
            " try {{ {recorded_call}; }} catch (Throwable caughtByGitMend) {{ {record_exception} }}"
        );
        Some(Edit::insert(end, text))
    }

    /// Returns argument values for a type: values of that type in the test, arguments of the same parameter type
    /// elsewhere, and a few small constants.
    fn argument_values(&self, ty: &str, offset: usize) -> Vec<String> {
        let code = &self.code;
        let inside = self.method..code.node(self.method).subtree_end;
        let written = inside.filter(|id| {
            let is_literal =
                code.kind(*id).is_literal() && !code.has_kind(*id, NodeKind::NullLiteral);
            is_literal
                && (self.is_assignable(code.type_of(*id), ty)
                    || argument_type(code, *id) == Some(ty))
        });
        let mut all: BTreeSet<String> = written.map(|id| code.source_text(id).to_owned()).collect();
        let variables = self
            .variables
            .iter()
            .filter(|one| one.readable_from <= offset && self.is_assignable(one.ty, ty));
        all.extend(variables.map(|one| one.name.to_owned()));
        let small = SMALL_VALUES.iter().filter(|(small, _)| self.is_assignable(small, ty));
        all.extend(small.flat_map(|(_, values)| values.iter().map(|value| (*value).to_owned())));
        all.into_iter().collect()
    }

    /// Returns true if a value of one type fits another type. `Object` is excluded, as it fits everything.
    fn is_assignable(&self, ty: &str, wanted: &str) -> bool {
        let facts = self.code.facts;
        let is_below =
            || facts.find_class(ty).is_some_and(|class| facts.is_subtype_of(class, wanted));
        ty == wanted
            || can_widen(ty, wanted)
            || wrapper_class(ty) == Some(wanted)
            || wanted != "java.lang.Object" && is_below()
    }
}

/// Returns the parameter type of a method's argument, without type arguments.
fn argument_type<'a>(code: &Code<'a>, id: NodeIndex) -> Option<&'a str> {
    let call = code.parent(id);
    let method = code.symbol(call).filter(|_| code.has_kind(call, NodeKind::MethodInvocation))?;
    let arguments = code.children(call).into_iter();
    let mut arguments = arguments.filter(|id| code.role(*id) == NodeRole::Argument);
    let at = arguments.position(|argument| argument == id)?;
    let parameter = method.parameters.get(at).filter(|_| !method.flags.has(SymbolFlags::STATIC))?;
    Some(code.facts.text(code.facts.symbol(*parameter).ty.erased))
}

/// Returns the package of a class or of its outer class.
fn package_of(facts: &SemanticModel, class: Option<SymbolId>) -> Option<&str> {
    let outer = class
        .into_iter()
        .flat_map(|class| std::iter::once(class).chain(facts.enclosing_symbols(class)));
    let outer = outer.filter(|id| facts.symbol(*id).kind.is_type()).last()?;
    let name = facts.text(facts.symbol(outer).full_name);
    Some(name.rsplit_once('.').map_or("", |(package, _)| package))
}
