import { Command, CommanderError } from 'commander'
import { originOf } from './compare/origin.ts'
import { addCompare } from './compare.ts'
import { addConvert } from './convert.ts'
import { addCrowd } from './crowd.ts'
import { type Done, type ExitCode, exitCode, UsageError } from './exit-code.ts'
import { addExplain } from './explain.ts'
import { addActs } from './live/act.ts'
import { addActLog } from './live/acts.ts'
import { addInspect } from './live/inspect.ts'
import { addLimits } from './live/limits.ts'
import { addLists } from './live/lists.ts'
import { addTop } from './live/top.ts'
import { oneLine, ownLines } from './one-line.ts'
import { addPlan } from './plan.ts'
import { addServe } from './serve.ts'
import { addValidate } from './validate.ts'

const hint = 'sluice --help lists the commands, sluice COMMAND --help their options'

const exitCodes = `
Exit codes: 0 success, 1 problems in the file, a log that is not judged, no answer from the server or output that cannot be
written, 2 invalid command line or unreadable file, 3 no answer from Redis, 130 Ctrl-C.`

/** Runs one command line and resolves to its exit code. */
export async function run(args: readonly string[], version: string): Promise<ExitCode> {
  let code: ExitCode = exitCode.fine
  const done: Done = (given) => {
    code = given
  }
  try {
    await programOf(args, version, done).parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.usage
    if (!(error instanceof UsageError)) throw error
    console.error(`error: ${oneLine(error.message)}\n${hint}`)
    return exitCode.usage
  }
}

/** `sluice help [COMMAND]` */
function addHelp(program: Command): void {
  program
    .command('help')
    .description('Prints this help, or that of a command.')
    .argument('[command]', 'one of the commands, such as validate')
    .action((name?: string) => {
      const command = name === undefined ? program : program.commands.find((each) => each.name() === name)
      if (command === undefined) throw new UsageError(`unknown command '${name}'`)
      command.outputHelp()
    })
}

function programOf(args: readonly string[], version: string, done: Done): Command {
  const program = new Command('sluice')
    .description('Checks files of rate limits, shows what limits do, and acts on those of running services.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError(hint)
    .addHelpText('after', exitCodes)
    .exitOverride()
    // The output repeats what was typed.
    .configureOutput({ outputError: (text, write) => write(ownLines(text)) })
  addValidate(program, done)
  addExplain(program, done)
  addCrowd(program, done)
  addCompare(program, done, () => originOf(args, version))
  addPlan(program, done)
  addServe(program, done)
  addConvert(program, done)
  addTop(program, done)
  addInspect(program, done)
  addActs(program, done)
  addActLog(program, done)
  addLists(program, done)
  addLimits(program, done)
  addHelp(program)
  return program
}
