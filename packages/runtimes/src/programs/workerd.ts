import { rateLimit } from '@sluice/fetch/workers'
import { zooOf } from '../zoo.ts'

const worker: { readonly fetch: ReturnType<typeof zooOf> } = {
  fetch: zooOf(({ maxWait: _, ...options }) => rateLimit<string>(options as never) as never),
}

// biome-ignore lint/style/noDefaultExport: what a worker is
export default worker
