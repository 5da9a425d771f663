/**
 * What a Lua text, as a tree, declares as local: `{ name, line, where, read }` each, with the line's number, the names of the functions
 * around it, and whether it is read. A function that only calls itself is not. Parameters, the variables of loops and names
 * that begin with an underscore may be there for nothing: they are left out.
 */
export function localsOf(tree) {
  const found = []
  const functions = []
  const scopes = []
  const declare = ({ name, loc }, { mayIdle = false } = {}) => {
    const binding = { name, line: loc.start.line, where: functions.join(' '), read: false, within: false }
    scopes.at(-1).push(binding)
    if (!mayIdle && !name.startsWith('_')) found.push(binding)
  }
  const bindingOf = (name) => {
    for (const scope of [...scopes].reverse()) {
      const binding = scope.findLast((each) => each.name === name)
      if (binding !== undefined) return binding
    }
    return undefined
  }
  const within = (work) => {
    scopes.push([])
    work()
    scopes.pop()
  }
  const all = (nodes) => {
    for (const node of nodes) visit(node)
  }
  const functionOf = ({ parameters, body }) =>
    within(() => {
      for (const each of parameters) if (each.type === 'Identifier') declare(each, { mayIdle: true })
      all(body)
    })
  const visits = {
    Identifier({ name }) {
      const binding = bindingOf(name)
      if (binding !== undefined && !binding.within) binding.read = true
    },
    LocalStatement({ variables, init }) {
      all(init)
      for (const each of variables) declare(each)
    },
    AssignmentStatement({ variables, init }) {
      all(init)
      // Assigning to a name is not a use of it; assigning to a member is.
      all(variables.filter(({ type }) => type !== 'Identifier'))
    },
    FunctionDeclaration(node) {
      if (!node.isLocal) {
        if (node.identifier !== null && node.identifier.type !== 'Identifier') visit(node.identifier)
        return functionOf(node)
      }
      declare(node.identifier)
      const binding = bindingOf(node.identifier.name)
      binding.within = true
      functions.push(binding.name)
      functionOf(node)
      functions.pop()
      binding.within = false
    },
    ForNumericStatement({ variable, start, end, step, body }) {
      all([start, end, ...(step === null ? [] : [step])])
      within(() => {
        declare(variable, { mayIdle: true })
        all(body)
      })
    },
    ForGenericStatement({ variables, iterators, body }) {
      all(iterators)
      within(() => {
        for (const each of variables) declare(each, { mayIdle: true })
        all(body)
      })
    },
    RepeatStatement({ body, condition }) {
      within(() => {
        all(body)
        visit(condition)
      })
    },
    WhileStatement({ condition, body }) {
      visit(condition)
      within(() => all(body))
    },
    IfStatement({ clauses }) {
      for (const { condition, body } of clauses) {
        if (condition !== undefined) visit(condition)
        within(() => all(body))
      }
    },
    DoStatement: ({ body }) => within(() => all(body)),
    MemberExpression: ({ base }) => visit(base),
    TableKeyString: ({ value }) => visit(value),
  }
  const visit = (node) => {
    const own = visits[node.type]
    if (own !== undefined) return own(node)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') visit(child)
      }
    }
  }
  within(() => all(tree.body))
  return found
}
