import { mkdtempSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gcra } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import { serveLimits } from '@sluice/server'
import express from 'express'
import { ownCpuUs } from '../cpu-time.ts'
import { serve } from '../helper.ts'

// A server that limits in memory: a service over gRPC or HTTP, or an application with the middleware.
const [, , kind = ''] = process.argv
const count = 100_000

async function listen(): Promise<number> {
  if (kind === 'middleware') {
    const app = express()
    app.use(rateLimit({ policy: gcra({ count, period: '1s' }), key: () => 'alex' }))
    app.get('/', (_request, response) => void response.end('{"allowed":true}'))
    return new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
  }
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'bench-serve-')), 'limits.yaml')
  const one = `{ strategy: gcra, count: ${count}, period: 1s }`
  writeFileSync(file, `schema: { shop: { children: { user: { children: { "*": { limits: ${one} } } } } } }\n`)
  const none = false as const
  const server = await serveLimits({
    file,
    grpc: kind === 'grpc' ? { port: 0 } : none,
    http: kind === 'grpc' ? none : { port: 0 },
  })
  return (kind === 'grpc' ? server.grpc : server.http)?.port ?? 0
}

const port = await listen()
const duties = {
  port: (_: undefined): number => port,
  cpuUs: (_: undefined): number => ownCpuUs(),
}

export type ServerDuties = typeof duties

serve(duties)
