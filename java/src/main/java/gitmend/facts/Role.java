package gitmend.facts;

import com.sun.source.tree.*;
import com.sun.source.util.TreePath;
import java.util.List;

/** Role of a syntax node in its parent. The numbers are part of the protocol. */
final class Role {
    private static final int OTHER = 0;
    private static final int MODIFIERS = 1;
    private static final int TYPE = 2;
    private static final int VALUE = 3;
    private static final int BODY = 4;
    private static final int PARAMETER = 5;
    private static final int THROWS = 6;
    private static final int TYPE_PARAMETER = 7;
    private static final int EXTENDS = 8;
    private static final int IMPLEMENTS = 9;
    private static final int MEMBER = 10;
    private static final int CALLEE = 11;
    private static final int ARGUMENT = 12;
    private static final int CONDITION = 13;
    private static final int THEN = 14;
    private static final int ELSE = 15;
    private static final int TARGET = 16;
    private static final int TYPE_ARGUMENT = 17;
    private static final int FINALLY = 18;
    private static final int RESOURCE = 19;
    private static final int PERMITS = 20;

    private Role() {}

    static int roleOf(TreePath path) {
        if (path.getParentPath() == null) {
            return OTHER;
        }
        Tree child = path.getLeaf();
        Tree parent = path.getParentPath().getLeaf();
        if (child instanceof ModifiersTree) {
            return MODIFIERS;
        } else if (parent instanceof ClassTree) {
            return roleInClass((ClassTree) parent, child);
        } else if (parent instanceof MethodTree) {
            return roleInMethod((MethodTree) parent, child);
        } else if (parent instanceof VariableTree) {
            VariableTree variable = (VariableTree) parent;
            return child == variable.getType() ? TYPE : child == variable.getInitializer() ? VALUE : OTHER;
        } else if (parent instanceof StatementTree) {
            return roleInStatement(parent, child);
        }
        return roleInExpression(parent, child);
    }

    private static boolean contains(List<? extends Tree> list, Tree tree) {
        for (Tree one : list) {
            if (one == tree) {
                return true;
            }
        }
        return false;
    }

    private static int roleInClass(ClassTree type, Tree child) {
        if (child == type.getExtendsClause()) {
            return EXTENDS;
        } else if (contains(type.getImplementsClause(), child)) {
            return IMPLEMENTS;
        } else if (child instanceof TypeParameterTree) {
            return TYPE_PARAMETER;
        }
        return child instanceof ClassTree || child instanceof MethodTree || child instanceof VariableTree
                || child instanceof BlockTree ? MEMBER : child instanceof ModifiersTree ? MODIFIERS : PERMITS;
    }

    private static int roleInMethod(MethodTree method, Tree child) {
        if (child == method.getReturnType()) {
            return TYPE;
        } else if (child == method.getBody()) {
            return BODY;
        } else if (child == method.getDefaultValue()) {
            return VALUE;
        } else if (child instanceof TypeParameterTree) {
            return TYPE_PARAMETER;
        }
        return contains(method.getThrows(), child) ? THROWS : child instanceof VariableTree ? PARAMETER : OTHER;
    }

    private static int roleInStatement(Tree parent, Tree child) {
        if (parent instanceof IfTree) {
            IfTree branch = (IfTree) parent;
            return child == branch.getCondition() ? CONDITION : child == branch.getThenStatement() ? THEN : ELSE;
        } else if (parent instanceof WhileLoopTree) {
            return child == ((WhileLoopTree) parent).getCondition() ? CONDITION : BODY;
        } else if (parent instanceof DoWhileLoopTree) {
            return child == ((DoWhileLoopTree) parent).getCondition() ? CONDITION : BODY;
        } else if (parent instanceof ForLoopTree) {
            ForLoopTree loop = (ForLoopTree) parent;
            return child == loop.getCondition() ? CONDITION : child == loop.getStatement() ? BODY : OTHER;
        } else if (parent instanceof EnhancedForLoopTree) {
            EnhancedForLoopTree loop = (EnhancedForLoopTree) parent;
            return child == loop.getExpression() ? VALUE : child == loop.getStatement() ? BODY : TARGET;
        } else if (parent instanceof TryTree) {
            TryTree attempt = (TryTree) parent;
            return child == attempt.getBlock() ? BODY : child == attempt.getFinallyBlock() ? FINALLY
                    : contains(attempt.getResources(), child) ? RESOURCE : OTHER;
        } else if (parent instanceof ReturnTree || parent instanceof ThrowTree) {
            return VALUE;
        } else if (parent instanceof SynchronizedTree || parent instanceof LabeledStatementTree) {
            return child instanceof StatementTree ? BODY : VALUE;
        }
        return OTHER;
    }

    private static int roleInExpression(Tree parent, Tree child) {
        if (parent instanceof MethodInvocationTree) {
            MethodInvocationTree call = (MethodInvocationTree) parent;
            return child == call.getMethodSelect() ? CALLEE : contains(call.getArguments(), child) ? ARGUMENT
                    : TYPE_ARGUMENT;
        } else if (parent instanceof NewClassTree) {
            NewClassTree creation = (NewClassTree) parent;
            return child == creation.getIdentifier() ? CALLEE : contains(creation.getArguments(), child) ? ARGUMENT
                    : child == creation.getClassBody() ? BODY : OTHER;
        } else if (parent instanceof AssignmentTree) {
            return child == ((AssignmentTree) parent).getVariable() ? TARGET : VALUE;
        } else if (parent instanceof CompoundAssignmentTree) {
            return child == ((CompoundAssignmentTree) parent).getVariable() ? TARGET : VALUE;
        } else if (parent instanceof ConditionalExpressionTree) {
            ConditionalExpressionTree choice = (ConditionalExpressionTree) parent;
            return child == choice.getCondition() ? CONDITION : child == choice.getTrueExpression() ? THEN : ELSE;
        } else if (parent instanceof LambdaExpressionTree) {
            return child == ((LambdaExpressionTree) parent).getBody() ? BODY : PARAMETER;
        } else if (parent instanceof TypeCastTree) {
            return child == ((TypeCastTree) parent).getType() ? TYPE : VALUE;
        } else if (parent instanceof InstanceOfTree) {
            return child == ((InstanceOfTree) parent).getExpression() ? VALUE : TYPE;
        } else if (parent instanceof CatchTree) {
            return child instanceof BlockTree ? BODY : PARAMETER;
        } else if (parent instanceof NewArrayTree) {
            NewArrayTree array = (NewArrayTree) parent;
            return child == array.getType() ? TYPE : array.getInitializers() != null
                    && contains(array.getInitializers(), child) ? VALUE : OTHER;
        } else if (parent instanceof ParameterizedTypeTree) {
            return child == ((ParameterizedTypeTree) parent).getType() ? TYPE : TYPE_ARGUMENT;
        }
        return OTHER;
    }
}
