import type { Played, Player } from './player.ts'
import { inOwnTurn } from './world/microtasks.ts'

/** How many histories are played in one turn of the real event loop. */
const inOneTurn = 50

/** The seeds to play, in order, until there are no more or the time is over. */
export interface Seeds {
  readonly from: number
  readonly count: number
  /** By the real clock. */
  readonly untilMs: number
}

/** Plays histories one after another; stops at the first that breaks an invariant, and answers it. */
export async function playMany(
  player: Player,
  { from, count, untilMs }: Seeds,
  played: (count: number) => void = () => {},
): Promise<Played | undefined> {
  for (let done = 0; done < count && Date.now() < untilMs; ) {
    const most = Math.min(inOneTurn, count - done)
    const broken = await inOwnTurn(() => playSome(player, from + done, most))
    if (broken !== undefined) return broken
    done += most
    played(done)
  }
  return undefined
}

function playSome(player: Player, from: number, count: number): Played | undefined {
  for (let seed = from; seed < from + count; seed++) {
    const history = player.seed(seed)
    if (history.breaches.length > 0) return history
  }
  return undefined
}
