/** What `require` answers, so that users can call it: the default export, with all exports as its properties. */
export function callable(face: { readonly default: object }): object {
  // The mark by which compiled `import x from` finds `default`.
  return Object.defineProperty(Object.assign(face.default, face), '__esModule', { value: true })
}
