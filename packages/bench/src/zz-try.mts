import { Redis } from 'ioredis'
import { startRedis } from '/work/main/packages/bench/src/redis-server.ts'
import { callKinds, contenderOf, incr, script } from '/work/main/packages/bench/src/calls.ts'
import { race } from '/work/main/packages/bench/src/rounds.ts'
import { sectionOf } from '/work/main/packages/bench/src/section.ts'
import { serverTime } from '/work/main/packages/bench/src/server-time.ts'
import { storedBytes } from '/work/main/packages/bench/src/stored-bytes.ts'
import { memoryTime } from '/work/main/packages/bench/src/memory.ts'
import { heapBytes } from '/work/main/packages/bench/src/heap.ts'
const show = (s: any) => { console.log('##', s.title); for (const r of s.rows) console.log(r.name.padEnd(36), r.value.median.toFixed(2), ...r.ratios.map((x: any) => `${x.median.toFixed(3)} (${x.low.toFixed(3)}-${x.high.toFixed(3)})`)) }
const what = process.argv[2] ?? 'trip,trip64,server,bytes,mem,heap'
const server = await startRedis()
try {
  const client = new Redis(server.socket)
  const kinds = await callKinds(client)
  const pace = { rounds: 30, turnMs: 50 }
  if (what.includes('trip1')) show(sectionOf({ id: '', title: 'one', unit: 'a second', ratiosTo: [incr, script] }, await race(kinds.map(k => contenderOf(k, 1)), pace)))
  if (what.includes('trip64')) show(sectionOf({ id: '', title: '64', unit: 'a second', ratiosTo: [incr, script] }, await race(kinds.map(k => contenderOf(k, 64)), pace)))
  if (what.includes('server')) show(await serverTime(client, kinds, pace))
  if (what.includes('bytes')) show(await storedBytes(client))
  client.disconnect()
  if (what.includes('mem')) { show(await memoryTime(10_000, pace)); show(await memoryTime(100_000, pace)) }
  if (what.includes('heap')) show(await heapBytes())
} finally { await server.stop() }
