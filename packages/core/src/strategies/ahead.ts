/** A longer time would keep too much of a window from being used. */
const mostOfWindow = 10

/** Of a window, so that it holds for any instant at which the units are used: each counts for as much longer. */
export function longerWindow<N extends { readonly windowUs: number }>(numbers: N, us: number): N | undefined {
  return fitsWindow(numbers.windowUs, us) ? { ...numbers, windowUs: numbers.windowUs + us } : undefined
}

export function fitsWindow(windowUs: number, us: number): boolean {
  return us * mostOfWindow <= windowUs
}
