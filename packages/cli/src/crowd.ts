import type { Command } from 'commander'
import { crowdHelp, introduction } from './crowd/help.ts'
import { type Flags, readSettings, usualSeconds } from './crowd/settings.ts'
import type { Done } from './exit-code.ts'

/** `sluice crowd LOOPS ALLOWED` */
export function addCrowd(program: Command, done: Done): void {
  program
    .command('crowd')
    .description('Sends the same crowd at each strategy and shows how each behaves.')
    .argument('[loops]', 'how many loops to run in each test')
    .argument('[allowed]', 'how many operations to allow per 10 seconds')
    .option('--url <url>', 'a zoo that runs already, on this machine; without it the command serves its own')
    .option(
      '--framework <name>',
      'of its own zoo: express, fastify or koa, if installed (default: plain Node)',
    )
    .option('--redis <url>', 'its own zoo counts there, if ioredis is installed (default: in memory)')
    .option('--stay', 'its own zoo goes on until Ctrl-C, with its dashboard')
    .option('--only <names...>', 'only these tests')
    .option('--seconds <n>', `length of a test in seconds (default: ${usualSeconds})`)
    .option('--json', 'print one JSON document at the end, and all else on standard error')
    .helpOption('--help', 'print this help')
    .addHelpText('after', crowdHelp)
    .action(async (loops: string | undefined, allowed: string | undefined, flags: Flags) => {
      const settings = readSettings(loops, allowed, flags)
      if (loops === undefined && !settings.json) console.log(introduction)
      // The servers that the crowd can ask are loaded for nothing else.
      const { crowd } = await import('./crowd/crowd.ts')
      done(await crowd(settings))
    })
}
