// More open questions than this help nobody: the browser has six connections, and buying must stay possible.
const mostOpen = 48
const tickMs = 50

/**
 * Sends a crowd: each visitor asks about once a second, one attraction after the other, until the time is over or `signal` stops it.
 * A question that finds too many open ones is dropped, not kept for later. Resolves with the totals when the last answer is in.
 */
export async function sendCrowd({
  visitors,
  seconds,
  attractions,
  ask,
  report,
  signal,
  nowMs = () => performance.now(),
  sleep = (ms) => new Promise((wake) => setTimeout(wake, ms)),
  random = Math.random,
}) {
  const startMs = nowMs()
  const lastsMs = 1000 * within(seconds, 1, 60)
  const totals = { elapsedMs: 0, asked: 0, admitted: 0, refused: 0, unanswered: 0, unsent: 0 }
  const open = new Set()
  const crowd = Array.from({ length: within(visitors, 1, 500) }, (_, i) => ({
    name: `crowd-${i + 1}`,
    nextMs: startMs + 1000 * random(),
    turn: Math.floor(random() * attractions.length),
  }))

  async function send(visitor) {
    totals.asked++
    const { outcome } = await ask({
      attraction: attractions[visitor.turn++ % attractions.length],
      visitor: visitor.name,
      priority: 'low',
    })
    totals[outcomes[outcome] ?? 'unanswered']++
  }

  while (!signal.aborted && nowMs() - startMs < lastsMs) {
    const now = nowMs()
    for (const visitor of crowd) {
      if (visitor.nextMs > now) continue
      // Half a second late at most: a page that was asleep does not catch up.
      visitor.nextMs = Math.max(visitor.nextMs, now - 500) + 800 + 400 * random()
      if (open.size >= mostOpen) {
        totals.unsent++
        continue
      }
      const sent = send(visitor).finally(() => open.delete(sent))
      open.add(sent)
    }
    totals.elapsedMs = now - startMs
    report(totals)
    await sleep(tickMs)
  }
  await Promise.all(open)
  return totals
}

const outcomes = { bought: 'admitted', queued: 'admitted', refused: 'refused' }

const within = (n, least, most) => Math.min(most, Math.max(least, Math.trunc(n) || least))
