/** What `require` answers where users call it: the default export, which carries all exports. */
export function callable(face: { readonly default: object }): object {
  // The mark by which compiled `import x from` finds `default`.
  return Object.defineProperty(Object.assign(face.default, face), '__esModule', { value: true })
}
