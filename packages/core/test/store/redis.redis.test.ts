import { describeStore } from '@sluice/conformance'
import { asOneMoreWay } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

// That it answers as memory does, which plays all histories, the files same-rows beside this one see.
describeStore('redis', async () => asOneMoreWay(await redisUnderTest(socket), 0.04))
