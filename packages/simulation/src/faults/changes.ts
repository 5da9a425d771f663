import { inFile, type SingleFault } from '@sluice/faults/single'

/** Single faults in limits that are changed while they run. */
export const changeFaults: readonly SingleFault[] = [
  ...inFile(
    'operations/src/polling.ts',
    [
      'a change ends once Redis has answered',
      '      tick?.()\n      void this.once()\n',
      '      void this.once().then(tick)\n',
      'a limit that was changed for a time stays changed while Redis hangs',
    ],
    [
      'a change is read once',
      'setInterval(() => {\n',
      'setInterval(() => {\n      if (this.#underWay === undefined) return\n',
      'processes go on with the limits with which they began',
    ],
  ),
  ...inFile('operations/src/limits/changeable-limits.ts', [
    'who changes a limit has not read it',
    'await this.#server.set(name, options, about)\n    await this.#polling.afresh()\n',
    'await this.#server.set(name, options, about)\n',
    'the process that changes a limit decides by the old one for a while',
  ]),
  ...inFile('core/src/ahead/store.ts', [
    'a look by a changed limit finds units in hand',
    'question.upTo === undefined && question.checks.every(isOwn)',
    'question.upTo === undefined',
    'a look is answered by the limit that was in force before',
  ]),
  ...inFile('core/src/resilience/refusals.ts', [
    'a block has the limit by which it was heard of',
    'limit: isBlocked ? partsOf(check.policy).units : row.limit,\n',
    '',
    'in an outage a blocked key has a limit that has been changed since',
  ]),
  ...inFile('core/src/decision/lane.ts', [
    'a change is not counted by',
    'partsOf(asked).changing?.now ?? asked',
    'asked',
    'a changed limit is shown everywhere, and refuses nobody',
  ]),
]
