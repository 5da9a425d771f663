const turns = 3
/** No test asks for a smaller ratio. */
const clearlyLittle = 2
const texts = 100

/**
 * How many times as much of the processor `work` takes as `known`: the least of a few turns of each, so that what else the machine
 * does makes both dearer. One turn is enough where it is clearly little: `work` comes first, when what both call is not compiled yet.
 */
export async function timesAsMuch(work: () => unknown, known: () => unknown): Promise<number> {
  let [least, ofKnown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let turn = 0; turn < turns; turn++) {
    least = Math.min(least, await processorUs(work))
    ofKnown = Math.min(ofKnown, await processorUs(known))
    if (least / ofKnown < clearlyLittle) break
  }
  return least / ofKnown
}

/**
 * The same of one text beside a hundred of a hundredth of its length: 1 where work grows with the length, 100 where it grows with
 * the square of it.
 */
export function timesAsLong(
  read: (text: string) => unknown,
  textOf: (length: number) => string,
  length: number,
): Promise<number> {
  const [long, short] = [textOf(length), textOf(length / texts)]
  async function readShort(): Promise<void> {
    for (let i = 0; i < texts; i++) await read(short)
  }
  return timesAsMuch(() => read(long), readShort)
}

async function processorUs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
