/** An answer that is still to come: a Promise of any library or realm. */
export function isLater<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return (
    typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'
  )
}

/** A store's answer; a thenable of another library or realm becomes a Promise of this one. */
export function asPromise<T>(answer: T | PromiseLike<T>): T | Promise<T> {
  return answer instanceof Promise || !isLater(answer) ? (answer as T | Promise<T>) : Promise.resolve(answer) // no other thenable is left
}
