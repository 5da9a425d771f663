import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installed } from '@sluice/faults/packed'

/** A message of a gateway, and what the guard says of its second one. */
const program = `
const { fixedWindow } = require('@sluice/core')
const { rateLimitGuard } = require('@sluice/nest')
const { WsException } = require('@nestjs/websockets')

exports.WsException = WsException
exports.refused = async () => {
  const guard = rateLimitGuard({ policy: fixedWindow({ limit: 1, window: '1h' }) })
  const args = [{ handshake: { address: '192.0.2.1', headers: {} } }, {}, 'say']
  class Gateway {}
  const context = { getType: () => 'ws', getArgs: () => args, getHandler: () => Gateway, getClass: () => Gateway }
  await guard.canActivate({ ...context, getArgs: () => [...args] })
  return guard.canActivate({ ...context, getArgs: () => [...args] }).catch((error) => error)
}
`

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(path.join(await installed('@sluice/nest', '@nestjs/websockets'), 'in-jest-'))
  writeFileSync(path.join(folder, 'messages.cjs'), program)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true }))

// This is such a test: it was not started for ES modules, and so nothing can be imported late.
it('a message that is refused is an error of gateways also in a test of jest', async () => {
  const { refused, WsException } = require(path.join(folder, 'messages.cjs'))
  const error = await refused()
  expect(error).toBeInstanceOf(WsException)
  expect(error).toMatchObject({
    name: 'RateLimitWsException',
    message: expect.stringContaining('Too many requests'),
  })
})
