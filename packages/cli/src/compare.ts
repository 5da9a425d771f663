import type { Command } from 'commander'
import { compareHelp } from './compare/help.ts'
import type { Origin } from './compare/origin.ts'
import type { Flags } from './compare/settings.ts'
import type { Done } from './exit-code.ts'
import { addConnection } from './live/connection.ts'

/** Repeatable options are absent if they were not given. */
type Typed = Omit<Flags, 'policy' | 'field' | 'trust'> & Partial<Flags>

const addTo = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** `sluice compare LOG…` */
export function addCompare(program: Command, done: Done, origin: () => Origin): void {
  addConnection(program.command('compare'))
    .description(
      'Replays an access log, recorded or generated traffic through policies and reports what each would have done.',
    )
    .argument('[log...]', 'access logs; standard input where there is none')
    .option('--policy <policy>', 'a policy such as gcra:100/1m; may be repeated', addTo)
    .option('--limits <file>', 'a YAML file of limits to try')
    .option('--path <path>', 'the path to check in that file for each request, such as user/{user}/{method}')
    .option('--key <what>', 'what requests are counted by: ip, user, path, everybody or field:NAME', 'ip')
    .option('--cost <what>', 'cost of a request, such as field:bytes (default: 1)')
    .option('--format <format>', 'auto, common (any line of text), combined or json', 'auto')
    .option(
      '--field <name=place>',
      'where to find a field in JSON lines: ip=request.remote_ip; may be repeated',
      addTo,
    )
    .option(
      '--client <field>',
      "the field that holds the client's address: its name, or its number in a line of text",
    )
    .option(
      '--trust <networks>',
      'addresses and networks of proxies, besides private ones: 192.0.2.0/24; may be repeated',
      addTo,
    )
    .option('--traffic <kind>', 'generate traffic: poisson, bursts, daily or attack, with settings')
    .option(
      '--recorded <limiter>',
      'replay what recorders with the option `traffic` have kept of a limiter, or of limiter.policy',
    )
    .option(
      '--suggest <share>',
      'find the tightest numbers that refuse at most this share of well-behaved clients',
    )
    .option(
      '--well-behaved <share>',
      'share of clients that count as well-behaved: those with the calmest busiest minute (default: 95%)',
    )
    .option('--html <file>', 'also write a page with charts')
    .addHelpText('after', compareHelp())
    .action(async (logs: readonly string[], flags: Typed) => {
      const { runCompare } = await import('./compare/run-command.ts')
      done(await runCompare(logs, { policy: [], field: [], trust: [], ...flags }, origin()))
    })
}
