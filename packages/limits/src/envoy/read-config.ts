import { isMap } from 'yaml'
import { LimitsDocument } from '../document.ts'
import { readFields } from '../fields.ts'
import { limitsError } from '../problem.ts'
import { type Descriptors, readDescriptors } from './descriptor.ts'
import { readText } from './scalars.ts'

export interface ConfigFile {
  readonly file: string
  readonly text: string
}

/** Descriptors by domain; several files may have descriptors of one domain. */
export type Domains = ReadonlyMap<string, Descriptors>

const names = ['domain', 'descriptors'] as const

/** Throws a LimitsError with all problems of all files. */
export function readConfig(files: readonly ConfigFile[]): Domains {
  const domains = new Map<string, Descriptors>()
  const problems = files.flatMap(({ file, text }) => {
    const document = LimitsDocument.ofText(text, file)
    // A text that is not YAML cannot be interpreted.
    if (document.problems.length === 0) readFile(document, domains)
    return document.problems
  })
  if (problems.length > 0) throw limitsError(problems)
  return domains
}

function readFile(document: LimitsDocument, domains: Map<string, Descriptors>): void {
  const { root } = document
  if (!isMap(root.node)) document.note(root, 'a mapping with domain and descriptors')
  const { domain, descriptors } = readFields(document, root, {
    names,
    hint: 'there are domain and descriptors',
  })
  const name = readText(document, domain)
  if (name === '' && isMap(root.node)) document.note(domain ?? root, 'a domain', 'none')
  const into: Descriptors = domains.get(name) ?? new Map()
  domains.set(name, into)
  readDescriptors(document, descriptors, { into, depth: 1 })
}
