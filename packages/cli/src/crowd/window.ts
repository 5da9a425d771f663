/** What all numbers of the crowd speak of. */
export const windowMs = 10_000
