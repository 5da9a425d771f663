/** Sets the text of a node, and leaves the node alone when it says that already: a screen reader keeps its place. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}
