import { aheadSections } from './ahead/sections.ts'
import * as asking from './asking/parts.ts'
import type { Bench } from './bench.ts'
import { byStrategy } from './by-strategy.ts'
import { callKinds, names } from './calls.ts'
import { coldSections } from './cold.ts'
import { pin } from './cores.ts'
import { heapBytes } from './heap.ts'
import { hostSections } from './host/sections.ts'
import { httpSections } from './http/sections.ts'
import { imports } from './imports.ts'
import { inFlight } from './in-flight.ts'
import { installed } from './installed.ts'
import { memoryInChild } from './memory.ts'
import { observersInChild } from './observers.ts'
import { queues } from './queues.ts'
import type { Section } from './section.ts'
import { serverTime, serverTimeOf } from './server-time.ts'
import { serverBytes, storedBytes } from './stored-bytes.ts'
import { throughput } from './throughput.ts'
import { treeSections } from './tree.ts'
import { sleepers, waitingKinds } from './waiting.ts'

/** Some sections that belong together, and are measured one after the other. */
export interface Part {
  readonly name: string
  readonly about: string
  sections(bench: Bench): AsyncGenerator<Section>
}

async function* oneAtATime({ pid, client, pace, pinned }: Bench): AsyncGenerator<Section> {
  const kinds = await callKinds(client)
  const at = (id: string, where: string) =>
    throughput(kinds, { id, title: `One at a time${where}`, atOnce: 1, pace })
  if (!pinned) return yield await at('unpinned', '')
  pin(pid, 1)
  yield await at('one-core', ', client and server on one core')
  pin(pid, 0)
  yield await at('own-cores', ', client and server on a core each')
}

async function* atOnce({ client, pace }: Bench): AsyncGenerator<Section> {
  yield await throughput(await callKinds(client), { id: 'at-once', title: '64 at once', atOnce: 64, pace })
}

async function* onServer(bench: Bench): AsyncGenerator<Section> {
  const { client, pace } = bench
  yield await serverTime(client, await callKinds(client), pace)
  yield await inFlight(bench)
  yield await queues(bench)
  const about = {
    id: 'waiting',
    title: 'Server time of a reservation, 64 at once',
    ratiosTo: [names.gcra],
    pace,
  }
  yield await serverTimeOf(client, await waitingKinds(client), about)
}

async function* bytes({ client }: Bench): AsyncGenerator<Section> {
  yield await storedBytes(client)
  yield await serverBytes(client)
  yield await heapBytes()
}

async function* storeInMemory({ pace }: Bench): AsyncGenerator<Section> {
  for (const count of [10_000, 100_000]) yield await memoryInChild(count, pace)
}

async function* beside({ pace }: Bench): AsyncGenerator<Section> {
  yield await sleepers()
  yield* await observersInChild(pace)
  yield* await treeSections(pace)
}

export const parts: readonly Part[] = [
  {
    name: 'redis',
    about: 'checks through Redis beside other libraries',
    sections: asking.redisSections,
  },
  {
    name: 'policies',
    about: 'one to ten policies on one request',
    sections: asking.policySections,
  },
  {
    name: 'clients',
    about: 'the same over node-redis, and over ioredis with auto-pipelining',
    sections: asking.clientSections,
  },
  {
    name: 'memory',
    about: 'checks in memory beside a Map and other libraries',
    sections: asking.memorySections,
  },
  {
    name: 'http',
    about: 'requests of Fastify, Koa and Express beside other libraries, and their latency',
    sections: httpSections,
  },
  {
    name: 'latency',
    about: 'how long checks through Redis take at a given rate',
    sections: asking.latencySections,
  },
  {
    name: 'growth',
    about: 'a hundred times as many keys, through Redis and in memory',
    sections: asking.keySections,
  },
  { name: 'one-at-a-time', about: 'beside raw commands, on one core and on two', sections: oneAtATime },
  { name: 'at-once', about: 'beside raw commands, 64 at once', sections: atOnce },
  {
    name: 'server-time',
    about: "the server's own time for checks, queues and reservations",
    sections: onServer,
  },
  {
    name: 'strategies',
    about: "the server's own time for a check of each strategy",
    sections: byStrategy,
  },
  {
    name: 'ahead',
    about: 'one hot key with units taken ahead and without',
    sections: aheadSections,
  },
  {
    name: 'host',
    about: 'counts of another process of this machine, beside Redis on it',
    sections: hostSections,
  },
  {
    name: 'cold',
    about: 'the first checks of a new process through Redis',
    sections: coldSections,
  },
  { name: 'bytes', about: 'of a key, in Redis and in memory', sections: bytes },
  {
    name: 'installed',
    about: 'the size of what an application installs',
    async *sections() {
      yield installed()
    },
  },
  {
    name: 'import',
    about: 'what loading the packages costs a new process',
    sections: imports,
  },
  { name: 'store', about: 'the memory store alone beside a Map', sections: storeInMemory },
  { name: 'beside', about: 'sleepers, observers, trees of limits', sections: beside },
]
