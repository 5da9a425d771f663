import type { Given } from '../../src/plan/plan.ts'
import { type Flags, readSettings } from '../../src/plan/settings.ts'

/** As the command line has them where nothing is given. */
const usual: Flags = {
  users: '1000',
  rate: '1/s',
  policy: ['gcra:100/1h'],
  active: '100%',
  clients: '100',
  peak: '1',
  keyLength: '16',
  regions: '1',
  replicas: '0',
  shardMemory: '16GB',
  headroom: '30%',
  price: [],
}

export function given(flags: Partial<Flags>): Given {
  return readSettings({ ...usual, ...flags })
}
