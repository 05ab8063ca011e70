/** Count the edits between two words. */

/**
 * The letters to insert, delete, replace or swap with the next one; none is edited twice.
 * This is the optimal string alignment distance.
 */
export function countEdits(one: string, other: string): number {
  const a = [...one];
  const b = [...other];
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const last = before;
    before = row;
    row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = Number(a[i - 1] !== b[j - 1]);
      let least = Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + changed);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, last[j - 2]! + 1);
      }
      row.push(least);
    }
  }
  return row[b.length]!;
}
