import { provesActs } from './acts.ts'

/** More are among the trials. */
provesActs([1, 2, 3, 4])
