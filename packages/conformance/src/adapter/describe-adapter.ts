import { describe, expect, it } from '@jest/globals'
import { aborts } from './aborts.ts'
import { addresses } from './addresses.ts'
import { answers } from './answers.ts'
import { bodies } from './bodies.ts'
import { calendars } from './calendars.ts'
import { abandonedRequests } from './cheats/abandoned.ts'
import { forged } from './cheats/forged.ts'
import { keyCheats } from './cheats/keys.ts'
import { methodCheats } from './cheats/methods.ts'
import { pathCheats } from './cheats/paths.ts'
import { pipelined } from './cheats/pipelined.ts'
import { silence } from './cheats/silence.ts'
import { spellings } from './cheats/spellings.ts'
import { spray } from './cheats/spray.ts'
import { closing } from './closing.ts'
import { copies } from './copies.ts'
import { counted } from './counted.ts'
import { decisions } from './decisions.ts'
import { drafts } from './drafts.ts'
import { failures } from './failures.ts'
import { faults } from './faults.ts'
import { fields } from './fields.ts'
import { hangUps } from './hang-ups.ts'
import { holding } from './holding.ts'
import { inFlight } from './in-flight.ts'
import { inFlightHangUps } from './in-flight-hang-ups.ts'
import { keyFunctions } from './key-functions.ts'
import { keys } from './keys.ts'
import { mistakes } from './mistakes.ts'
import { options } from './options.ts'
import { queuedEnds } from './queued-ends.ts'
import { queues } from './queues.ts'
import { refusals } from './refusals.ts'
import { resets } from './resets.ts'
import type { Scenario, Skip } from './scenario.ts'
import { settling } from './settling.ts'
import { several } from './several.ts'
import { shares } from './shares.ts'
import type { Start } from './site.ts'
import { slowReaders } from './slow-readers.ts'
import { slowing } from './slowing.ts'
import { streams } from './streams.ts'
import { takeovers } from './takeovers.ts'
import { trees } from './trees.ts'
import { upgrading } from './upgrades.ts'
import { World } from './world.ts'
import { writtenKeys } from './written-keys.ts'

/** By what they are about. A number in a title names one thing that is required, here and in the tests of one framework. */
const scenarios: { readonly [about: string]: readonly Scenario[] } = {
  fields,
  'fields of each draft': drafts,
  'several limits': several,
  'shares of one limit': shares,
  calendars,
  trees,
  answers,
  failures,
  bodies,
  refusals,
  'store away': faults,
  addresses,
  'forged addresses': forged,
  'spellings of addresses': spellings,
  keys,
  'keys that clients write': writtenKeys,
  'functions of the request': keyFunctions,
  'texts as keys': keyCheats,
  'sprayed keys': spray,
  "clients' texts": silence,
  'what is counted': counted,
  methods: methodCheats,
  paths: pathCheats,
  aborts,
  holding,
  slowing,
  'abandoned requests': abandonedRequests,
  'in flight': inFlight,
  'in flight without a client': inFlightHangUps,
  'in flight behind an unanswered request': queuedEnds,
  'taken over': takeovers,
  'in flight on streams that are reset': resets,
  'in flight and unread': slowReaders,
  'hang-ups': hangUps,
  settling,
  decisions,
  queues,
  'pipelined requests': pipelined,
  streams,
  upgrades: upgrading,
  closing,
  mistakes,
  options,
  'copies of core': copies,
}

/**
 * What every adapter must do, over real sockets: a new adapter calls it with a `start`. A rejection or an exception that nobody
 * catches fails the test in which it happens: jest listens for both.
 */
export function describeAdapter(name: string, start: Start, skips: readonly Skip[] = []): void {
  describeScenarios(name, start, { skips })
}

/** Only what is about some of it, of an adapter that differs in nothing else from one that is seen in full. */
export function describeScenarios(
  name: string,
  start: Start,
  { about: chosen = Object.keys(scenarios), skips = [] }: Partial<Part>,
): void {
  describe(name, () => {
    const unmet = new Set(skips)
    for (const about of chosen) {
      describe(about, () => {
        for (const { title, run } of scenariosOf(about)) {
          const skip = skips.find(({ scenario }) => title.includes(scenario))
          if (skip === undefined) it(title, () => inWorld(start, run))
          else it.skip(`${title} (${skip.reason})`, () => {})
          if (skip !== undefined) unmet.delete(skip)
        }
      })
    }
    it('skips nothing that there is not', () => expect([...unmet]).toEqual([]))
  })
}

interface Part {
  readonly about: readonly string[]
  readonly skips: readonly Skip[]
}

function scenariosOf(about: string): readonly Scenario[] {
  const list = scenarios[about]
  if (list === undefined) throw new Error(`no scenario is about ${about}`)
  return list
}

/** Runs one scenario; whatever it opened is closed, and a warning that it did not expect fails it. */
export async function inWorld(start: Start, run: (world: World) => Promise<void>): Promise<void> {
  const world = new World(start)
  try {
    await run(world)
    expect(world.warnings).toEqual([])
  } finally {
    await world.close()
  }
}
