import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'packages/core/src/memory'
const test = 'packages/core/test/memory'

/** How many keys are kept in memory, and which go. */
export const memoryFaults: readonly GuardedFault[] = [
  ...noticedBy(
    [`${test}/evictor.test.ts`],
    inFile(
      `${folder}/evictor.ts`,
      [
        'a store has one key more',
        'if (this.#size >= this.#maxKeys && !this.#evict(nowUs)) return false',
        'if (this.#size > this.#maxKeys && !this.#evict(nowUs)) return false',
        'maxKeys is not the bound that the page says',
      ],
      [
        'a key that has gone counts on',
        'this.#size--\n',
        '',
        'after as many keys as there is room for all new ones share a count',
      ],
      [
        'idle keys stay until there is no room',
        'this.#sweep(2, nowUs)\n',
        '',
        'a process keeps every key that ever came, up to maxKeys',
      ],
      [
        'an idle key is as good as any',
        'if (this.#isIdle(table, nowUs)) return { table, slot: this.#slot }\n',
        '',
        'sprayed keys push out counts that still matter, while dead ones stay',
      ],
      [
        'a used-up key goes in the stead of an open one',
        'if (better === undefined && table.exhaustedUs(this.#slot, nowUs) === 0)',
        'if (better === undefined)',
        'a client frees its own key by a spray of others',
      ],
      [
        'the newest key goes first',
        'if (better === undefined && table.exhaustedUs(this.#slot, nowUs) === 0)\n        better = { table, slot: this.#slot }\n',
        '',
        'in a full store two new clients push each other out, and neither is ever refused',
      ],
      [
        'whose wait is over is free',
        'if (table.exhaustedUs(slot, nowUs) === 0) return { table, slot }',
        'return { table, slot }',
        'unknown keys push out requests in flight, for whose places a wait is only advice',
      ],
      [
        'who is not free after all is looked at again and again',
        '        table.note(slot, nowUs)\n',
        '',
        'behind eight keys whose requests take long no key that is free makes room',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/blocks.test.ts`],
    inFile(
      `${folder}/evictor.ts`,
      [
        'a block by hand takes the room of another one',
        'this.#soonest(false) ?? this.#soonest(true)',
        'this.#soonest(true) ?? this.#soonest(false)',
        'to block one client is to let another one in',
      ],
      [
        'what recovers last makes room',
        'untilUs >= soonestUs)) continue',
        'untilUs <= soonestUs)) continue',
        'to block one client frees another from its longest limit',
      ],
    ),
  ),
]
