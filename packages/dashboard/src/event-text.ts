import type { Message } from './wire.ts'

/** A message as a server-sent event. JSON contains no line end. */
export function eventText(message: Message): string {
  return `data: ${JSON.stringify(message)}\n\n`
}

/** How long a page waits before it reconnects. */
export const retryText = 'retry: 1000\n\n'
