import type { Refusal } from '@sluice/http'

/** The status with which Envoy answers every refusal: the protocol has no place for another. */
const envoyStatus = 429

/** The problem of a refusal with the status that its client gets, so that a denial does not say 403 in an answer with 429. */
export function bodyForEnvoy({ status, body }: Refusal): string {
  if (status === envoyStatus) return body
  const problem: object = JSON.parse(body)
  const named = 'type' in problem && problem.type !== 'about:blank'
  return JSON.stringify({ ...problem, ...(!named && { title: 'Too Many Requests' }), status: envoyStatus })
}
