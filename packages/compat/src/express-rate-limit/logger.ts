import { observing, optionError } from '@sluice/core/internal'
import type { Logger, LoggerFn } from './types.ts'

function withMessageFirst(name: 'error' | 'warn'): LoggerFn {
  return (error, message) => {
    if (message === undefined) console[name](error)
    else console[name](message, error)
  }
}

const consoleLogger: Logger = { error: withMessageFirst('error'), warn: withMessageFirst('warn') }

export function readLogger(logger: Logger = consoleLogger): Logger {
  if (typeof logger?.error === 'function' && typeof logger.warn === 'function') return logger
  throw optionError('logger', 'an object with the functions error and warn', logger)
}

/** A logger whose errors and rejections are ignored, so that they change no answer and end no process. */
export function guarded(logger: Logger): Logger {
  const withoutFail =
    (name: 'error' | 'warn'): LoggerFn =>
    (...said) => {
      try {
        observing.Reports.ignore(logger[name](...said))
      } catch {}
    }
  return { error: withoutFail('error'), warn: withoutFail('warn') }
}
