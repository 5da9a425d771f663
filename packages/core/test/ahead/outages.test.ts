import { provesOutages } from './outages.ts'

// More of them are among the trials.
provesOutages([1, 2])
