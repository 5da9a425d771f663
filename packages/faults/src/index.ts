export { addSlots } from './cluster/add-slots.ts'
export {
  type ClusterClientName,
  clusterClientNames,
  clusterUnderTest,
  connectToCluster,
  spreadOut,
} from './cluster/cluster-under-test.ts'
export { type Member, type Move, RedisCluster } from './cluster/redis-cluster.ts'
export { connectGlide, glideUnderTest } from './glide-under-test.ts'
export { connectInBytes } from './in-bytes.ts'
export * from './outage/index.ts'
export { type Cure, demote, failSaves, fill, loseReplicas, occupy, say } from './outage/troubles.ts'
export {
  type Connected,
  connectTo,
  redisUnderTest,
  renamed,
  type ServerClientName,
  type VirtualTime,
} from './redis-under-test.ts'
export type { FrontFault } from './rest/front-fault.ts'
export { type FrontCall, RestFront } from './rest/rest-front.ts'
export { restUnderTest } from './rest/rest-under-test.ts'
