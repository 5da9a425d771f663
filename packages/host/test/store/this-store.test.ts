import { describeStore } from '@sluice/conformance'
import { hostUnderTest, skips } from './under-test.ts'

describeStore('host, the counts in this store', () => hostUnderTest('this store'), skips)
