import { describeInside } from './describe-inside.ts'

const noAddress = 'Bun tells no address of a client that has gone, asked for before or not'
const pipelined = 'it breaks off a connection whose pipelined requests are not answered at once'

describeInside('bun', {
  least: 235,
  skips: [
    { scenario: 'its address read', reason: noAddress },
    { scenario: 'gone after its address was read', reason: noAddress },
    { scenario: 'settle is called for an abort before the decision', reason: noAddress },
    { scenario: 'wherever a request is abandoned', reason: noAddress },
    { scenario: 'HTTP/2', reason: 'its server speaks HTTP/1 alone' },
    { scenario: 'whose keys come the later first', reason: pipelined },
    { scenario: 'waits behind a stream that its client reads', reason: pipelined },
  ],
})
