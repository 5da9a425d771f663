// Asks a limited server twice with each client: the second time it is refused and the client itself tries again.
import { parentPort, workerData } from 'node:worker_threads'
import got from 'got'
import ky from 'ky'
import { Agent, RetryAgent, request } from 'undici'

const { url, names } = workerData

const ask = {
  got: async (headers) => (await got(`${url}/tickets`, { headers })).statusCode,
  ky: async (headers) => (await ky(`${url}/tickets`, { headers })).status,
  undici: async (headers) => {
    const { statusCode, body } = await request(`${url}/tickets`, { headers, dispatcher })
    await body.text()
    return statusCode
  },
}
const dispatcher = new RetryAgent(new Agent())

async function askTwice(name) {
  const headers = { 'X-Key': name }
  await ask[name](headers)
  const startedAt = performance.now()
  const status = await ask[name](headers)
  return { name, status, tookMs: performance.now() - startedAt }
}

const answers = await Promise.all(names.map(askTwice))
await dispatcher.close()
parentPort.postMessage(answers)
