import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type LimitsServer, type ServeOptions, serveLimits } from '../src/index.ts'
import { type EnvoyClient, envoyClient } from './client.ts'

const logger = { warn() {}, error() {} }

export interface Served {
  readonly server: LimitsServer
  readonly client: EnvoyClient
  end(): Promise<void>
}

/** A running service with these limits, and a client of it. */
export async function served(limits: string, options: Omit<ServeOptions, 'file'> = {}): Promise<Served> {
  const folder = mkdtempSync(path.join(tmpdir(), 'served-'))
  const file = path.join(folder, 'limits.yaml')
  writeFileSync(file, limits)
  const server = await serveLimits({ file, grpc: { port: 0 }, http: false, logger, ...options })
  const client = envoyClient(server.grpc?.port ?? 0)
  return {
    server,
    client,
    async end() {
      client.close()
      await server.close()
      rmSync(folder, { recursive: true })
    },
  }
}
