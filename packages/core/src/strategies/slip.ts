/**
 * How far the clock may step back before state that lies ahead counts as wrong: a server's TIME is not quite monotonic. Up to here
 * nothing is moved, so ends, counts and receipts stay what they are; the same number as in `include/slip.lua`.
 */
export const slipUs = 1000
