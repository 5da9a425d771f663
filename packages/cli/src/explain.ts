import { type Explained, explain, type Tree } from '@sluice/limits'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode, UsageError } from './exit-code.ts'
import { oneLine } from './one-line.ts'
import { paint, printJson, printProblems } from './print.ts'
import { readFile } from './read-file.ts'

const byDefault: NonNullable<Tree['charge']> = 'every-level'

/** `sluice explain FILE PATH` */
export function addExplain(program: Command, done: Done): void {
  program
    .command('explain')
    .description('Prints which limits apply to a path, in order and with their numbers.')
    .argument('<file>', 'a YAML file such as limits.yaml')
    .argument('<path>', 'names separated by slashes; a slash in a name is written %2F, a percent sign %25')
    .option('--json', 'print { file, path, charge, levels, problems } as JSON')
    .addHelpText('after', '\nExample:\n  $ sluice explain limits.yaml user/alex/trade')
    .action((file: string, path: string, { json }: { json?: true }) =>
      done(explainPath(file, namesOf(path), json === true)),
    )
}

function explainPath(file: string, path: readonly string[], json: boolean): ExitCode {
  const { tree, problems } = readFile(file)
  const levels = tree === undefined ? [] : explain(tree, path)
  const charge = tree === undefined ? null : (tree.charge ?? byDefault)
  if (json) printJson({ file, path, charge, levels, problems })
  else if (tree === undefined) printProblems(problems)
  else printLevels(levels, charge)
  return tree === undefined ? exitCode.problems : exitCode.fine
}

function namesOf(path: string): readonly string[] {
  const names = path.split('/').map(decoded)
  if (names.includes(''))
    throw new UsageError(`expected a path such as user/alex/trade, got ${JSON.stringify(path)}`)
  return names
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw new UsageError(
      `expected a percent-encoded name (%25 is a percent sign), got ${JSON.stringify(name)}`,
    )
  }
}

function printLevels(levels: readonly Explained[], charge: string | null): void {
  const width = Math.max(...levels.map(({ level }) => level.length))
  for (const { level, text } of levels) {
    console.log(`${paint('bold', oneLine(level.padEnd(width)))}  ${oneLine(text)}`)
  }
  if (levels.length === 0) console.log('no limit applies: allowed')
  // With a single limit the charge mode makes no difference.
  if (levels.length > 1) console.log(`charge: ${charge}`)
}
