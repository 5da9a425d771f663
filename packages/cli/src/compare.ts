import type { Command } from 'commander'
import { compareHelp } from './compare/help.ts'
import type { Flags } from './compare/settings.ts'
import type { Done } from './exit-code.ts'

/** What may be typed several times is absent where it is not typed. */
type Typed = Omit<Flags, 'policy' | 'field'> & Partial<Flags>

const addTo = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** `sluice compare LOG…` */
export function addCompare(program: Command, done: Done): void {
  program
    .command('compare')
    .description(
      'Replays an access log, or made-up traffic, through policies, and says what each would have done.',
    )
    .argument('[log...]', 'access logs; standard input where there is none')
    .option('--policy <policy>', 'a policy such as gcra:100/1m; several times for several', addTo)
    .option('--limits <file>', 'a YAML file of limits, before it goes live')
    .option('--path <path>', 'what that file is asked about each request, such as user/{user}/{method}')
    .option('--key <what>', 'whose count it is: ip, user, path, everybody or field:NAME', 'ip')
    .option('--cost <what>', 'units of a request, such as field:bytes (default: 1 each)')
    .option('--format <format>', 'auto, common, combined or json', 'auto')
    .option(
      '--field <name=place>',
      'where JSON lines hold a field: ip=request.remote_ip; several times',
      addTo,
    )
    .option('--traffic <kind>', 'made-up traffic: poisson, bursts, daily or attack, with settings')
    .option(
      '--suggest <share>',
      'seek the tightest numbers that refuse at most that share of well-behaved clients',
    )
    .option(
      '--well-behaved <share>',
      'how many clients are, those with the calmest busiest minute (default: 95%)',
    )
    .option('--html <file>', 'write a page with charts, too')
    .option('--json', 'print the comparison as JSON')
    .helpOption('--help', 'print this help')
    .addHelpText('after', compareHelp())
    .action(async (logs: readonly string[], flags: Typed) => {
      const { compareAndTell } = await import('./compare/tell.ts')
      done(await compareAndTell(logs, { policy: [], field: [], ...flags }))
    })
}
