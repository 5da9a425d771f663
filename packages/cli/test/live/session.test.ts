import { expect, it } from '@jest/globals'
import { awayText } from '../../src/live/session.ts'

it('says how to reach a cluster that was reached by the URL of one server', () => {
  expect(awayText('MOVED 12791 127.0.0.1:7403')).toBe(
    'error: Redis does not answer: MOVED 12791 127.0.0.1:7403 (a cluster: write --cluster host:port in place of a URL)',
  )
  expect(awayText('not connected')).toBe('error: Redis does not answer: not connected')
})
