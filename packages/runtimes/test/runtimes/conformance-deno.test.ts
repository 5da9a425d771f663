import { describeInside } from './describe-inside.ts'

const address = 'Deno knows the address of a client that has gone'
const pipelined = 'it reads the next request of a connection when the one before is answered'

describeInside('deno', {
  least: 240,
  skips: [
    { scenario: 'gone with its address unread', reason: address },
    { scenario: 'reset behind its request', reason: address },
    { scenario: 'an HTTP/2 session that is destroyed before the decision', reason: address },
    {
      scenario: 'decision.signal of a request that was answered',
      reason: 'it aborts the signal of a request that was answered, too',
    },
    { scenario: 'whose keys come the later first', reason: pipelined },
    { scenario: 'waits behind a stream that its client reads', reason: pipelined },
  ],
})
