//! Symbols: all named declarations.

use crate::facts::type_id::{TextId, TypeId};

/// Index of a symbol in [`super::SemanticModel::symbols`].
pub type SymbolId = usize;

/// Position of a symbol's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolPosition {
    /// Index of the file in [`super::SemanticModel::trees`].
    pub tree: usize,
    /// Byte offset of the name.
    pub byte: usize,
}

/// Kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A class, enum or record.
    Class,
    /// An interface or annotation.
    Interface,
    /// A method.
    Method,
    /// A constructor.
    Constructor,
    /// A field.
    Field,
    /// An enum's constant.
    EnumConstant,
    /// A local variable, parameter, resource or pattern variable.
    Local,
    /// A type parameter.
    TypeParameter,
    /// A package, an initialiser or something else.
    Other,
}

impl SymbolKind {
    pub(super) fn from_kind_name(word: &str) -> Self {
        match word {
            "CLASS" | "ENUM" | "RECORD" => Self::Class,
            "INTERFACE" | "ANNOTATION_TYPE" => Self::Interface,
            "METHOD" => Self::Method,
            "CONSTRUCTOR" => Self::Constructor,
            "FIELD" => Self::Field,
            "ENUM_CONSTANT" => Self::EnumConstant,
            "LOCAL_VARIABLE"
            | "PARAMETER"
            | "EXCEPTION_PARAMETER"
            | "RESOURCE_VARIABLE"
            | "BINDING_VARIABLE" => Self::Local,
            "TYPE_PARAMETER" => Self::TypeParameter,
            _ => Self::Other,
        }
    }

    /// Returns true for a class or an interface.
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Interface)
    }

    /// Returns true for a method or a constructor.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Method | Self::Constructor)
    }
}

/// Modifiers and other boolean properties of a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolFlags(pub u32);

impl SymbolFlags {
    /// `public`
    pub const PUBLIC: Self = Self(1);
    /// `protected`
    pub const PROTECTED: Self = Self(1 << 1);
    /// `private`
    pub const PRIVATE: Self = Self(1 << 2);
    /// `static`
    pub const STATIC: Self = Self(1 << 3);
    /// `final`
    pub const FINAL: Self = Self(1 << 4);
    /// `abstract`
    pub const ABSTRACT: Self = Self(1 << 5);
    /// `default`
    pub const DEFAULT: Self = Self(1 << 6);
    /// `native`
    pub const NATIVE: Self = Self(1 << 7);
    /// Variable number of arguments (varargs).
    pub const VARARGS: Self = Self(1 << 8);
    /// The type contains type variables.
    pub const GENERIC: Self = Self(1 << 9);
    /// An anonymous class.
    pub const ANONYMOUS: Self = Self(1 << 10);
    /// A constant variable.
    pub const CONSTANT: Self = Self(1 << 11);
    /// An annotation element with a default.
    pub const HAS_DEFAULT: Self = Self(1 << 12);
    /// A class inside a method.
    pub const LOCAL: Self = Self(1 << 13);
    /// A sealed class.
    pub const SEALED: Self = Self(1 << 14);

    /// Returns true if all of these flags are set.
    pub fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Returns the width of the access: 0 for private, 1 for the package, 2 for protected, 3 for public.
    pub fn access_level(self) -> u8 {
        if self.has(Self::PUBLIC) {
            3
        } else if self.has(Self::PROTECTED) {
            2
        } else {
            u8::from(!self.has(Self::PRIVATE))
        }
    }
}

/// One symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Kind of the symbol.
    pub kind: SymbolKind,
    /// Its simple name.
    pub name: TextId,
    /// For a class, its full name; an anonymous class has `#` and a number.
    pub full_name: TextId,
    /// The declaring symbol.
    pub owner: Option<SymbolId>,
    /// Its modifiers.
    pub flags: SymbolFlags,
    /// Position of its name, if it is in the sources.
    pub position: Option<SymbolPosition>,
    /// Type of a variable, result type of a method, or a class's own type.
    pub ty: TypeId,
    /// Parameters of a method.
    pub parameters: Vec<SymbolId>,
    /// Exceptions that a method declares, erased.
    pub thrown_types: Vec<TextId>,
    /// The methods that a method overrides.
    pub overridden: Vec<SymbolId>,
    /// The direct supertypes of a class.
    pub supertypes: Vec<SymbolId>,
    /// The type parameters of a class.
    pub type_parameters: Vec<SymbolId>,
}
