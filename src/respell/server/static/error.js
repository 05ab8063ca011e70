// What the page reports when a text cannot be checked.

/** An error with a message for the user; `offline` if nothing answered. */
export class ApiError extends Error {
  constructor(message, { offline = false, status = 0 } = {}) {
    super(message);
    this.offline = offline;
    this.status = status;
  }
}
