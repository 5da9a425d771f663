import { expect, it } from '@jest/globals'
import { startSvelteKit } from '../../src/server.ts'
import { describeRuntime } from './describe-runtime.ts'

describeRuntime('SvelteKit', startSvelteKit, {
  more(zoo) {
    it('docs/fetch.md: its start', async () => {
      const { status, headers } = await zoo().send('/start', 'a')
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '99'])
    })
  },
})
