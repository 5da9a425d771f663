import { beforeAll, jest } from '@jest/globals'
import { baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import {
  describeWindows,
  functions,
  groupRows,
  hourFirst,
  registrations,
  secondFirst,
} from './window-cases.ts'

const shared = [
  ['functions', functions],
  ['registrations on one Redis', registrations],
] as const
const rows = shared.flatMap(([title, build]) => [...hourFirst(title, build), ...secondFirst(title, build)])
let spaces = 0

// The clients of these tests lack what Sluice recommends for a server that runs for long.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}))

describeWindows([...groupRows, ...rows], async () => {
  const { store, setClock, close } = await redisUnderTest(socket)
  let atUs = baseUs
  await setClock(atUs)
  const advance = async (ms: number) => {
    atUs += ms * 1000
    await setClock(atUs)
  }
  return { options: { store, nameSpace: `windows-${spaces++}-` }, advance, close }
})
