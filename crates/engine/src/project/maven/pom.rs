//! POM as an XML document.

/// XML element without namespaces and attributes, which a POM does not need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct XmlElement {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) children: Vec<XmlElement>,
}

impl XmlElement {
    /// Parses a document and returns its root element.
    pub(crate) fn parse(text: &str) -> Result<Self, roxmltree::Error> {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let text = text.trim_start_matches('\u{feff}');
        let document = roxmltree::Document::parse_with_options(text, options)?;
        Ok(Self::from_node(document.root_element()))
    }

    fn from_node(node: roxmltree::Node<'_, '_>) -> Self {
        let text = node.children().filter_map(|child| child.is_text().then(|| child.text())?);
        Self {
            name: node.tag_name().name().to_owned(),
            text: text.collect::<String>().trim().to_owned(),
            children: node
                .children()
                .filter(roxmltree::Node::is_element)
                .map(Self::from_node)
                .collect(),
        }
    }

    /// Returns the first child with a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the text of the element at a path of names, if it is not empty.
    pub(crate) fn text_at(&self, path: &[&str]) -> Option<&str> {
        let element = path.iter().try_fold(self, |at, name| at.child(name))?;
        Some(element.text.as_str()).filter(|text| !text.is_empty())
    }

    /// Returns the elements at a path; the last name may occur several times or be `*`.
    pub(crate) fn find_all(&self, path: &[&str]) -> Vec<&Self> {
        let Some((last, parent_path)) = path.split_last() else { return Vec::new() };
        let parent = parent_path.iter().try_fold(self, |at, name| at.child(name));
        let children = parent.into_iter().flat_map(|parent| &parent.children);
        children.filter(|child| *last == "*" || child.name == *last).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_path() {
        let pom =
            XmlElement::parse("<p xmlns='x'><a><b> 1 </b><b>2<!-- c --></b></a></p>").unwrap();
        assert_eq!(pom.text_at(&["a", "b"]), Some("1"));
        assert_eq!(
            pom.find_all(&["a", "b"]).iter().map(|b| b.text.as_str()).collect::<Vec<_>>(),
            ["1", "2"]
        );
        assert_eq!(pom.find_all(&["a", "*"]).len(), 2);
        assert_eq!(pom.find_all(&["x", "b"]).len(), 0);
    }
}
