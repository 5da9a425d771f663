import { describeStore } from '@sluice/conformance'
import { asOneMoreWay } from '@sluice/conformance/internal'
import { glideUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

describeStore('redis, through Valkey GLIDE', async () => asOneMoreWay(await glideUnderTest(socket)))
