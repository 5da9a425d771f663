import { provesOutages } from './outages.ts'

provesOutages([1, 2])
