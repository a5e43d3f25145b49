//! One more call in a copy of a test: of a method that the project has besides its tests, on something that the test
//! has, with what it has. Which one is drawn, the same in each run.

use fastrand::Rng;
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::scope::visible;
use mend_java::facts::{
    NodeIndex, NodeKind, NodeRole, SemanticModel, Symbol, SymbolFlags, SymbolId, SymbolKind, boxed,
    widens,
};
use mend_model::RepoPath;
use std::collections::BTreeSet;

/// Seed of the random draws.
const SEED: u64 = 1;

/// Maximum number of additional calls per test.
const DRAWN: usize = 24;

/// Statements after which control may not continue.
pub(super) const LEAVING: [NodeKind; 5] =
    [NodeKind::Return, NodeKind::Throw, NodeKind::WhileLoop, NodeKind::DoWhileLoop, NodeKind::Try];

/// Exception declared by methods that can wait for other threads.
const WAITING: &str = "java.lang.InterruptedException";

/// Values of a type that are always tried.
const SMALL: [(&str, &[&str]); 6] = [
    ("int", &["0", "1", "-1"]),
    ("long", &["0L", "1L", "-1L"]),
    ("double", &["0.0", "-1.0"]),
    ("boolean", &["true", "false"]),
    ("char", &["'a'"]),
    ("java.lang.String", &["\"\"", "\"a\""]),
];

/// A test that makes additional calls, and the place of the calls.
struct CallingTest<'a> {
    code: Code<'a>,
    method: NodeIndex,
    /// The statements of its body that something may follow.
    places: Vec<NodeIndex>,
    variables: Vec<TestVariable<'a>>,
}

/// A variable of a test.
struct TestVariable<'a> {
    name: &'a str,
    ty: &'a str,
    /// From where on it can be read.
    from: usize,
}

/// Ways to add a call to a test; `tests` are the files that are not asked to do anything.
pub(crate) fn further_calls(
    code: &Code<'_>,
    method: NodeIndex,
    body: NodeIndex,
    tests: &BTreeSet<&RepoPath>,
) -> Vec<Edit> {
    let places = code.children(body).into_iter().filter(|id| !LEAVING.contains(&code.kind(*id)));
    let caller = CallingTest {
        code: *code,
        method,
        places: places.collect(),
        variables: variables(code, method, body),
    };
    let all = caller.calls(tests);
    let mut rng = Rng::with_seed(SEED);
    let mut known = BTreeSet::new();
    let drawn = (0..DRAWN).filter_map(|_| {
        let (variable, called) = *rng.choice(&all)?;
        caller.drawn(&mut rng, variable, called)
    });
    drawn.filter(|edit| known.insert(edit.clone())).collect()
}

/// Returns the variables that a test's body declares with a value, and the fields that it uses.
fn variables<'a>(code: &Code<'a>, method: NodeIndex, body: NodeIndex) -> Vec<TestVariable<'a>> {
    let known = |symbol: SymbolId, from: usize| TestVariable {
        name: code.facts.name(symbol),
        ty: code.facts.text(code.facts.symbol(symbol).ty.erased),
        from,
    };
    let declared = code.children(body).into_iter().filter_map(|id| {
        let is_given = code.is(id, NodeKind::Variable) && code.child(id, NodeRole::Value).is_some();
        let symbol = code.node(id).symbol.filter(|_| is_given)?;
        Some(known(symbol, code.bytes(id).end))
    });
    let inside = method..code.node(method).end;
    let named: BTreeSet<SymbolId> = inside.filter_map(|id| code.node(id).symbol).collect();
    let fields = visible(code, body).into_iter().map(|field| field.symbol);
    let fields = fields.filter(|symbol| named.contains(symbol)).map(|symbol| known(symbol, 0));
    fields.chain(declared).collect()
}

impl CallingTest<'_> {
    /// Returns the methods that can be called on variables, each with the position of the variable.
    fn calls(&self, tests: &BTreeSet<&RepoPath>) -> Vec<(usize, SymbolId)> {
        let facts = self.code.facts;
        let of_variable = |(at, variable): (usize, &TestVariable<'_>)| {
            let class = facts.class_named(variable.ty)?;
            let classes = facts.supertypes_with_self(class);
            let mut known = BTreeSet::new();
            let mut is_new = |symbol: &Symbol| {
                let types =
                    symbol.parameters.iter().map(|id| facts.text(facts.symbol(*id).ty.erased));
                known.insert((facts.text(symbol.name), types.collect::<Vec<_>>()))
            };
            let methods = facts.symbols().iter().enumerate().filter(|(_, symbol)| {
                symbol.owner.is_some_and(|owner| classes.contains(&owner))
                    && self.may_call(symbol, tests)
                    && is_new(symbol)
            });
            Some(methods.map(|(id, _)| (at, id)).collect::<Vec<_>>())
        };
        self.variables.iter().enumerate().filter_map(of_variable).flatten().collect()
    }

    /// Returns true for a method of the project that the test can call, and that does not wait for other threads.
    fn may_call(&self, symbol: &Symbol, tests: &BTreeSet<&RepoPath>) -> bool {
        let facts = self.code.facts;
        let path = symbol.place.as_ref().map(|place| &facts.trees()[place.tree].path);
        let is_near = || {
            let test = self.code.symbol(self.method).and_then(|test| test.owner);
            symbol.flags.access() > 0 && package(facts, symbol.owner) == package(facts, test)
        };
        symbol.kind == SymbolKind::Method
            && !symbol.flags.has(SymbolFlags::STATIC)
            && path.is_some_and(|path| !tests.contains(path))
            && (symbol.flags.has(SymbolFlags::PUBLIC) || is_near())
            && !symbol.thrown.iter().any(|thrown| facts.text(*thrown) == WAITING)
    }

    /// Draws a call with random arguments, after a random statement in the variable's scope.
    fn drawn(&self, rng: &mut Rng, variable: usize, called: SymbolId) -> Option<Edit> {
        let (facts, object) = (self.code.facts, &self.variables[variable]);
        let ends = self.places.iter().map(|id| self.code.bytes(*id).end);
        let ends: Vec<usize> = ends.filter(|end| *end >= object.from).collect();
        let end = *rng.choice(&ends)?;
        let symbol = facts.symbol(called);
        let arguments = symbol.parameters.iter().map(|parameter| {
            let values = self.values(facts.text(facts.symbol(*parameter).ty.erased), end);
            rng.choice(values)
        });
        let arguments = arguments.collect::<Option<Vec<String>>>()?.join(", ");
        let call = format!("{}.{}({arguments})", object.name, facts.text(symbol.name));
        let done = match facts.text(symbol.ty.erased) {
            "void" => call,
            _ => format!("gitmend.probe.Trace.recordValues((Object) {call})"),
        };
        let caught = "gitmend.probe.Trace.recordException(caughtByGitMend);";
        let text = format!(" try {{ {done}; }} catch (Throwable caughtByGitMend) {{ {caught} }}");
        Some(Edit::insert(end, text))
    }

    /// Returns argument values for a type: values of that type in the test, arguments of the same parameter type
    /// elsewhere, and a few small constants.
    fn values(&self, ty: &str, at: usize) -> Vec<String> {
        let code = &self.code;
        let inside = self.method..code.node(self.method).end;
        let written = inside.filter(|id| {
            let is_literal = code.kind(*id).is_literal() && !code.is(*id, NodeKind::NullLiteral);
            is_literal && (self.fits(code.type_of(*id), ty) || told_as(code, *id) == Some(ty))
        });
        let mut all: BTreeSet<String> = written.map(|id| code.written(id).to_owned()).collect();
        let known = self.variables.iter().filter(|one| one.from <= at && self.fits(one.ty, ty));
        all.extend(known.map(|one| one.name.to_owned()));
        let small = SMALL.iter().filter(|(small, _)| self.fits(small, ty));
        all.extend(small.flat_map(|(_, values)| values.iter().map(|value| (*value).to_owned())));
        all.into_iter().collect()
    }

    /// Returns true if a value of one type fits another type. `Object` is excluded, as it fits everything.
    fn fits(&self, ty: &str, wanted: &str) -> bool {
        let facts = self.code.facts;
        let is_below = || facts.class_named(ty).is_some_and(|class| facts.is_below(class, wanted));
        ty == wanted
            || widens(ty, wanted)
            || boxed(ty) == Some(wanted)
            || wanted != "java.lang.Object" && is_below()
    }
}

/// Returns the parameter type of a method's argument, without type arguments.
fn told_as<'a>(code: &Code<'a>, id: NodeIndex) -> Option<&'a str> {
    let call = code.parent(id);
    let called = code.symbol(call).filter(|_| code.is(call, NodeKind::MethodInvocation))?;
    let arguments = code.children(call).into_iter();
    let mut arguments = arguments.filter(|id| code.role(*id) == NodeRole::Argument);
    let at = arguments.position(|argument| argument == id)?;
    let parameter = called.parameters.get(at).filter(|_| !called.flags.has(SymbolFlags::STATIC))?;
    Some(code.facts.text(code.facts.symbol(*parameter).ty.erased))
}

/// Returns the package of a class or of its outer class.
fn package(facts: &SemanticModel, class: Option<SymbolId>) -> Option<&str> {
    let outer =
        class.into_iter().flat_map(|class| std::iter::once(class).chain(facts.owners(class)));
    let outer = outer.filter(|id| facts.symbol(*id).kind.is_type()).last()?;
    let name = facts.text(facts.symbol(outer).full_name);
    Some(name.rsplit_once('.').map_or("", |(package, _)| package))
}
