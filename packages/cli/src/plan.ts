import type { Command } from 'commander'
import type { Done } from './exit-code.ts'
import { planHelp } from './plan/help.ts'
import type { Flags } from './plan/settings.ts'

/** Repeatable options are absent if they were not given. */
type Typed = Omit<Flags, 'policy' | 'price'> & Partial<Flags>

const addTo = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value]

/** `sluice plan --users N --rate N/TIME --policy POLICY` */
export function addPlan(program: Command, done: Done): void {
  program
    .command('plan')
    .description('Computes the Redis servers that limits need, from figures measured on this code.')
    .requiredOption('--users <n>', 'how many users there are, such as 1e9')
    .requiredOption('--rate <n/time>', 'requests of an active user, such as 50/d')
    .option('--policy <policy>', 'a policy of each user, such as gcra:100/1m; may be repeated', addTo)
    .option('--active <share>', 'share of the users that are active', '100%')
    .option('--peak <times>', 'requests at the peak, over the mean', '1')
    .option('--full', 'every active user has a key, as full as its limit allows')
    .option('--clients <n>', 'users that share a key of fairShare', '100')
    .option('--key-length <bytes>', 'of a key, such as a user id', '16')
    .option('--regions <n>', 'regions that count apart; users are divided evenly', '1')
    .option('--replicas <n>', 'copies of each shard', '0')
    .option('--shard-memory <size>', 'memory of a server', '16GB')
    .option('--shard-ops <n>', 'requests a second that a shard takes (default: what one core takes)')
    .option('--shard-network <rate>', 'network of a server, such as 10Gbit (default: no bound)')
    .option('--headroom <share>', "share of a shard's memory, time and network that stays free", '30%')
    .option('--server-us <us>', 'CPU time of a request on your own server, in µs')
    .option('--price <price>', 'such as 0.5/node-hour or 0.02/GB-hour; may be repeated', addTo)
    .option('--json', 'print the plan as JSON')
    .addHelpText('after', planHelp())
    .action(async (flags: Typed) => {
      const { runPlan } = await import('./plan/run-plan.ts')
      done(runPlan({ policy: [], price: [], ...flags }))
    })
}
