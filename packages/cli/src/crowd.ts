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
    .option(
      '--url <url>',
      'a running server with the load-test endpoint, on this machine (default: start one)',
    )
    .option(
      '--framework <name>',
      'of the started server: express, fastify or koa, if installed (default: plain Node)',
    )
    .option('--redis <url>', 'where the started server counts, if ioredis is installed (default: in memory)')
    .option('--stay', 'keep the started server and its dashboard running until Ctrl-C')
    .option('--only <names...>', 'run only these tests')
    .option('--seconds <n>', `length of a test in seconds (default: ${usualSeconds})`)
    .option('--json', 'print one JSON document at the end, and everything else on standard error')
    .addHelpText('after', crowdHelp)
    .action(async (loops: string | undefined, allowed: string | undefined, flags: Flags) => {
      const settings = readSettings(loops, allowed, flags)
      if (loops === undefined && !settings.json) console.log(introduction)
      // Loaded here so that the other commands need not load server packages.
      const { crowd } = await import('./crowd/crowd.ts')
      done(await crowd(settings))
    })
}
