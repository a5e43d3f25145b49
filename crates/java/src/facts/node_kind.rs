//! Node kinds of the compiler's syntax tree.

use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error, StrDeserializer};

/// Kind of a node: `com.sun.source.tree.Tree.Kind` of JDK 17 and later, and two kinds for implicit calls.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "each variant is documented as a constant of `Tree.Kind`")]
pub enum NodeKind {
    And,
    AndAssignment,
    AnnotatedType,
    Annotation,
    AnnotationType,
    AnyPattern,
    ArrayAccess,
    ArrayType,
    Assert,
    Assignment,
    BindingPattern,
    BitwiseComplement,
    Block,
    BooleanLiteral,
    Break,
    Case,
    Catch,
    CharLiteral,
    Class,
    CompilationUnit,
    ConditionalAnd,
    ConditionalExpression,
    ConditionalOr,
    ConstantCaseLabel,
    Continue,
    DeconstructionPattern,
    DefaultCaseLabel,
    Divide,
    DivideAssignment,
    DoubleLiteral,
    DoWhileLoop,
    EmptyStatement,
    EnhancedForLoop,
    Enum,
    EqualTo,
    Erroneous,
    Exports,
    ExpressionStatement,
    ExtendsWildcard,
    FloatLiteral,
    ForLoop,
    GreaterThan,
    GreaterThanEqual,
    GuardedPattern,
    Identifier,
    If,
    Import,
    InstanceOf,
    Interface,
    IntersectionType,
    IntLiteral,
    LabeledStatement,
    LambdaExpression,
    LeftShift,
    LeftShiftAssignment,
    LessThan,
    LessThanEqual,
    LogicalComplement,
    LongLiteral,
    MemberReference,
    MemberSelect,
    Method,
    MethodInvocation,
    Minus,
    MinusAssignment,
    Modifiers,
    Module,
    Multiply,
    MultiplyAssignment,
    NewArray,
    NewClass,
    NotEqualTo,
    NullLiteral,
    Opens,
    Or,
    OrAssignment,
    Package,
    ParameterizedType,
    Parenthesized,
    ParenthesizedPattern,
    PatternCaseLabel,
    Plus,
    PlusAssignment,
    PostfixDecrement,
    PostfixIncrement,
    PrefixDecrement,
    PrefixIncrement,
    PrimitiveType,
    Provides,
    Record,
    Remainder,
    RemainderAssignment,
    Requires,
    Return,
    RightShift,
    RightShiftAssignment,
    StringLiteral,
    SuperWildcard,
    Switch,
    SwitchExpression,
    Synchronized,
    Template,
    Throw,
    Try,
    TypeAnnotation,
    TypeCast,
    TypeParameter,
    UnaryMinus,
    UnaryPlus,
    UnboundedWildcard,
    UnionType,
    UnsignedRightShift,
    UnsignedRightShiftAssignment,
    Uses,
    Variable,
    WhileLoop,
    Xor,
    XorAssignment,
    Yield,
    /// Implicit call of `close` at the end of a `try` with resources.
    ImpliedClose,
    /// Implicit call of the superclass's constructor.
    ImpliedSuper,
    /// An unknown kind.
    #[default]
    Other,
}

impl NodeKind {
    /// Converts the name of a constant of `Tree.Kind`.
    pub(super) fn from_name(name: &str) -> Self {
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        Self::deserialize(name).unwrap_or_default()
    }

    /// Returns the source text of a binary operator; `None` for any other kind.
    pub fn binary_operator(self) -> Option<&'static str> {
        Some(match self {
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::LeftShift => "<<",
            Self::RightShift => ">>",
            Self::UnsignedRightShift => ">>>",
            Self::LessThan => "<",
            Self::GreaterThan => ">",
            Self::LessThanEqual => "<=",
            Self::GreaterThanEqual => ">=",
            Self::EqualTo => "==",
            Self::NotEqualTo => "!=",
            Self::And => "&",
            Self::Xor => "^",
            Self::Or => "|",
            Self::ConditionalAnd => "&&",
            Self::ConditionalOr => "||",
            _ => return None,
        })
    }

    /// Returns true for a comparison of two values.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::EqualTo
                | Self::NotEqualTo
                | Self::LessThan
                | Self::LessThanEqual
                | Self::GreaterThan
                | Self::GreaterThanEqual
        )
    }

    /// Returns true for `&&`, `||` and `!`.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::ConditionalAnd | Self::ConditionalOr | Self::LogicalComplement)
    }

    /// Returns true for the declaration of a class, interface, enum, record or annotation type.
    pub fn is_type_declaration(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Enum | Self::Interface | Self::Record | Self::AnnotationType
        )
    }

    /// Returns true for a method, a constructor or a lambda.
    pub fn is_routine(self) -> bool {
        matches!(self, Self::Method | Self::LambdaExpression)
    }

    /// Returns true for loops of every kind.
    pub fn is_loop(self) -> bool {
        matches!(self, Self::ForLoop | Self::EnhancedForLoop | Self::WhileLoop | Self::DoWhileLoop)
    }

    /// Returns true for a statement that always transfers control elsewhere.
    pub fn is_jump(self) -> bool {
        matches!(self, Self::Return | Self::Throw | Self::Break | Self::Continue | Self::Yield)
    }

    /// Returns true for a statement, or the declaration of a variable or a class; false for a block.
    pub fn is_statement(self) -> bool {
        let is_other = matches!(
            self,
            Self::Assert
                | Self::Class
                | Self::EmptyStatement
                | Self::ExpressionStatement
                | Self::If
                | Self::LabeledStatement
                | Self::Switch
                | Self::Synchronized
                | Self::Try
                | Self::Variable
        );
        is_other || self.is_loop() || self.is_jump()
    }

    /// Returns true for a call of a method or a constructor.
    pub fn is_call(self) -> bool {
        matches!(self, Self::MethodInvocation | Self::NewClass)
    }

    /// Returns true for a simple or qualified name.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Identifier | Self::MemberSelect)
    }

    /// Returns true for a literal.
    pub fn is_literal(self) -> bool {
        matches!(
            self,
            Self::IntLiteral
                | Self::LongLiteral
                | Self::FloatLiteral
                | Self::DoubleLiteral
                | Self::BooleanLiteral
                | Self::CharLiteral
                | Self::StringLiteral
                | Self::NullLiteral
        )
    }

    /// Returns true for `=` and compound assignments.
    pub fn is_assignment(self) -> bool {
        self == Self::Assignment || self.is_compound_assignment()
    }

    /// Returns true for an assignment with an operator, such as `+=`.
    pub fn is_compound_assignment(self) -> bool {
        matches!(
            self,
            Self::MultiplyAssignment
                | Self::DivideAssignment
                | Self::RemainderAssignment
                | Self::PlusAssignment
                | Self::MinusAssignment
                | Self::LeftShiftAssignment
                | Self::RightShiftAssignment
                | Self::UnsignedRightShiftAssignment
                | Self::AndAssignment
                | Self::XorAssignment
                | Self::OrAssignment
        )
    }

    /// Returns true for `++`, before or after its operand.
    pub fn is_increment(self) -> bool {
        matches!(self, Self::PrefixIncrement | Self::PostfixIncrement)
    }

    /// Returns true for `++` and `--`.
    pub fn is_step(self) -> bool {
        self.is_increment() || matches!(self, Self::PrefixDecrement | Self::PostfixDecrement)
    }

    /// Returns true for `++` or `--` after its operand.
    pub fn is_postfix(self) -> bool {
        matches!(self, Self::PostfixIncrement | Self::PostfixDecrement)
    }

    /// Returns true for an expression that changes a variable: an assignment, `++` or `--`.
    pub fn is_update(self) -> bool {
        self.is_assignment() || self.is_step()
    }
}

#[cfg(test)]
mod tests {
    use super::NodeKind;

    #[test]
    fn a_kind_is_read_by_the_name_of_its_constant() {
        for (name, kind) in [
            ("METHOD_INVOCATION", NodeKind::MethodInvocation),
            ("IF", NodeKind::If),
            ("IMPLIED_SUPER", NodeKind::ImpliedSuper),
            ("OTHER", NodeKind::Other),
            ("A_KIND_OF_TOMORROW", NodeKind::Other),
        ] {
            assert_eq!(NodeKind::from_name(name), kind);
        }
    }
}
