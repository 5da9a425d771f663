import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

const exact = { bigint: true } as const

export function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The YAML files among the names in a folder, in order, without names that begin with a dot: those of an editor, or of Kubernetes. */
export function yamlFiles(folder: string, names: readonly string[]): readonly string[] {
  const own = names.filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort()
  return own.map((name) => path.join(folder, name))
}

/** Identifies a state of a file, or of the YAML files of a folder; empty if there is none. */
export async function markOf(file: string): Promise<string> {
  try {
    const stats = await stat(file, exact)
    if (!stats.isDirectory()) return described(stats)
    return (await Promise.all(yamlFiles(file, await readdir(file)).map(markOf))).join(';')
  } catch {
    return ''
  }
}

/** The same without a promise, for the beginning. */
export function markNow(file: string): string {
  const stats = statSync(file, { ...exact, throwIfNoEntry: false })
  if (stats?.isDirectory()) return yamlFiles(file, readdirSync(file)).map(markNow).join(';')
  return stats === undefined ? '' : described(stats)
}

/** Whether it is neither a file nor a folder, but a pipe or a device, which may never end. */
export async function isEndless(file: string): Promise<boolean> {
  try {
    const stats = await stat(file)
    return !stats.isFile() && !stats.isDirectory()
  } catch {
    return false
  }
}

function described({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join()
}
