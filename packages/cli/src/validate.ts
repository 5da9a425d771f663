import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode } from './exit-code.ts'
import { oneLine } from './one-line.ts'
import { paint, printJson, printProblems } from './print.ts'
import { readFile } from './read-file.ts'

/** `sluice validate FILE` */
export function addValidate(program: Command, done: Done): void {
  program
    .command('validate')
    .description('Checks a file of limits and prints every problem with its line and column.')
    .argument('<file>', 'a YAML file such as limits.yaml')
    .option('--json', 'print { file, limits, problems } as JSON')
    .addHelpText('after', '\nExample:\n  $ sluice validate limits.yaml')
    .action((file: string, { json }: { json?: true }) => done(validate(file, json === true)))
}

function validate(file: string, json: boolean): ExitCode {
  const { tree, problems } = readFile(file)
  if (json) printJson({ file, limits: tree?.levels.length ?? null, problems })
  else if (tree === undefined) printProblems(problems)
  else console.log(`${oneLine(file)}: ${paint('green', 'no problems')}, ${count(tree.levels.length)}`)
  return tree === undefined ? exitCode.problems : exitCode.fine
}

function count(limits: number): string {
  return limits === 1 ? '1 limit' : `${limits.toLocaleString('en')} limits`
}
