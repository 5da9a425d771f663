/** Units are used at most a tenth of a window later: a longer time would keep too much of a window from being used. */
const mostOfWindow = 10

/** A window longer by `us`: each unit counts for so much longer, so the limit holds at whichever instant within `us` it is used. */
export function longerWindow<N extends { readonly windowUs: number }>(numbers: N, us: number): N | undefined {
  return fitsWindow(numbers.windowUs, us) ? { ...numbers, windowUs: numbers.windowUs + us } : undefined
}

export function fitsWindow(windowUs: number, us: number): boolean {
  return us * mostOfWindow <= windowUs
}
