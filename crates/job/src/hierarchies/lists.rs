//! What is made from the lists of builders and of forms. The files are found by their names.

macro_rules! builders {
    ($($(#[$doc:meta])* $module:ident::$name:ident($spec:ty)),+ $(,)?) => {
        $(mod $module;)+

        /// The value of `hierarchy`: one builder, or several on top of each other.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum HierarchySpec {
            $($(#[$doc])* $name($spec)),+
        }

        /// The keys.
        pub(crate) const KEYS: &[Key] = &[$($module::KEY),+, DELIMITER];

        /// Each builder with an example.
        const BUILDERS: &[(Key, &str)] = &[$(($module::KEY, $module::EXAMPLE)),+];

        impl HierarchySpec {
            pub(crate) fn unit(&self) -> &dyn HierarchyBuilder {
                match self {
                    $(HierarchySpec::$name(spec) => spec),+
                }
            }

            /// The key of its builder.
            pub fn key(&self) -> &'static str {
                match self {
                    $(HierarchySpec::$name(_) => $module::KEY.name),+
                }
            }
        }

        /// Reads the builder whose key the item has.
        fn read(walk: &mut Walk, item: &Item<'_>, section: &Section<'_>) -> Option<HierarchySpec> {
            let (_, key) = item.key.rsplit_once('.').unwrap_or_default();
            $(
                if key == $module::KEY.name {
                    return $module::read(walk, item, section).map(HierarchySpec::$name);
                }
            )+
            None
        }
    };
}

macro_rules! forms {
    ($($module:ident::$name:ident),+ $(,)?) => {
        /// The kinds of hierarchies in `transform.json`.
        mod forms {
            use super::json::{JsonError, Node};
            use super::{$($module),+};
            use paravent_core::hierarchy::Hierarchy;
            use serde_json::Value;

            pub(super) const KINDS: &[&str] = &[$($module::KIND),+];

            pub(super) fn to_json(hierarchy: &Hierarchy) -> Value {
                match hierarchy {
                    Hierarchy::Whole => Value::Null,
                    $(Hierarchy::$name(kind) => $module::to_json(kind)),+
                }
            }

            pub(super) fn from_json(kind: &str, node: &Node<'_, '_>) -> Option<Result<Hierarchy, JsonError>> {
                $(
                    if kind == $module::KIND {
                        return Some($module::from_json(node));
                    }
                )+
                None
            }
        }
    };
}
