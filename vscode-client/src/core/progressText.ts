/** What progress of the server says in words. */

/** Where the words are those of the title again, how much is done says more. */
export function progressText(title: string, message: string | undefined, percentage: number): string | undefined {
  return message === title ? `${percentage}\u00a0%` : message;
}
