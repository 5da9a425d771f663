import { optionError } from '../errors.ts'
import { didYouMean, isRecord, join } from '../options.ts'

export function readName(name: unknown, path: string): string {
  if (typeof name === 'string' && name !== '' && name.length <= 100 && name !== '__proto__') return name
  throw optionError(path, 'a name of 1 to 100 characters', name)
}

/** Checks one value for all policies, or each value of a record by policy name. */
export function checkPerPolicy(
  value: unknown,
  { path, names }: { path: string; names: readonly string[] | undefined },
  check: (value: unknown, path: string) => unknown,
): void {
  if (value === undefined) return
  if (!isRecord(value)) {
    check(value, path)
    return
  }
  for (const [name, each] of Object.entries(value)) {
    if (names?.includes(name) === false) throw unknownPolicy(path, name, names)
    if (each !== undefined) check(each, join(path, name))
  }
}

export function unknownPolicy(path: string, name: string, names: readonly string[]): Error {
  const hint = didYouMean(name, names, `"${names.join('", "')}"`)
  return optionError(join(path, name), `the name of a policy${hint}`, name)
}
