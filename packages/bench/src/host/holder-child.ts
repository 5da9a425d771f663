import { hostStore } from '@sluice/host'
import { ownCpuUs } from '../cpu-time.ts'
import { serve } from '../helper.ts'

// Started by hostSections: the process that holds the counts.
const [path] = process.argv.slice(2)
const store = hostStore({ path })

const duties = {
  async ready(): Promise<void> {
    await store.ready?.()
  },

  cpuUs: (_: undefined): number => ownCpuUs(),
}

export type HolderDuties = typeof duties

serve(duties)
