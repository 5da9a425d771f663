const takesProjects = /^--(selectProjects|select-projects|ignoreProjects|ignore-projects)(=.*)?$/

/**
 * The flags as jest understands them: it takes every word behind `--selectProjects` as a project, and one that names none
 * is meant as a path. Throws a sentence where only such words are there.
 */
export function withPathsApart(flags, projects) {
  const paths = []
  const rest = []
  let list
  let named = 0
  const endList = () => {
    if (list !== undefined && named === 0) {
      throw new Error(`${list} needs the name of a project; there are ${projects.join(', ')}.`)
    }
    list = undefined
  }
  const end = flags.includes('--') ? flags.indexOf('--') : flags.length
  for (const flag of flags.slice(0, end)) {
    if (flag.startsWith('-')) {
      endList()
      rest.push(flag)
      const [, , first] = takesProjects.exec(flag) ?? []
      if (!takesProjects.test(flag)) continue
      list = flag.split('=')[0]
      named = first !== undefined && projects.includes(first.slice(1)) ? 1 : 0
    } else if (list === undefined || projects.includes(flag)) {
      rest.push(flag)
      named++
    } else {
      paths.push(flag)
    }
  }
  endList()
  return { paths, flags: [...paths, ...rest, ...flags.slice(end)] }
}
