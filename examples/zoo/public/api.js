// The questions this page puts to the server, and their answers as plain data.

const deadlineMs = 5000

const ask = (path, options) =>
  fetch(path, { cache: 'no-store', priority: 'high', signal: AbortSignal.timeout(deadlineMs), ...options })

/** How the server counts and how each attraction stands, as seen by one visitor. Rejects when there is no such answer. */
export async function readAttractions(visitor) {
  const response = await ask(`/attractions?${new URLSearchParams({ visitor })}`)
  if (!response.ok) throw new Error(`The server answered ${response.status}`)
  const { server, attractions } = await response.json()
  return { visitor, server, attractions }
}

/**
 * Asks for one ticket. Never rejects; `outcome` says which answer came:
 * bought (`ticket`), queued (`at`: the address of its status, `place`, `waitMs`, null = not known yet), refused (`reason`, `policies`, `waitMs`, null = waiting never helps, `detail`),
 * invalid (`detail`: the request itself was wrong), down (no answer).
 */
export async function buyTicket({ attraction, visitor, priority = 'high' }) {
  try {
    const response = await ask(`/attractions/${encodeURIComponent(attraction)}/tickets`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ visitor, quantity: 1 }),
      priority,
    })
    return { visitor, ...read(response, await response.json()) }
  } catch {
    return { visitor, outcome: 'down' }
  }
}

/**
 * Asks how a queued ticket stands. Never rejects; besides what a purchase answers there is failed (`detail`: no ticket came of it)
 * and forgotten (the server knows it no more). `askAgainMs`: when to ask again, of what is queued or down.
 */
export async function readTicket(at) {
  try {
    const response = await ask(at)
    const askAgainMs = 1000 * Number(response.headers.get('Retry-After') ?? 1)
    if (response.status === 404) return { outcome: 'forgotten' }
    if (!response.ok) return { outcome: 'down', askAgainMs }
    return { askAgainMs, ...readStatus(await response.json()) }
  } catch {
    return { outcome: 'down', askAgainMs: deadlineMs }
  }
}

function readStatus({ state, position, waitMs, result, error }) {
  if (state === 'done') return { outcome: 'bought', ticket: result.ticket }
  if (state === 'failed') return { outcome: 'failed', detail: error }
  return { outcome: 'queued', place: state === 'running' ? 0 : position, waitMs: waitMs ?? null }
}

function read({ ok, status, headers }, body) {
  if (status === 202) {
    const { position: place, waitMs } = body
    return { outcome: 'queued', at: headers.get('Location'), place, waitMs }
  }
  if (ok) return { outcome: 'bought', ticket: body.ticket }
  const detail = body.detail ?? body.title ?? ''
  const wait = body.retryAfter ?? headers.get('Retry-After')
  const waitMs = wait === null ? null : 1000 * Number(wait)
  const policies = body['violated-policies'] ?? []
  if (status === 429) return { outcome: 'refused', reason: body.reason, policies, waitMs, detail }
  if (status === 503 && waitMs !== null)
    return { outcome: 'refused', reason: 'store-unavailable', policies, waitMs, detail }
  return status < 500 ? { outcome: 'invalid', detail } : { outcome: 'down' }
}
