/**
 * A call that changes something, which may have been done where no answer comes. With an Idempotency-Key (`keyed`) it is
 * done once however often it is sent.
 */
export type Attempt = 'change' | 'keyed'

export type FieldError = { field: string; code: string; message: string }

/**
 * A failed call. `message` is the server's sentence in the user's language, empty where nothing or something else
 * answered; behaviour follows `code`.
 * `status` is 0 when no answer came at all.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly fields: readonly FieldError[]
  /** What a program needs to go on, by name. */
  readonly details: Readonly<Record<string, string>>
  readonly requestId: string | undefined
  /** Seconds the server asks to wait, with 429 and 503. */
  readonly retryAfter: number | undefined
  /** Set where the call was to change something. */
  readonly attempt: Attempt | undefined

  constructor(
    message: string,
    facts: {
      status: number
      code: string
      fields?: readonly FieldError[]
      details?: Readonly<Record<string, string>>
      requestId?: string
      retryAfter?: number
      attempt?: Attempt | undefined
    },
  ) {
    super(message)
    this.status = facts.status
    this.code = facts.code
    this.fields = facts.fields ?? []
    this.details = facts.details ?? {}
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
    this.attempt = facts.attempt
  }

  /** No answer, or one that says nothing about the request itself: worth another try. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

export class MissingParameterError extends Error {
  override readonly name = 'MissingParameterError'

  constructor(operation: string, parameter: string) {
    super(`Required parameter ${parameter} was null or undefined when calling ${operation}.`)
  }
}
