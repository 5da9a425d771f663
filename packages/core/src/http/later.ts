/** An answer that is still to come: a Promise of any library or realm. */
export function isLater<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return (
    typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'
  )
}
