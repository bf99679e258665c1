/** What is read at a time, from `from` on and before `to`. */
interface Step {
	readonly from: number;
	readonly to: number;
}

/** Steps of at most `size` from `end` back to `start`, the latest first; none where nothing lies between them. */
export function* stepsBack(start: number, end: number, size: number): Generator<Step> {
	for (let to = end; to > start; to -= size) yield { from: Math.max(start, to - size), to };
}
