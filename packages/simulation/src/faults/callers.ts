import { inFile as inPackage, type SingleFault } from '@sluice/faults/single'

/** A file of core. */
function inFile(file: string, ...faults: Parameters<typeof inPackage>[1][]): readonly SingleFault[] {
  return inPackage(`core/src/${file}`, ...faults)
}

/** Single faults about what callers say of themselves: who they are, how much they want, since when, and that they have gone. */
export const callerFaults: readonly SingleFault[] = [
  ...inFile(
    'redis/check-arguments.ts',
    [
      'one call says not whose it is',
      "if (wants !== undefined) for (const want of wants) args.push(want === 'call' ? nextCall() : (note ?? ''))",
      "if (wants !== undefined) for (const want of wants) args.push(want === 'call' ? nextCall() : '')",
      'all clients of a shared key are one',
    ],
    [
      'a calendar has one end',
      'args.push(startUs, endUs, calendar.windowAt(endUs).endUs)',
      'args.push(startUs, endUs, endUs)',
      'a call on its way as a month ends begins one of its own',
    ],
    [
      'a calendar has no time of its server',
      'serverUs(stateKey(prefix, check))',
      '0',
      'months begin with the first call, and not with the month',
    ],
  ),
  ...inFile('redis/decide-calls.ts', [
    'calls that go together say not whose they are',
    'pushWanted(own, check, parts.nextCall)',
    'pushWanted(own, { ...check, note: undefined }, parts.nextCall)',
    'clients that ask at one instant are one',
  ]),
  ...inFile(
    'decision/lane.ts',
    [
      'nobody has a period of their own',
      'since === undefined ? current : (partsOf(current).calendar?.since?.(current, since) ?? current)',
      'current',
      'the month of a customer begins with that of all others',
    ],
    [
      'costs are whole amounts',
      'check.cost = units\n',
      'check.cost = Math.ceil(cost)\n',
      'a cost of 0.25 takes a hundredth, or a whole amount',
    ],
  ),
  ...inFile('limiter/question-limiter.ts', [
    'a limiter that is closed lets its callers wait',
    'this.sleepers?.close(this.closedBy)\n',
    '',
    'a caller that waits hears only at its turn that the limiter was closed',
  ]),
  ...inFile('limiter/prices.ts', [
    'all costs are the first',
    'priceOf(cost, prices) : cost, name, 1)',
    'priceOf(cost, prices) : cost, Object.keys(Object(cost))[0] ?? name, 1)',
    'a call costs by each policy what it costs by the first',
  ]),
  ...inFile(
    'decision/limiter-decision.ts',
    [
      'what was used is a whole amount',
      "unitsToSettle(check, row, readAmount(amount, 'settle', scale))",
      "unitsToSettle(check, row, readAmount(amount, 'settle', 1))",
      'nothing is given back of fractions',
    ],
    [
      'a charge is given back twice',
      'if (more.settled) return\n',
      '',
      'who gives back a second time gets units that others have used',
    ],
    [
      'a higher cost is not charged',
      'return byUnits > 0 && countsRequests ? 0 : byUnits',
      'return byUnits > 0 ? 0 : byUnits',
      'who uses more than was expected pays nothing for it',
    ],
  ),
  ...inFile('limiter/policy-limiter.ts', [
    'penalties are whole amounts',
    'readAmount(value, path, scaleOf(check), unitsExpected[path])',
    'readAmount(Math.ceil(value as number), path, scaleOf(check), unitsExpected[path])',
    'a penalty of 0.25 is one of 1',
  ]),
  ...inFile('limiter/up-to.ts', [
    'a part is said to be all',
    'return taken === 0 || taken === check.cost ? check : { ...check, cost: taken }',
    'return check',
    'a check of `up-to` is answered as if its whole cost had fitted',
  ]),
  ...inFile(
    'redis/by-slot.ts',
    [
      'of a part the first slot keeps too much',
      'if (row === undefined || taken <= keeps) continue',
      'if (row === undefined || taken <= keeps + 1) continue',
      'with keys in several slots, the first slot takes more units than the answer says',
    ],
    [
      'what a refused part gave back is given back again',
      "if (row !== undefined) rows[i] = { ...row, receipt: '' }",
      "if (false && row !== undefined) rows[i] = { ...row, receipt: '' }",
      'with keys in several slots, a call that is refused and then late opens room that others have taken',
    ],
  ),
  ...inFile(
    'waiting/sleepers.ts',
    [
      'who hangs up keeps its turn',
      'for (const { decision } of turns) void decision.refund()',
      'for (const { decision } of turns.slice(1)) void decision.refund()',
      'a caller that has gone keeps others waiting',
    ],
    [
      'who hangs up is counted on',
      '  giveUp(turn: Turn): void {\n    this.leave()\n',
      '  giveUp(turn: Turn): void {\n',
      'callers that have gone use up the places of those who may wait',
    ],
    [
      'who hangs up leaves a timer',
      'this.sleepers.alarm.callOff(this)\n',
      '',
      'a process is kept alive for a caller that has gone',
    ],
    [
      'hanging up is not heard',
      'if (this.#signal !== undefined) hear(this.#signal, this)\n',
      '',
      'a caller that has gone waits until its turn',
    ],
  ),
  ...inFile('reserving/delays.ts', [
    'who hangs up before the answer keeps its turn',
    'sleepers.giveUp({ turn: sleepers.turns++, decision: reserved })',
    'sleepers.leave()',
    'what is reserved for a caller that has gone is lost to others',
  ]),
  ...inFile('places/seek.ts', [
    'who hangs up before the answer keeps its place',
    'void decisionOf(this.#limiter, this.#question.checks, rows).release()',
    'void this.#limiter.finish(rows, this.#about)',
    'a place is held for a caller that has gone',
  ]),
  ...inFile('places/caller.ts', [
    'who hangs up in line stands on',
    '    this.sleepers.leave()\n    this.#arrival.leave()\n',
    '    this.sleepers.leave()\n',
    'a place goes to a caller that has gone',
  ]),
]
