import { statusText } from './status-text.ts'

type AnswerField = readonly [name: string, value: string]

/** An answer as plain data: hand it to any framework. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: readonly AnswerField[]
  /** JSON, or nothing. */
  readonly body: string
}

/** An answer of this moment, which no cache may keep. */
export function jsonAnswer(
  status: number,
  value: object,
  fields: readonly AnswerField[] = [],
  type = 'application/json',
): PlainAnswer {
  const headers: readonly AnswerField[] = [['Content-Type', type], ['Cache-Control', 'no-store'], ...fields]
  return { status, headers, body: JSON.stringify(value) }
}

/** `more`: members of the body beside those of RFC 9457. */
export function problemAnswer(
  status: number,
  detail: string,
  { more = {}, fields = [] }: { readonly more?: object; readonly fields?: readonly AnswerField[] } = {},
): PlainAnswer {
  const body = { type: 'about:blank', title: statusText(status), status, detail, ...more }
  return jsonAnswer(status, body, fields, 'application/problem+json')
}
