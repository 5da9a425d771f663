import { expect, it, jest } from '@jest/globals'
import { toPlace } from '../../src/redis/clients/ioredis-own.ts'

// As the packages are in a test of jest that was not started for ES modules: there an import fails, whatever is installed.
jest.mock('ioredis', () => {
  const said = 'A dynamic import callback was invoked without --experimental-vm-modules'
  throw Object.assign(new TypeError(said), { code: 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG' })
})

it('a client for a URL that jest cannot import is not said to be missing', async () => {
  const connection = toPlace({ url: 'redis://127.0.0.1:1' }, {})
  await expect(connection.send('PING', [])).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringMatching(
      /not there: a client for a URL in jest: set NODE_OPTIONS=--experimental-vm-modules/,
    ),
  })
  await connection.close()
})
