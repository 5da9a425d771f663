import { Redis } from 'ioredis'
import { startRedis } from './redis-server.ts'
import { callKinds, contenderOf } from './calls.ts'
const server = await startRedis()
try {
  const client = new Redis(server.socket)
  const kinds = await callKinds(client)
  const names = (process.argv[2] ?? 'INCR,counter,GCRA').split(',')
  const c = kinds.filter(k => names.includes(k.name)).map(k => contenderOf(k, Number(process.argv[3] ?? 1)))
  for (const x of c) await x.run(20000)
  for (let r = 0; r < 10; r++) {
    const out: string[] = []
    for (const x of c) { const u = process.cpuUsage(), t = performance.now(); await x.run(20000); const v = process.cpuUsage(u); out.push(`${x.name} ${((performance.now() - t) / 20).toFixed(1)}µs cpu u${(v.user / 20000).toFixed(1)} s${(v.system / 20000).toFixed(1)}`) }
    console.log(out.join('   '))
  }
  client.disconnect()
} finally { await server.stop() }
