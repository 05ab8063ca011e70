/** What checks the text: the language server, or the engine inside the extension. */

export interface Engine {
  /** How the status bar calls it. */
  readonly name: string;
  /** Read the settings and dictionaries again, and check all documents. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}
