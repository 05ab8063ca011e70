/** Unpack gzip. */

import { RespellError } from "./types.js";

/** The content of a gzip file. Some hosts unpack such files; then there is nothing to do. */
export async function unpackGzip(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content;
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new RespellError("damaged: not a whole gzip file");
  }
}
