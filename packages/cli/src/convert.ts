import { convertEnvoyConfig, isLimitsError } from '@sluice/limits'
import type { Command } from 'commander'
import { type Done, type ExitCode, exitCode } from './exit-code.ts'
import { reportLimitsError } from './print.ts'

/** `sluice convert PATH` */
export function addConvert(program: Command, done: Done): void {
  program
    .command('convert')
    .description('Prints the files of envoyproxy/ratelimit as a file of limits.')
    .argument('<path>', 'a folder such as config/, or one file')
    .addHelpText('after', '\nExample:\n  $ sluice convert config/ > limits.yaml')
    .action(async (file: string) => done(await convert(file)))
}

async function convert(file: string): Promise<ExitCode> {
  try {
    process.stdout.write(await convertEnvoyConfig(file))
    return exitCode.fine
  } catch (error) {
    if (!isLimitsError(error)) throw error
    return reportLimitsError(error)
  }
}
