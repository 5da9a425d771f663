import type { Message } from './wire.ts'

/** As server-sent events have it. JSON holds no line end. */
export function eventText(message: Message): string {
  return `data: ${JSON.stringify(message)}\n\n`
}

/** How long a page waits before it reconnects. */
export const retryText = 'retry: 1000\n\n'
