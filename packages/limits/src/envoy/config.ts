import { readdir } from 'node:fs/promises'
import { isFolder, yamlFiles } from '../marks.ts'
import { limitsError } from '../problem.ts'
import { type LimitsSource, textOf, unreadable } from '../source.ts'
import { watchFile } from '../watch.ts'
import { readConfig } from './read-config.ts'
import { textOfTree } from './text.ts'
import { type Data, treeOf } from './to-tree.ts'

/**
 * The configuration of envoyproxy/ratelimit as a source of limits: a file, or a folder with YAML files, all of which are read.
 *
 * @example
 * const limits = await loadLimits({ from: envoyConfig('config/') })
 */
export function envoyConfig(file: string): LimitsSource {
  return {
    name: file,
    read: () => readTree(file),
    watch: (changed) => watchFile(file, changed),
  }
}

/**
 * Converts the configuration of envoyproxy/ratelimit to the text of a file of limits, which can take its place.
 *
 * @throws LimitsError with all parts that cannot be converted, each with file, line and reason
 */
export async function convertEnvoyConfig(file: string): Promise<string> {
  return textOfTree(await readTree(file))
}

async function readTree(file: string): Promise<Data> {
  const files = await Promise.all(
    (await filesOf(file)).map(async (each) => ({ file: each, text: await textOf(each) })),
  )
  return treeOf(readConfig(files))
}

async function filesOf(file: string): Promise<readonly string[]> {
  if (!isFolder(file)) return [file]
  const files = yamlFiles(file, await readdir(file).catch((error: unknown) => unreadable(file, error)))
  if (files.length > 0) return files
  throw limitsError([
    { file, line: 0, column: 0, path: '', expected: 'a folder with .yaml files', got: 'none' },
  ])
}
