/** As much of `expect` as cases need where the package itself cannot be loaded. */
const same = (got: unknown, expected: unknown) => JSON.stringify(got) === JSON.stringify(expected)

function check(holds: boolean, got: unknown, expected: unknown): void {
  if (!holds) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
}

function expect(got: unknown) {
  return {
    toEqual: (expected: unknown) => check(same(got, expected), got, expected),
    toBeGreaterThanOrEqual: (least: number) => check(Number(got) >= least, got, least),
    toBeLessThan: (bound: number) => check(Number(got) < bound, got, bound),
    rejects: {
      toBe: (expected: unknown) =>
        Promise.resolve(got).then(
          () => check(false, 'no failure', String(expected)),
          (error: unknown) => check(error === expected, String(error), String(expected)),
        ),
    },
  }
}

// The cases read their settings in the environment, which a worker has not.
Object.assign(globalThis, { expect, process: { env: {} } })
