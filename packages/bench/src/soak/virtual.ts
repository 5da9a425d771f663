import { Helper } from '../helper.ts'
import { type Course, type Sample, samplesOfDay } from './judge.ts'
import type { VirtualDuties } from './virtual-child.ts'

/** The week, or so many days of it, as fast as one process can ask; of so many requests one is asked. */
export async function virtualWeek(
  { days, thin }: { readonly days: number; readonly thin: number },
  sampled: (sample: Sample) => void,
): Promise<Course> {
  const helper = new Helper<VirtualDuties>('soak/virtual-child.ts', [], ['--expose-gc'])
  try {
    await helper.ask('begin', thin)
    const samples: Sample[] = []
    for (let i = 0; i < days * samplesOfDay; i++) {
      const sample = await helper.ask('hour', undefined)
      samples.push(sample)
      sampled(sample)
    }
    const { keysLeft, ...left } = await helper.ask('end', undefined)
    return { samples, left: [left], keysLeft }
  } finally {
    await helper.end()
  }
}
