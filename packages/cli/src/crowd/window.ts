/** The window of all numbers of the crowd. */
export const windowMs = 10_000
