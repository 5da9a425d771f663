import { describeStore } from '@sluice/conformance'
import { restUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

// The scripts play all histories over other connections: here it is the way of their arguments and replies that is tried, over HTTP.
describeStore('redis, over REST', async () => ({ ...(await restUnderTest(socket)), share: 0.04 }))
