import type { World } from '../history/world.ts'
import { actsAreDone } from './acts.ts'
import { boundedAdmissions } from './admissions.ts'
import { aheadForALease } from './ahead.ts'
import { backed } from './backed.ts'
import { ownBlocksHold } from './by-hand.ts'
import { byLedger } from './by-ledger.ts'
import { calendarsAreKept, calendarsBeginAnew } from './calendars.ts'
import { changesAreMade } from './changes.ts'
import { chargedOnce, givenBack, givesItsOwn, nothingLate } from './charges.ts'
import { openHoldsNobody, opensInTime } from './circuits.ts'
import { notesAreHeard, sharesAreKept } from './clients.ts'
import { closingEndsWaits, noErrors, nothingLeft } from './endings.ts'
import { hangUpsAreHeard } from './hang-ups.ts'
import { tellsTheTruth } from './health.ts'
import type { Invariant } from './invariant.ts'
import { boundedQueue, endsAreTrue, jobsEnd } from './jobs.ts'
import { justified } from './justified.ts'
import { firstComeFirstServed, leaversAreHeard } from './lines.ts'
import { listEndsEmpty, listForgetsNothing, listIsInOrder } from './list-queue.ts'
import { listsAreObeyed } from './listed.ts'
import { moreIsCharged } from './more.ts'
import { offersInTime } from './offers.ts'
import { costsAreHeard, partsAreTold } from './parts.ts'
import { boundedPlaces } from './places.ts'
import { recovers } from './recovery.ts'
import { refusedStaysRefused } from './refusals.ts'
import { firstInOrder, runsAgain, runsWithinBounds } from './runs.ts'
import { boundedWaits } from './waits.ts'
import { opensWhereWritesFail, wellWhenItIs } from './well.ts'

const invariants: readonly Invariant[] = [
  noErrors,
  boundedWaits,
  boundedAdmissions,
  chargedOnce,
  givenBack,
  nothingLate,
  givesItsOwn,
  moreIsCharged,
  justified,
  ownBlocksHold,
  actsAreDone,
  byLedger,
  backed,
  openHoldsNobody,
  opensInTime,
  refusedStaysRefused,
  boundedPlaces,
  firstComeFirstServed,
  leaversAreHeard,
  aheadForALease,
  listsAreObeyed,
  changesAreMade,
  recovers,
  tellsTheTruth,
  wellWhenItIs,
  opensWhereWritesFail,
  jobsEnd,
  endsAreTrue,
  boundedQueue,
  listIsInOrder,
  listForgetsNothing,
  listEndsEmpty,
  offersInTime,
  runsAgain,
  runsWithinBounds,
  firstInOrder,
  hangUpsAreHeard,
  closingEndsWaits,
  partsAreTold,
  costsAreHeard,
  notesAreHeard,
  sharesAreKept,
  calendarsAreKept,
  calendarsBeginAnew,
  nothingLeft,
]

/** The first breach of an invariant in a history. */
export interface Breach {
  readonly invariant: string
  readonly said: string
}

export function breachesOf(world: World): readonly Breach[] {
  const all: Breach[] = []
  for (const { name, breaches } of invariants) {
    const { value: said } = breaches(world)[Symbol.iterator]().next()
    if (said !== undefined) all.push({ invariant: name, said })
  }
  return all
}
