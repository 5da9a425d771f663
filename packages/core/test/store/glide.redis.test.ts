import { describeStore } from '@sluice/conformance'
import { throughAnotherClient } from '@sluice/conformance/internal'
import { glideUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

describeStore('redis, through Valkey GLIDE', async () => throughAnotherClient(await glideUnderTest(socket)))
